# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The model's address and key: checked once, kept out of every text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from replan_agent.domain.config import ConfigError, VLMConfig
from replan_agent.text.json_text import json_values
from replan_agent.text.shown_text import one_line

OPENAI_HOST = 'api.openai.com'
NO_KEY = 'no-key'  # sent to servers without keys; the openai package requires one
SHORTEST_SECRET = 8  # a shorter "key" is a dummy, and hiding it would garble replies
SHOWN = 300
LIKE = 'must look like http://localhost:11434/v1 or https://api.openai.com/v1'
_DATA_URL = re.compile(r'data:[\w/+.-]+;base64,[A-Za-z0-9+/=]*')
_IPV4 = re.compile(r'\d+(\.\d+){3}')


@dataclass(frozen=True)
class Endpoint:
    """A checked address with its key. `repr` hides the key."""

    base_url: str
    host: str
    extra_body: Mapping[str, Any]
    key: str = field(repr=False)

    def without_key(self, text: str) -> str:
        return text.replace(self.key, '***') if len(self.key) >= SHORTEST_SECRET else text

    def shown(self, text: str) -> str:
        """An answer that is safe to show: no key, no picture, no control characters, short."""
        return one_line(_DATA_URL.sub('(picture)', self.without_key(text)), SHOWN)


def endpoint(config: VLMConfig, environ: Mapping[str, str]) -> Endpoint:
    """The configured endpoint. Raises ConfigError, which never contains the key."""
    if not config.model:
        raise ConfigError('vlm.model: no model is named; give --model NAME or set vlm.model')
    url, port = _parsed(config.base_url)
    if url.scheme not in ('http', 'https') or not url.hostname:
        raise ConfigError(f'vlm.base_url: {LIKE}')
    if url.username or url.password:
        raise ConfigError('vlm.base_url: must not contain a password; name the variable with '
                          'the key in vlm.api_key_env')
    host = f'{url.hostname}:{port}' if port else url.hostname
    return Endpoint(config.base_url, host, _extra_body(config), _key(config, host, environ))


def _parsed(url: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ''
        if _IPV4.fullmatch(host):
            ip_address(host)
        if not url.isprintable():
            raise ValueError(url)
        return parts, parts.port
    except ValueError:  # its message may contain a password
        _, at, after = url.rpartition('@')
        raise ConfigError(f'vlm.base_url: {f"***@{after}" if at else url!r} is not an address; '
                          f'{LIKE}') from None


def _key(config: VLMConfig, host: str, environ: Mapping[str, str]) -> str:
    # A key belongs to one host: OPENAI_API_KEY is sent elsewhere only if the settings say so.
    name = config.api_key_env or ('OPENAI_API_KEY' if host == OPENAI_HOST else '')
    if not name:
        return NO_KEY
    key = environ.get(name, '').strip()
    if not key:
        raise ConfigError(f'vlm.api_key_env: the environment variable {name} is not set')
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f'vlm.api_key_env: {name} contains characters that no key has')
    return key


def _extra_body(config: VLMConfig) -> Mapping[str, Any]:
    body = json_values(config.extra_body or '{}', 'vlm.extra_body')
    if not isinstance(body, dict):
        raise ConfigError('vlm.extra_body: must be a JSON object, like {"top_p": 0.9}')
    return body
