# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Conversations in a file: recorded once against a real model, replayed without one."""

from __future__ import annotations

import base64
import difflib
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from replan_agent.agent.ports import ChatModel
from replan_agent.domain.chat import (
    ChatMessage,
    ChatReply,
    ImagePart,
    ModelError,
    ModelFailure,
    ReplyForm,
    ToolCall,
    ToolSpec,
)
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.text.file_bytes import check_replaceable, reason, write_whole
from replan_agent.text.json_text import read_json
from replan_agent.text.shown_text import one_line

T = TypeVar('T')

FORMAT = 'replan_agent conversation 1'
DIFF_LINES = 12
DIFF_WIDTH = 160


class RecordingModel:
    """Passes everything on to a model and writes each exchange to `path` as it happens.

    Pictures are stored as hash and size, unless `keep_images`. Raises ConfigError at once if the
    file cannot be written. An existing file is kept until the first exchange.
    """

    def __init__(self, model: ChatModel, path: Path, keep_images: bool = False) -> None:
        self._model = model
        self._path = path
        self._keep_images = keep_images
        self._exchanges: list[dict[str, Any]] = []
        try:
            check_replaceable(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_name(f'{path.name}.partial')
            partial.touch()
            partial.unlink()
        except ConfigError:
            raise
        except (OSError, ValueError) as error:
            raise ConfigError(f'{one_line(path, 300)}: no recording can be written there: '
                              f'{reason(error)}') from error

    @property
    def name(self) -> str:
        return self._model.name

    def complete(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec],
                 ctx: Context, form: ReplyForm | None = None) -> ChatReply:
        request = _request(messages, tools, form)
        if self._keep_images:
            _add_pictures(request, messages)
        try:
            reply = self._model.complete(messages, tools, ctx, form)
        except ModelError as error:
            self._append({'request': request, 'error': _error(error)})
            raise
        self._append({'request': request, 'reply': reply.as_dict()})
        return reply

    def _append(self, exchange: dict[str, Any]) -> None:
        fingerprint = _fingerprint(exchange['request'])
        self._exchanges.append({'fingerprint': fingerprint, **exchange})
        content = {'format': FORMAT, 'model': self.name, 'exchanges': self._exchanges}
        write_whole(self._path, _json(content) + '\n')


class ReplayedModel:
    """Answers from a recording, in order. A request that differs from it is an error.

    Pictures may differ, because machines render differently: only their presence is compared.
    """

    def __init__(self, path: Path) -> None:
        try:
            content = read_json(path)
        except ConfigError as error:
            raise ConfigError(f'not a recording: {error}') from error
        if not isinstance(content, dict) or content.get('format') != FORMAT:
            raise ConfigError(f'{path}: not a recording ({FORMAT!r} expected)')
        self._path = path
        self._exchanges = _exchanges(content, path)
        self._next = 0
        self.name = f'{content.get("model", "a model")} (recorded)'

    def complete(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec],
                 ctx: Context, form: ReplyForm | None = None) -> ChatReply:
        ctx.check()
        ctx.spend_call(f'asking {self.name}')
        number = self._next + 1
        if number > len(self._exchanges):
            raise _not_as_recorded(f'{self._path} has {len(self._exchanges)} exchanges, but this '
                                   f'is number {number}')
        exchange = self._exchanges[self._next]
        request = _request(messages, tools, form)
        if _fingerprint(request) != exchange.fingerprint:
            raise _not_as_recorded(f'request {number} is not the one in {self._path}; record '
                                   f'again if the change is intended:\n'
                                   + _difference(exchange.request, request))
        self._next += 1
        if isinstance(exchange.answer, ModelError):
            raise exchange.answer
        return exchange.answer


def _request(messages: Sequence[ChatMessage], tools: Sequence[ToolSpec],
             form: ReplyForm | None) -> dict[str, Any]:
    request = {'messages': [m.as_dict() for m in messages], 'tools': [t.as_dict() for t in tools]}
    return request if form is None else {**request, 'form': form.as_dict()}


def _add_pictures(request: dict[str, Any], messages: Sequence[ChatMessage]) -> None:
    for written, message in zip(request['messages'], messages):
        for entry, part in zip(written['content'], message.parts):
            if isinstance(part, ImagePart):
                entry['base64'] = base64.b64encode(part.data).decode('ascii')


def _comparable(request: dict[str, Any]) -> dict[str, Any]:
    """The request without what may differ between machines."""

    def part(entry: dict[str, Any]) -> dict[str, Any]:
        return {k: v for k, v in entry.items() if k not in ('sha256', 'bytes', 'base64')}

    messages = [{**m, 'content': [part(p) for p in m['content']]} for m in request['messages']]
    return {**request, 'messages': messages}


def _fingerprint(request: dict[str, Any]) -> str:
    text = json.dumps(_comparable(request), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _difference(recorded: dict[str, Any], sent: dict[str, Any]) -> str:
    before, after = (_json(_comparable(r)).replace('\\n', '\n').replace('\\"', '"').splitlines()
                     for r in (recorded, sent))
    lines = [line[:DIFF_WIDTH] for line in difflib.unified_diff(before, after, lineterm='', n=0)
             if not line.startswith(('---', '+++', '@@'))]
    more = [f'... and {len(lines) - DIFF_LINES} more lines'] if len(lines) > DIFF_LINES else []
    return '\n'.join([*lines[:DIFF_LINES], *more])


@dataclass(frozen=True)
class _Exchange:
    fingerprint: str
    request: dict[str, Any]
    answer: ChatReply | ModelError


def _exchanges(content: dict[str, Any], path: Path) -> list[_Exchange]:
    found: list[_Exchange] = []
    recorded = content.get('exchanges')
    if not isinstance(recorded, list):
        raise ConfigError(f'{path}: not a complete recording: it has no list of exchanges')
    try:
        for exchange in recorded:
            found.append(_exchange(exchange))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(f'{path}: not a complete recording: exchange {len(found) + 1}: '
                          f'{type(error).__name__}: {error}') from error
    return found


def _exchange(recorded: dict[str, Any]) -> _Exchange:
    request = recorded['request']
    _comparable(request)  # raises now rather than at the request
    return _Exchange(_typed(str, recorded['fingerprint']), request, _answer(recorded))


def _answer(recorded: dict[str, Any]) -> ChatReply | ModelError:
    if 'error' in recorded:
        error = recorded['error']
        after = error['retry_after']
        return ModelError(ModelFailure(error['reason']), _typed(str, error['detail']),
                          None if after is None else float(after),
                          _typed(str, error.get('server_said', '')))
    reply = recorded['reply']
    calls = tuple(ToolCall(_typed(str, call['name']), _typed(dict, call['arguments']))
                  for call in _typed(list, reply['tool_calls']))
    return ChatReply(_typed(str, reply['text']), calls, _typed(str, reply['model']),
                     _typed(dict, reply['usage']))


def _typed(kind: type[T], value: Any) -> T:
    if not isinstance(value, kind):
        raise TypeError(f'{kind.__name__} expected, not {type(value).__name__}')
    return value


def _error(error: ModelError) -> dict[str, Any]:
    return {'reason': error.reason.value, 'detail': error.detail,
            'retry_after': error.retry_after, 'server_said': error.server_said}


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)


def _not_as_recorded(why: str) -> ModelError:
    return ModelError(ModelFailure.NOT_AS_RECORDED, why)
