# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a model behind real HTTP: it says what a test tells it, and fails on request."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Call = tuple[str, 'dict[str, Any] | str']
# A request in; calls, the body of a reply, or its text out. A ValueError is answered with 400.
Rules = Callable[[Mapping[str, Any]], 'Sequence[Call] | Mapping[str, Any] | str']


def completion(calls: Sequence[Call], text: str | None = None, finish: str = 'tool_calls',
               **message: Any) -> dict[str, Any]:
    """The body of a reply with these tool calls."""
    said: dict[str, Any] = {'role': 'assistant', 'content': text, **message}
    if calls:
        said['tool_calls'] = [{'id': f'call_{i}', 'type': 'function', 'function': {
            'name': name, 'arguments': given if isinstance(given, str) else json.dumps(given)}}
            for i, (name, given) in enumerate(calls)]
    return {'id': 'one', 'object': 'chat.completion', 'created': 0, 'model': 'a stand-in',
            'choices': [{'index': 0, 'message': said, 'finish_reason': finish}],
            'usage': {'prompt_tokens': 0, 'completion_tokens': 0, 'total_tokens': 0}}


PUT: list[Call] = [
    ('set_goal', {'goals': [{'predicate': 'in', 'object': 'red_cube', 'target': 'bowl'}]}),
    ('pick', {'object': 'red_cube'}), ('place_on', {'target': 'bowl'})]


def puts(request: Mapping[str, Any]) -> Sequence[Call] | dict[str, Any]:
    """A model that knows one plan, and writes it as it is asked to: as calls, or as JSON."""
    if 'tools' in request:
        return PUT
    written = {**PUT[0][1], 'steps': [{'skill': name, **given} for name, given in PUT[1:]]}
    return completion([], json.dumps(written), finish='stop')


def says(*answers: Sequence[Call]) -> Rules:
    """These answers in turn; the last one again and again."""
    left = list(answers)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


# Complete replies with wrong content.
WRONG: dict[str, dict[str, Any]] = {
    'not_a_completion': {'detail': 'hello'},
    'empty_choices': {**completion([]), 'choices': []},
    'refusal': completion([], refusal='I cannot help with robots.', finish='stop'),
    'truncated': completion([], 'First, I would', finish='length'),
    'bad_arguments': completion([('pick', '[1, 2]')]),
    'prose': completion([], 'I would pick the cube up.', finish='stop'),
    'unknown_skill': completion([('fly', {'to': 'the moon'})]),
    'unknown_object': completion([('pick', {'object': 'unicorn'})]),
    'nan': completion([('place_at', '{"x": NaN, "y": 1e999}')]),
    'false_done': completion([('done', {})]),
}
TEXTS = {'html': '<html><body><h1>Welcome to the proxy</h1></body></html>',
         'broken_json': '{"choices": [{"message": {"content": "I will'}
MISBEHAVIOURS = {*WRONG, *TEXTS, *(f'http_{n}' for n in (400, 401, 404, 429, 500)),
                 'hang', 'trickle', 'stall', 'cut_off', 'reset'}


