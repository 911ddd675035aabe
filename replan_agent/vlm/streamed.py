# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Puts a streamed answer together into the body of a plain chat completion."""

from __future__ import annotations

import json
from typing import Any

from replan_agent.domain.chat import ModelError, ModelFailure
from replan_agent.text.json_text import model_json
from replan_agent.text.shown_text import one_line

from .reply import SHOWN

TEXTS = ('content', 'reasoning_content', 'reasoning', 'refusal')


class Streamed:
    """Server-sent events in, one body out. It trusts nothing: `parse_reply` reads the body."""

    def __init__(self) -> None:
        self.tokens = 0
        self._rest: list[bytes] = []  # the parts of a line that is not complete
        self._head: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._calls: list[dict[str, Any]] = []
        self._slots: dict[Any, int] = {}  # the index that the server gave a call: its place here
        self._finish: Any = None
        self._is_over = False

    def feed(self, part: bytes) -> None:
        """Read the next bytes. Raises ModelError for an event that is not JSON."""
        self._rest.append(part)
        if b'\n' not in part:
            return
        *lines, rest = b''.join(self._rest).split(b'\n')
        self._rest = [rest]
        for line in lines:
            self._line(line.strip())

    def body(self) -> bytes:
        """The whole answer. Raises ModelError if the stream ended in the middle of it."""
        self._line(b''.join(self._rest).strip())
        if self._head.get('error'):
            return json.dumps({'error': self._head['error']}).encode()
        if not self._is_over and self._finish is None:
            raise ModelError(ModelFailure.CONNECTION, 'the stream ended before the reply was '
                             'complete')
        message: dict[str, Any] = {name: ''.join(parts) for name, parts in self._texts.items()}
        if self._calls:
            message['tool_calls'] = [{'function': {
                'name': call['name'], 'arguments': _joined(call['arguments'])}}
                for call in self._calls]
        choice = {'message': message, 'finish_reason': self._finish}
        return json.dumps({**self._head, 'choices': [choice]}).encode()

    def _line(self, line: bytes) -> None:
        name, _, data = line.partition(b':')
        if name not in (b'data', b'error') or self._is_over:
            return  # a comment that keeps the connection open, or the kind of the event
        data = data.strip()
        if data == b'[DONE]':
            self._is_over = True
            return
        try:
            event = model_json(data.decode(errors='replace'))
        except ValueError:
            raise ModelError(ModelFailure.NOT_JSON, 'a part of the stream is not JSON: '
                             f'{one_line(data.decode(errors="replace"), SHOWN)}') from None
        if name == b'error':
            self._head['error'] = event
        elif isinstance(event, dict):
            self._event(event)

    def _event(self, event: dict[str, Any]) -> None:
        self._head.update({key: event[key] for key in ('model', 'usage', 'error')
                           if event.get(key)})
        choices = event.get('choices')
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or choice.get('index', 0) != 0:
            return
        self._finish = choice.get('finish_reason') or self._finish
        delta = choice.get('delta')
        if isinstance(delta, dict):
            self._delta(delta)

    def _delta(self, delta: dict[str, Any]) -> None:
        before = self.tokens
        for name in TEXTS:
            text = delta.get(name)
            if isinstance(text, str) and text:
                self._texts.setdefault(name, []).append(text)
                self.tokens = before + 1
        given, old = delta.get('tool_calls'), delta.get('function_call')
        calls = [{'function': old}] if isinstance(old, dict) else given  # as it was before tools
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                self._call(call)
                self.tokens = before + 1

    def _call(self, part: dict[str, Any]) -> None:
        """Add a part to its call. Some servers give every call the same index, or none."""
        given = part.get('function')
        function = given if isinstance(given, dict) else {}
        slot, own_id = str(part.get('index')), part.get('id')
        place = self._slots.get(slot)
        known = self._calls[place] if place is not None else None
        if known is None or function.get('name') and own_id and own_id != known['id']:
            known = {'id': own_id, 'name': function.get('name'), 'arguments': []}
            self._slots[slot] = len(self._calls)
            self._calls.append(known)
        elif function.get('name') and not known['name']:
            known['name'] = function['name']
        if function.get('arguments') is not None:
            known['arguments'].append(function['arguments'])


def _joined(parts: list[Any]) -> Any:
    """The arguments: their texts joined. A server may also send them as one object."""
    if all(isinstance(part, str) for part in parts):
        return ''.join(parts)
    return parts[0] if len(parts) == 1 else parts
