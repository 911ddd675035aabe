# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages to a language model, its replies, and every way a call can fail."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from replan_agent.text.plain_values import Recorded, on_disk

MOST_CALLS = 200  # of tools in one reply


class ModelFailure(str, Enum):
    """Why there is no usable reply."""

    AUTH = 'auth'
    NOT_FOUND = 'not_found'
    BAD_REQUEST = 'bad_request'
    RATE_LIMITED = 'rate_limited'
    SERVER_ERROR = 'server_error'
    CONNECTION = 'connection'
    TIMEOUT = 'timeout'
    NOT_JSON = 'not_json'
    NOT_A_COMPLETION = 'not_a_completion'
    EMPTY_CHOICES = 'empty_choices'
    REFUSAL = 'refusal'
    TRUNCATED = 'truncated'
    BAD_TOOL_ARGUMENTS = 'bad_tool_arguments'
    NOT_AS_RECORDED = 'not_as_recorded'


# The endpoint may work again a moment later.
PASSING = frozenset({ModelFailure.RATE_LIMITED, ModelFailure.SERVER_ERROR,
                     ModelFailure.CONNECTION, ModelFailure.TIMEOUT})

# The endpoint works but the model answered badly: telling the model may help.
MISSPOKEN = frozenset({ModelFailure.EMPTY_CHOICES, ModelFailure.TRUNCATED,
                       ModelFailure.BAD_TOOL_ARGUMENTS})


_ADDRESS = ('a model that answers at this address (vlm.base_url): `curl URL/models` shows it as '
            'JSON')
REMEDIES = {
    ModelFailure.AUTH: 'a key that the server takes, in the environment variable that '
                       'vlm.api_key_env names (for api.openai.com: OPENAI_API_KEY)',
    ModelFailure.NOT_FOUND: "the model's name as `curl URL/models` lists it (vlm.model), and the "
                            'address up to /v1 (vlm.base_url)',
    ModelFailure.BAD_REQUEST: 'a request that the server takes: vlm.mode, vlm.images, '
                              'vlm.max_tokens and vlm.extra_body change it',
    ModelFailure.RATE_LIMITED: 'a larger quota at the server, or more patience: vlm.max_retries, '
                               'vlm.max_retry_wait',
    ModelFailure.SERVER_ERROR: 'another try when the server works again, or another server',
    ModelFailure.TIMEOUT: 'more time (vlm.timeout, vlm.first_token_timeout), or a faster model',
    ModelFailure.NOT_AS_RECORDED: 'a recording of this task (vlm.replay), or the model itself',
}


THINKING = 'the model is thinking'  # how the report on a slow answer begins


class ModelError(Exception):
    """A model call failed: a reason, a sentence, and the wait (s) that the server asked for.

    `server_said` is the server's own message, if it gave one. The texts contain no keys and no
    pictures.
    """

    def __init__(self, reason: ModelFailure, detail: str,
                 retry_after: float | None = None, server_said: str = '') -> None:
        super().__init__(f'{reason.value}: {detail}')
        self.reason = reason
        self.detail = detail
        self.retry_after = retry_after
        self.server_said = server_said

    @property
    def remedy(self) -> str:
        """What would help."""
        return (f'{REMEDIES.get(self.reason, _ADDRESS)}; or the planner search, which needs no '
                'model')


@dataclass(frozen=True)
class TextPart:
    text: str

    def as_dict(self) -> dict[str, Any]:
        return {'type': 'text', 'text': self.text}


@dataclass(frozen=True)
class ImagePart:
    """A picture. `repr` and `as_dict` show only its hash and size."""

    data: bytes = field(repr=False)
    mime: str = 'image/png'

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def as_dict(self) -> dict[str, Any]:
        return {'type': 'image', 'mime': self.mime, 'bytes': len(self.data), 'sha256': self.sha256}


Part = TextPart | ImagePart


@dataclass(frozen=True)
class ChatMessage(Recorded):
    """One message: the role (system, user, assistant) and the content."""

    role: str
    parts: tuple[Part, ...] = field(metadata=on_disk(key='content'))


@dataclass(frozen=True)
class ToolSpec(Recorded):
    """A tool that the model may call; `arguments` is a JSON schema of an object."""

    name: str
    description: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class ReplyForm(Recorded):
    """One JSON object as the reply: by this schema, or any object if it is None."""

    name: str
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ToolCall(Recorded):
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ChatReply(Recorded):
    """What the model said and which tools it called, in order."""

    text: str = ''
    tool_calls: tuple[ToolCall, ...] = ()
    model: str = ''
    usage: Mapping[str, int] = field(default_factory=dict)


def text_message(role: str, *texts: str) -> ChatMessage:
    """A message of text parts."""
    return ChatMessage(role, tuple(TextPart(text) for text in texts))