class ModelServer(ThreadingHTTPServer):
    """The n-th request is answered with the n-th misbehaviour, later ones by the rules.

    `requests` keeps the received bodies. Answers come in parts if the request asks for that,
    unless `streams` is False. `disconnected` is set when a client leaves a hanging request.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, misbehave: Sequence[str] = (), rules: Rules = puts, retry_after: str = '0',
                 key: str = '', streams: bool = True) -> None:
        super().__init__(('127.0.0.1', 0), _Handler)
        assert MISBEHAVIOURS.issuperset(misbehave)
        self.misbehave, self.rules, self.streams = list(misbehave), rules, streams
        self.retry_after, self.key = retry_after, key
        self.requests: list[dict[str, Any]] = []
        self.closing, self.disconnected = threading.Event(), threading.Event()
        self.base_url = f'http://127.0.0.1:{self.server_address[1]}/v1'

    def start(self) -> ModelServer:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def close(self) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()

    def __enter__(self) -> ModelServer:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The client has disconnected: some tests do that on purpose."""


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = 'HTTP/1.1'

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        if self.server.key and self.headers['Authorization'] != f'Bearer {self.server.key}':
            # As careless as a server can be: the message contains the key.
            self._error(401, f'incorrect key: {self.headers["Authorization"]}')
            return
        self.server.requests.append(request)
        if self.server.misbehave:
            self._misbehave(self.server.misbehave.pop(0))
            return
        try:
            said = self.server.rules(request)
        except (ValueError, StopIteration) as error:
            self._error(400, repr(error))
            return
        body = said if isinstance(said, (str, Mapping)) else completion(said)
        if request.get('stream') and self.server.streams and isinstance(body, Mapping):
            self._stream(parts(body))
        else:
            self._send(body)

    def _misbehave(self, kind: str) -> None:
        if kind.startswith('http_'):
            self._error(int(kind[5:]), f'misbehaves on request: {kind}')
        elif kind in ('stall', 'cut_off'):
            said = list(parts(completion([], 'I think that the first thing to do is')))[:3]
            with suppress(OSError):  # the client may have left already
                self._stream(said)
        elif kind == 'trickle':
            self._trickle()
        elif kind == 'reset':
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                       struct.pack('ii', 1, 0))
            self.connection.close()
            self.close_connection = True
        elif kind != 'hang':
            self._send(TEXTS.get(kind) or WRONG[kind])
        if kind in ('hang', 'stall'):
            self._hang()

    def _hang(self) -> None:
        """Say nothing more until the client leaves or the server ends."""
        self.connection.settimeout(0.02)
        self.close_connection = True
        while not self.server.closing.is_set():
            try:
                if self.connection.recv(1):
                    continue
            except TimeoutError:
                continue
            except OSError:
                pass
            self.server.disconnected.set()
            return

    def _trickle(self) -> None:
        """Send a byte now and then, forever: no single read ever times out."""
        self._head(200, 'application/json', {'Content-Length': '1000000'})
        self.close_connection = True
        while not self.server.closing.wait(0.02):
            self.wfile.write(b' ')

    def _stream(self, events: Iterator[bytes] | Sequence[bytes]) -> None:
        self._head(200, 'text/event-stream', {'Connection': 'close'})
        self.close_connection = True
        for event in events:
            self.wfile.write(event)

    def _error(self, status: int, message: str) -> None:
        self._send({'error': {'message': message}}, status)

    def _send(self, content: object, status: int = 200) -> None:
        data = (content if isinstance(content, str) else json.dumps(content)).encode()
        waits = {'Retry-After': self.server.retry_after} if status == 429 else {}
        self._head(status, 'application/json', {'Content-Length': str(len(data)), **waits})
        self.wfile.write(data)

    def _head(self, status: int, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {'Content-Type': kind, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""


def parts(body: Mapping[str, Any]) -> Iterator[bytes]:
    """A reply as servers stream it: each text and each call's arguments in small pieces."""
    (choice,) = body['choices']
    said = choice['message']
    deltas: list[dict[str, Any]] = [{'role': 'assistant', 'content': ''}]
    deltas += [{name: piece} for name in ('content', 'refusal')
               for piece in _pieces(said.get(name) or '')]
    deltas += [{name: said[name]} for name in ('function_call',) if name in said]
    for index, call in enumerate(said.get('tool_calls', ())):
        function = call['function']
        deltas.append({'tool_calls': [{**call, 'index': index,
                                       'function': {**function, 'arguments': ''}}]})
        deltas += [{'tool_calls': [{'index': index, 'function': {'arguments': piece}}]}
                   for piece in _pieces(function['arguments'])]
    chunks = [{'choices': [{'index': 0, 'delta': delta, 'finish_reason': None}]}
              for delta in deltas]
    chunks += [{'choices': [{'index': 0, 'delta': {}, 'finish_reason': choice['finish_reason']}]},
               {'choices': [], 'usage': body['usage']}]
    for chunk in chunks:
        whole = {'id': body['id'], 'object': 'chat.completion.chunk', 'model': body['model']}
        yield f'data: {json.dumps({**whole, **chunk})}\n\n'.encode()
    yield b'data: [DONE]\n\n'


def _pieces(text: str) -> list[str]:
    return [text[start:start + 12] for start in range(0, len(text), 12)]
