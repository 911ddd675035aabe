# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scripted model behind real HTTP: for tests, demonstrations and development.

It speaks the OpenAI protocol and misbehaves on request. It points, explains failures and monitors
by its own rules. Planning is a function that it is given. It is not a language model and says so
in every reply.
"""

from __future__ import annotations

import errno
import json
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from replan_agent.domain.skill_effect import Effect, EffectKind

from .scripted_monitor import is_monitoring, opinion
from .scripted_pointing import is_pointing, point
from .scripted_reflection import explain, is_reflecting
from .scripted_stream import parts
from .scripted_tools import Call, Tools, read_tools

MODEL = 'fake-model'
SET_GOAL = 'set_goal'
SAYS = 'scripted rules, no language model'
# A request in, tool calls out; or the whole body of the reply.
Rules = Callable[[Mapping[str, Any]], Sequence[Call] | Mapping[str, Any]]


def no_plan(request: Mapping[str, Any]) -> Sequence[Call]:
    """A scripted model without rules for planning answers such a request with 400."""
    raise ValueError('there are no rules for planning here')


def scripted(plan: Rules = no_plan) -> Rules:
    """The rules for every kind of request; `plan` answers those for a new plan."""
    def answer(request: Mapping[str, Any]) -> Sequence[Call] | Mapping[str, Any]:
        if is_monitoring(request):
            return opinion(request)
        if is_reflecting(request):
            return explain(request)
        return point(request) if is_pointing(request) else plan(request)

    return answer


WITHOUT_PLANS = scripted()


class Misbehaviour(str, Enum):
    """Every known way in which endpoints fail."""

    HTTP_400 = 'http_400'
    HTTP_401 = 'http_401'
    HTTP_404 = 'http_404'
    HTTP_429 = 'http_429'
    HTTP_500 = 'http_500'
    HANG = 'hang'
    TRICKLE = 'trickle'
    STALL = 'stall'
    CUT_OFF = 'cut_off'
    RESET = 'reset'
    HTML = 'html'
    BROKEN_JSON = 'broken_json'
    NOT_A_COMPLETION = 'not_a_completion'
    EMPTY_CHOICES = 'empty_choices'
    REFUSAL = 'refusal'
    TRUNCATED = 'truncated'
    BAD_ARGUMENTS = 'bad_arguments'
    PROSE = 'prose'
    UNKNOWN_SKILL = 'unknown_skill'
    UNKNOWN_OBJECT = 'unknown_object'
    NAN = 'nan'
    FALSE_DONE = 'false_done'


class FakeModelServer:
    """A server on 127.0.0.1 that runs from `start` to `close` (or as a context manager).

    The n-th request is answered with the n-th misbehaviour, later ones properly. `requests` keeps
    the received bodies. Port 0 means any free port. Answers come in parts if the request asks for
    that, unless `streams` is False. `disconnected` is set when a client leaves a hanging request.
    """

    name = MODEL

    def __init__(self, misbehave: Iterable[Misbehaviour | str] = (), port: int = 0,
                 rules: Rules = WITHOUT_PLANS, retry_after: str = '0', key: str = '',
                 streams: bool = True) -> None:
        self.misbehave: list[Misbehaviour | str] = [Misbehaviour(kind) for kind in misbehave]
        self.rules = rules
        self.retry_after = retry_after
        self.key = key  # if set, requests without it get 401
        self.requests: list[dict[str, Any]] = []
        self.streams = streams
        self.closing = threading.Event()
        self.disconnected = threading.Event()
        self._http = _Server(('127.0.0.1', port), _Handler)
        self._http.fake = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def base_url(self) -> str:
        return f'http://127.0.0.1:{self._http.server_address[1]}/v1'

    def start(self) -> FakeModelServer:
        self._thread.start()
        return self

    def close(self) -> None:
        self.closing.set()
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
        self._http.server_close()

    def __enter__(self) -> FakeModelServer:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.close()

    def next_misbehaviour(self) -> Misbehaviour | None:
        return Misbehaviour(self.misbehave.pop(0)) if self.misbehave else None


def serve(port: int, misbehave: Iterable[Misbehaviour | str] = (), rules: Rules = WITHOUT_PLANS
          ) -> int:
    """Run until interrupted. Returns the exit status: 0, or 2 if the port is not available."""
    try:
        fake = FakeModelServer(misbehave, port, rules)
    except OSError as error:
        why = ('another program uses this port; name another, or --port 0 for any that is free'
               if error.errno == errno.EADDRINUSE else error.strerror)
        print(f'replan-agent: --port {port}: {why}', file=sys.stderr)
        return 2
    with fake as server:
        try:
            print(f'{MODEL} ({SAYS}) at {server.base_url}; stop with Ctrl-C\n'
                  f'  replan-agent run "put the red cube in the bowl" --planner vlm '
                  f'--model {MODEL} --base-url {server.base_url}', flush=True)
            server.closing.wait()
        except KeyboardInterrupt:
            print()
    return 0


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    fake: FakeModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """The client has disconnected: some tests do that on purpose."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = 'HTTP/1.1'
    server_version = 'replan_agent-fake-model'

    def do_GET(self) -> None:
        if self.path.rstrip('/') == '/v1/models':
            self._send({'object': 'list', 'data': [{'id': MODEL, 'object': 'model'}]})
        else:
            self._error(404, f'no such path; there are /v1/models and {_PATH}')

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        if self.path.rstrip('/') != _PATH:
            self._error(404, f'no such path; there is {_PATH}')
            return
        fake = self.server.fake
        if fake.key and self.headers.get('Authorization') != f'Bearer {fake.key}':
            # As careless as a server can be: the message contains the key.
            self._error(401, f'incorrect key: {self.headers.get("Authorization")}')
            return
        try:
            request = json.loads(body)
        except ValueError:
            self._error(400, 'the request is not valid JSON')
            return
        fake.requests.append(request)
        kind = fake.next_misbehaviour()
        if kind is None:
            self._answer_by_rules(request)
        else:
            self._misbehave(kind, request)

    def _answer_by_rules(self, request: Mapping[str, Any]) -> None:
        try:
            calls = self.server.fake.rules(request)
        except (KeyError, TypeError, ValueError, StopIteration) as error:
            self._error(400, f'{MODEL} plans for replan_agent only ({SAYS}): {error!r}')
            return
        body = calls if isinstance(calls, Mapping) else in_form(calls, request)
        if request.get('stream') and self.server.fake.streams and _is_completion(body):
            self._stream(list(parts(body, _wants_usage(request))))
            self.close_connection = True
        else:
            self._send(body)

    def _misbehave(self, kind: Misbehaviour, request: Mapping[str, Any]) -> None:
        if kind.value.startswith('http_'):
            self._error(int(kind.value[5:]), f'misbehaves on request: {kind.value}')
        elif kind is Misbehaviour.HANG:
            self._hang()
        elif kind in (Misbehaviour.STALL, Misbehaviour.CUT_OFF):
            self._stream(list(parts(completion([], 'I think that the first thing to do is')))[:3])
            if kind is Misbehaviour.STALL:
                self._hang()
            self.close_connection = True
        elif kind is Misbehaviour.TRICKLE:
            self._trickle()
        elif kind is Misbehaviour.RESET:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                       struct.pack('ii', 1, 0))
            self.connection.close()
            self.close_connection = True
        elif kind is Misbehaviour.HTML:
            self._send('<html><body><h1>Welcome to the proxy</h1></body></html>', 'text/html')
        elif kind is Misbehaviour.BROKEN_JSON:
            self._send('{"choices": [{"message": {"content": "I will')
        else:
            self._send(wrong_reply(kind, read_tools(request)))

    def _hang(self) -> None:
        """Say nothing more until the client leaves or the server ends."""
        self.connection.settimeout(0.02)
        while not self.server.fake.closing.is_set():
            try:
                if not self.connection.recv(1):
                    self.server.fake.disconnected.set()
                    break
            except TimeoutError:
                pass
            except OSError:
                self.server.fake.disconnected.set()
                break
        self.close_connection = True

    def _stream(self, events: Sequence[bytes]) -> None:
        self.send_response(200)
        self.send_header('Content-Type', 'text/event-stream')
        self.send_header('Connection', 'close')
        self.end_headers()
        for event in events:
            self.wfile.write(event)

    def _trickle(self) -> None:
        """Send a byte now and then, forever: no single read ever times out."""
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', '1000000')
        self.end_headers()
        try:
            while not self.server.fake.closing.wait(0.02):
                self.wfile.write(b' ')
        except OSError:
            pass  # the client has disconnected, as expected
        self.close_connection = True

    def _error(self, status: int, message: str) -> None:
        self._send({'error': {'message': message, 'type': SAYS}}, status=status)

    def _send(self, content: object, kind: str = 'application/json', status: int = 200) -> None:
        text = content if isinstance(content, str) else json.dumps(content)
        data = text.encode()
        self.send_response(status)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(data)))
        if status == 429:
            self.send_header('Retry-After', self.server.fake.retry_after)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: requests contain pictures and keys."""


_PATH = '/v1/chat/completions'


def _is_completion(body: object) -> bool:
    return isinstance(body, Mapping) and len(body.get('choices', ())) == 1


def _wants_usage(request: Mapping[str, Any]) -> bool:
    return bool((request.get('stream_options') or {}).get('include_usage'))


def completion(calls: Sequence[tuple[str, dict[str, Any] | str]], text: str | None = None,
               finish: str = 'tool_calls', **message: Any) -> dict[str, Any]:
    """The body of a reply with these tool calls."""
    tool_calls = [{'id': f'call_{i}', 'type': 'function', 'function': {
        'name': name, 'arguments': arguments if isinstance(arguments, str)
        else json.dumps(arguments)}} for i, (name, arguments) in enumerate(calls)]
    content = {'role': 'assistant', 'content': text, **message}
    if tool_calls:
        content['tool_calls'] = tool_calls
    return {'id': 'fake', 'object': 'chat.completion', 'created': 0, 'model': f'{MODEL} ({SAYS})',
            'choices': [{'index': 0, 'message': content, 'finish_reason': finish}],
            'usage': {'prompt_tokens': 0, 'completion_tokens': 0, 'total_tokens': 0}}


def in_form(calls: Sequence[Call], request: Mapping[str, Any]) -> dict[str, Any]:
    """The calls as the request wants them: as tool calls, or as one JSON object in the text."""
    if 'tools' in request:
        return completion(calls)
    goals = [goal for name, given in calls if name == SET_GOAL for goal in given['goals']]
    steps = [{'skill': name, **given} for name, given in calls if name != SET_GOAL]
    return completion([], json.dumps({'goals': goals, 'steps': steps}), finish='stop')


def wrong_reply(kind: Misbehaviour, tools: Tools) -> dict[str, Any]:
    """The body of a complete reply with wrong content."""
    wrong: Any = [1, 2]
    take, put_at = (tools.that(k) or 'a_tool' for k in (EffectKind.TAKE, EffectKind.PUT_AT))
    effect = tools.effects.get(take) or Effect(object='object')
    bodies: dict[Misbehaviour, dict[str, Any]] = {
        Misbehaviour.NOT_A_COMPLETION: {'detail': 'hello'},
        Misbehaviour.EMPTY_CHOICES: {**completion([]), 'choices': []},
        Misbehaviour.REFUSAL: completion([], refusal='I cannot help with robots.', finish='stop'),
        Misbehaviour.TRUNCATED: completion([], 'First, I would', finish='length'),
        Misbehaviour.BAD_ARGUMENTS: completion([(take, json.dumps(wrong))]),
        Misbehaviour.PROSE: completion([], 'I would pick the cube up.', finish='stop'),
        Misbehaviour.UNKNOWN_SKILL: completion([('fly', {'to': 'the moon'})]),
        Misbehaviour.UNKNOWN_OBJECT: completion([(take, effect.arguments(object='unicorn'))]),
        Misbehaviour.NAN: completion([(put_at, '{"x": NaN, "y": 1e999}')]),
        Misbehaviour.FALSE_DONE: completion([('done', {})]),
    }
    return bodies[kind]
