# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a server may do to us, over real HTTP: answers without limit, redirects, our variables."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from model_fixtures import KEY
from model_server import completion

from replan_agent.domain.chat import ModelError, ModelFailure, text_message
from replan_agent.domain.context import Context
from replan_agent.vlm.bounded_http import LONGEST_ANSWER

GZIP = {'Content-Encoding': 'gzip'}


class Server:
    """Answers each request with the next of its answers: status, headers, body."""

    def __init__(self, *answers: tuple[int, dict[str, str], bytes]) -> None:
        self.answers = list(answers)
        self.seen: list[dict[str, str]] = []
        self._http = ThreadingHTTPServer(('127.0.0.1', 0), self._handler())
        self.base_url = f'http://127.0.0.1:{self._http.server_port}/v1'
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get('Content-Length', 0)))
                server.seen.append({k.lower(): v for k, v in self.headers.items()})
                status, headers, body = server.answers.pop(0)
                self.send_response(status)
                for name, value in {'Content-Length': str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:  # the client has had enough
                    self.close_connection = True

            do_GET = do_POST  # noqa: N815

            def log_message(self, *args: object) -> None:
                """Quiet."""

        return Handler

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator:
    made: list[Server] = []

    def make(*answers: tuple[int, dict[str, str], bytes]) -> Server:
        made.append(Server(*answers))
        return made[-1]

    yield make
    for one in made:
        one.close()


def reply(text: str = 'Hello.') -> bytes:
    return json.dumps({'choices': [{'message': {'content': text}, 'finish_reason': 'stop'}],
                       'model': 'm'}).encode()


def ask(client):
    return client.complete((text_message('user', 'Hello?'),), (), Context())


def failure(client) -> ModelError:
    with pytest.raises(ModelError) as caught:
        ask(client)
    return caught.value


def test_a_short_answer_may_be_packed(server, make_client):
    assert ask(make_client(server((200, GZIP, gzip.compress(reply()))))).text == 'Hello.'


@pytest.mark.parametrize('status', [200, 500])
@pytest.mark.parametrize('packed', [True, False])
def test_an_answer_without_end_is_read_up_to_the_limit(server, make_client, status, packed):
    body = reply(' ' * (10 * LONGEST_ANSWER if packed else LONGEST_ANSWER))
    headers, body = (GZIP, gzip.compress(body, 1)) if packed else ({}, body)
    error = failure(make_client(server((status, headers, body))))
    assert error.reason is ModelFailure.NOT_A_COMPLETION and 'longer than 2 MB' in error.detail


def test_an_encoding_that_was_not_asked_for_is_refused(server, make_client):
    error = failure(make_client(server((200, {'Content-Encoding': 'br'}, b'x'))))
    assert error.reason is ModelFailure.NOT_A_COMPLETION and 'br' in error.detail


@pytest.mark.parametrize('status', [301, 302, 303, 307, 308])
def test_a_redirect_to_another_server_is_not_followed(server, make_client, status):
    other = server((200, {}, reply()))
    there = {'Location': f'{other.base_url}/chat/completions'}
    error = failure(make_client(server((status, there, b'')), max_retries=2))
    assert error.reason is ModelFailure.BAD_REQUEST and 'another server' in error.detail
    assert other.seen == [] and other.base_url.rpartition('/')[0] in error.detail


def test_a_redirect_on_the_same_server_is_followed(server, make_client):
    one = server((307, {'Location': '/v2/chat'}, b''), (200, {}, reply()))
    assert ask(make_client(one)).text == 'Hello.' and len(one.seen) == 2
    assert one.seen[1]['authorization'] == f'Bearer {KEY}'


def test_redirects_in_a_circle_end(server, make_client):
    error = failure(make_client(server(*[(307, {'Location': '/v1'}, b'')] * 20)))
    assert error.reason is ModelFailure.BAD_REQUEST and 'redirects' in error.detail


def test_variables_for_openai_go_to_openai_only(server, make_client, monkeypatch):
    for name in ('OPENAI_ORG_ID', 'OPENAI_PROJECT_ID', 'OPENAI_API_KEY', 'OPENAI_ADMIN_KEY'):
        monkeypatch.setenv(name, 'secret-of-openai')
    monkeypatch.setenv('OPENAI_CUSTOM_HEADERS', 'X-Team: secret-of-openai')
    one = server((200, {}, reply()))
    ask(make_client(one))
    (seen,) = one.seen
    assert 'secret-of-openai' not in str(seen) and seen['authorization'] == f'Bearer {KEY}'


@pytest.mark.parametrize('arguments', [
    {'object': 'x' * 10_000}, {'points': [0] * 5000}, {'x' * 10_000: 1}])
def test_tool_arguments_of_any_length_are_refused(server, make_client, arguments):
    body = json.dumps(completion([('pick', arguments)], 'm')).encode()
    error = failure(make_client(server((200, {}, body))))
    assert error.reason is ModelFailure.BAD_TOOL_ARGUMENTS and len(error.detail) < 300
