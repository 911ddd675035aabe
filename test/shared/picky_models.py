# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Models that cannot be asked in every way, as rules for the stand-in server."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from model_server import completion, puts

Rules = Callable[[Mapping[str, Any]], Any]


def refuses(*words: str, rules: Rules = puts) -> Rules:
    """A server that answers 400 to requests with these fields, and says so."""
    def answer(request: Mapping[str, Any]) -> Any:
        form = (request.get('response_format') or {}).get('type', '')
        for word in words:
            if word in request or word == form:
                raise ValueError(f'{word} is not supported by this model')
        return rules(request)

    return answer


def blind(request: Mapping[str, Any]) -> Any:
    """A server whose model takes no pictures."""
    if '"image_url"' in json.dumps(request['messages']):
        raise ValueError('this model does not support image input')
    return puts(request)


def calls_nothing(request: Mapping[str, Any]) -> Any:
    """A small model: it writes something into its text when it should call tools."""
    if 'tools' in request:
        return completion([], '```json\n{"name": "done"}\n```', finish='stop')
    return puts(request)


def chats(request: Mapping[str, Any]) -> Any:
    """A model that only talks, unless nothing but text is asked for."""
    if 'tools' in request or 'response_format' in request:
        return completion([], 'Sure! First, let us think about cubes.', finish='stop')
    return puts(request)
