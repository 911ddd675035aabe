# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scripted model's answer in parts, as servers stream it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

PIECE = 12  # characters of a text or of arguments in one part


def parts(body: Mapping[str, Any], usage: bool = True) -> Iterator[bytes]:
    """The server-sent events of a chat completion, with the usage at the end if asked for."""
    (choice,) = body['choices']
    head = {'id': body['id'], 'object': 'chat.completion.chunk', 'model': body['model']}
    for delta in _deltas(choice['message']):
        yield _event({**head, 'choices': [{'index': 0, 'delta': delta, 'finish_reason': None}]})
    yield _event({**head, 'choices': [{'index': 0, 'delta': {},
                                       'finish_reason': choice['finish_reason']}]})
    if usage:
        yield _event({**head, 'choices': [], 'usage': body['usage']})
    yield b'data: [DONE]\n\n'


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {'role': 'assistant', 'content': ''}
    for name in ('content', 'refusal'):
        for piece in _pieces(message.get(name) or ''):
            yield {name: piece}
    if 'function_call' in message:
        yield {'function_call': message['function_call']}
    for index, call in enumerate(message.get('tool_calls', ())):
        function = call['function']
        yield {'tool_calls': [{'index': index, 'id': call['id'], 'type': 'function',
                               'function': {'name': function['name'], 'arguments': ''}}]}
        for piece in _pieces(function['arguments']):
            yield {'tool_calls': [{'index': index, 'function': {'arguments': piece}}]}


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE):
        yield text[start:start + PIECE]


def _event(content: Mapping[str, Any]) -> bytes:
    return f'data: {json.dumps(content)}\n\n'.encode()
