# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The client against a real HTTP server: every failure is one typed error."""

from __future__ import annotations

import builtins
import json
import logging
import socket

import pytest
from model_fixtures import KEY
from model_server import MISBEHAVIOURS, completion

from replan_agent.domain.chat import (
    ChatMessage,
    ImagePart,
    ModelError,
    ModelFailure,
    TextPart,
    ToolSpec,
    text_message,
)
from replan_agent.domain.config import ConfigError, VLMConfig
from replan_agent.domain.context import (
    BudgetExhausted,
    Cancelled,
    CancelToken,
    Context,
    DeadlineExceeded,
)
from replan_agent.vlm.client import ChatClient
from replan_agent.vlm.openai_errors import retry_after

ASK = (text_message('system', 'Be brief.'), text_message('user', 'Hello?'))
TOOL = ToolSpec('pick', 'Pick up.', {'type': 'object', 'properties': {}})
SETTLED = [('pick', {'object': 'red_cube'})]


def obey(request):
    return SETTLED


def complete(client, ctx=None, messages=ASK):
    return client.complete(messages, (TOOL,), ctx or Context())


def counting(limit: int = 100) -> tuple[Context, list[str]]:
    spent: list[str] = []

    def spend(what: str) -> None:
        if len(spent) >= limit:
            raise BudgetExhausted(what)
        spent.append(what)

    return Context(spend_call=spend), spent


class NotedWaits(CancelToken):
    """A token that records its waits and takes no time. `cancels` cancels it in the first wait."""

    def __init__(self, cancels: bool = False) -> None:
        super().__init__()
        self.cancels = cancels
        self.waits: list[float] = []

    def wait(self, timeout_s: float) -> bool:
        self.waits.append(timeout_s)
        if self.cancels:
            self.cancel()
        return self.cancelled


def once_asked(server, act):
    """A clock for a Context: it says 0 and calls `act` when the server has the first request."""
    def now() -> float:
        return act() or 0.0 if server.requests else 0.0

    return now


def test_tool_calls_come_back_in_order_as_objects(make_server, make_client):
    server = make_server(rules=lambda request: [*SETTLED, ('home', {})])
    reply = complete(make_client(server))
    assert [(c.name, c.arguments) for c in reply.tool_calls] == [
        ('pick', {'object': 'red_cube'}), ('home', {})]
    assert reply.model == 'a stand-in'


def test_the_request_is_what_compatible_servers_speak(make_server, make_client):
    server = make_server(rules=obey)
    picture = ChatMessage('user', (TextPart('look'), ImagePart(b'\x89PNG-bytes')))
    client = make_client(server, temperature=0.2, max_tokens=99, extra_body='{"top_k": 5}')
    complete(client, messages=(ASK[0], picture))
    sent = server.requests[0]
    assert sent['messages'][0] == {'role': 'system', 'content': 'Be brief.'}
    assert sent['messages'][1]['content'] == [
        {'type': 'text', 'text': 'look'},
        {'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,iVBORy1ieXRlcw=='}}]
    assert sent['tools'][0]['function'] == {
        'name': 'pick', 'description': 'Pick up.', 'parameters': TOOL.arguments}
    assert (sent['model'], sent['temperature'], sent['max_tokens'], sent['top_k']) == (
        'fake-model', 0.2, 99, 5)


def test_what_the_server_decides_is_not_sent(make_server, make_client):
    server = make_server(rules=obey)
    complete(make_client(server))
    assert set(server.requests[0]) == {'model', 'messages', 'tools', 'stream', 'stream_options'}
    complete(make_client(server, stream=False))
    assert set(server.requests[1]) == {'model', 'messages', 'tools'}


FAILURES = [
    ('http_400', ModelFailure.BAD_REQUEST, '400'),
    ('http_401', ModelFailure.AUTH, '401'),
    ('http_404', ModelFailure.NOT_FOUND, '404'),
    ('http_429', ModelFailure.RATE_LIMITED, '429'),
    ('http_500', ModelFailure.SERVER_ERROR, '500'),
    ('hang', ModelFailure.TIMEOUT, ''),
    ('trickle', ModelFailure.TIMEOUT, 'vlm.timeout=0.3s'),
    ('stall', ModelFailure.TIMEOUT, 'vlm.timeout=0.3s'),
    ('cut_off', ModelFailure.CONNECTION, 'before the reply was complete'),
    ('reset', ModelFailure.CONNECTION, 'no connection'),
    ('html', ModelFailure.NOT_JSON, 'Welcome to the proxy'),
    ('broken_json', ModelFailure.NOT_JSON, 'I will'),
    ('not_a_completion', ModelFailure.NOT_A_COMPLETION, 'no choices'),
    ('empty_choices', ModelFailure.EMPTY_CHOICES, 'empty'),
    ('refusal', ModelFailure.REFUSAL, 'I cannot help with robots'),
    ('truncated', ModelFailure.TRUNCATED, 'cut off'),
    ('bad_arguments', ModelFailure.BAD_TOOL_ARGUMENTS, 'must be a JSON object'),
]


@pytest.mark.parametrize(('kind', 'reason', 'words'), FAILURES)
def test_every_failure_of_an_endpoint_has_its_reason(make_server, make_client, kind, reason,
                                                     words):
    timeout = 0.3 if kind in ('hang', 'trickle', 'stall') else 5.0
    with pytest.raises(ModelError) as caught:
        complete(make_client(make_server(kind), timeout=timeout))
    assert caught.value.reason is reason and words in caught.value.detail
    assert KEY not in str(caught.value) and caught.value.detail


def test_the_failures_above_are_all_that_the_server_can_do():
    answered_well = {'prose', 'unknown_skill', 'unknown_object', 'nan', 'false_done'}
    assert {case[0] for case in FAILURES} | answered_well == MISBEHAVIOURS


def test_a_server_that_is_not_there_is_a_connection_failure(make_client):
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        port = probe.getsockname()[1]
    with pytest.raises(ModelError) as caught:
        complete(make_client(f'http://127.0.0.1:{port}/v1'))
    assert caught.value.reason is ModelFailure.CONNECTION
    assert f'127.0.0.1:{port}' in caught.value.detail


def test_numbers_that_are_not_finite_arrive_as_text(make_server, make_client):
    reply = complete(make_client(make_server('nan')))
    assert reply.tool_calls[0].arguments == {'x': 'NaN', 'y': '1e999'}


@pytest.mark.parametrize('kind', ['http_429', 'http_500', 'reset'])
def test_a_passing_failure_is_tried_again_and_each_request_is_counted(make_server, make_client,
                                                                      kind):
    server, (ctx, spent) = make_server(kind, kind, rules=obey), counting()
    assert complete(make_client(server, max_retries=2), ctx).tool_calls
    assert len(spent) == 3 == len(server.requests)


def test_retries_end(make_server, make_client):
    server, (ctx, spent) = make_server(*['http_500'] * 9), counting()
    with pytest.raises(ModelError, match='server_error'):
        complete(make_client(server, max_retries=2), ctx)
    assert len(spent) == 3


@pytest.mark.parametrize('kind', ['http_401', 'http_404', 'html', 'refusal'])
def test_what_will_not_pass_is_not_tried_again(make_server, make_client, kind):
    server = make_server(kind, rules=obey)
    with pytest.raises(ModelError):
        complete(make_client(server, max_retries=5))
    assert len(server.requests) == 1


def test_no_request_is_made_that_the_budget_does_not_cover(make_server, make_client):
    server, (ctx, _) = make_server('http_500', 'http_500', rules=obey), counting(limit=1)
    with pytest.raises(BudgetExhausted):
        complete(make_client(server, max_retries=5), ctx)
    assert len(server.requests) == 1


def test_the_wait_that_the_server_asks_for_is_kept(make_server, make_client):
    server, token = make_server('http_429', rules=obey, retry_after='30'), NotedWaits()
    assert complete(make_client(server, max_retries=1), Context(token)).tool_calls
    assert token.waits == [30.0] and len(server.requests) == 2


def test_without_such_a_wish_each_wait_is_twice_the_last_up_to_the_longest(make_server,
                                                                           make_client):
    server, token = make_server(*['http_500'] * 4, rules=obey), NotedWaits()
    complete(make_client(server, max_retries=4, retry_wait=1.0, max_retry_wait=5.0),
             Context(token))
    assert token.waits == [1.0, 2.0, 4.0, 5.0]


@pytest.mark.parametrize(('limit_s', 'settings'), [
    (5.0, {}), (float('inf'), {'max_retry_wait': 10.0}),
])
def test_a_wait_longer_than_allowed_fails_at_once(make_server, make_client, limit_s, settings):
    server, token = make_server('http_429', rules=obey, retry_after='40'), NotedWaits()
    ctx = Context(token, now=lambda: 0.0).within(limit_s)
    with pytest.raises(ModelError) as caught:
        complete(make_client(server, max_retries=3, **settings), ctx)
    assert token.waits == [] and len(server.requests) == 1
    assert caught.value.retry_after == 40 and 'asks to wait 40 s' in caught.value.detail


@pytest.mark.parametrize(('header', 'seconds'), [
    ('7', 7.0), ('0.5', 0.5), ('-3', 0.0), ('', None), ('soon', None), ('nan', None),
    ('Wed, 21 Oct 2015 07:28:00 GMT', 0.0),
])
def test_retry_after_is_read_in_all_its_forms(header, seconds):
    assert retry_after({'retry-after': header}) == seconds


@pytest.mark.parametrize('kind', ['hang', 'trickle', 'stall'])
def test_cancel_ends_a_call_that_has_no_answer_yet(make_server, make_client, kind):
    token, server = CancelToken(), make_server(kind, rules=obey)
    client = make_client(server, timeout=3600.0)  # what ends the call is the cancel
    with pytest.raises(Cancelled, match='enough'):
        complete(client, Context(token, now=once_asked(server, lambda: token.cancel('enough'))))
    assert len(server.requests) == 1
    assert complete(client).tool_calls  # the client is fit for the next call


def test_cancel_ends_the_wait_for_a_retry(make_server, make_client):
    server, token = make_server('http_429', retry_after='30'), NotedWaits(cancels=True)
    with pytest.raises(Cancelled):
        complete(make_client(server, max_retries=1), Context(token))
    assert token.waits == [30.0] and len(server.requests) == 1


def test_the_deadline_ends_a_call(make_server, make_client):
    server = make_server('hang')
    ctx = Context(now=once_asked(server, lambda: 2.0)).within(1.0)
    with pytest.raises(DeadlineExceeded):
        complete(make_client(server, timeout=3600.0), ctx)
    assert len(server.requests) == 1


def test_the_key_is_accepted_and_never_shown(make_server, make_client, caplog):
    caplog.set_level(logging.DEBUG)
    assert complete(make_client(make_server(rules=obey, key=KEY))).tool_calls
    client = make_client(make_server(key=KEY[::-1]))
    with pytest.raises(ModelError) as caught:  # this server echoes the key that it was sent
        complete(client)
    assert caught.value.reason is ModelFailure.AUTH and '***' in caught.value.detail
    assert caught.value.__cause__ is None
    for text in (str(caught.value), repr(caught.value), repr(client), caplog.text,
                 repr(vars(client)['_endpoint'])):
        assert KEY not in text


def test_a_key_in_a_reply_is_hidden(make_server, make_client):
    server = make_server(rules=lambda request: [('give_up', {'reason': f'your key is {KEY}'})])
    assert complete(make_client(server)).tool_calls[0].arguments == {'reason': 'your key is ***'}


def test_a_key_that_is_written_with_escapes_is_hidden_in_all_of_a_reply(
        make_server, make_client):
    body = json.dumps(completion([('KEY', {'KEY': ['KEY', {'a': 'KEY'}]})], 'it is KEY'))
    escaped = body.replace('KEY', ''.join(f'\\u{ord(c):04x}' for c in KEY))
    reply = complete(make_client(make_server(rules=lambda _: escaped)))
    assert reply.text == 'it is ***'
    assert [c.as_dict() for c in reply.tool_calls] == [
        {'name': '***', 'arguments': {'***': ['***', {'a': '***'}]}}]


@pytest.mark.parametrize('body', [
    json.dumps(completion([], refusal='not with KEY')),
    json.dumps(completion([('pick', '{"object": "KEY')]))], ids=['refusal', 'arguments'])
def test_a_key_with_an_escaped_slash_is_hidden_in_an_error(make_server, body):
    pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")
    written = body.replace('KEY', 'sk-test\\/0123456789')
    server = make_server(rules=lambda request: written)
    client = ChatClient(VLMConfig(server.base_url, 'm', 'K'), {'K': 'sk-test/0123456789'})
    with pytest.raises(ModelError, match=r'\*\*\*') as caught:
        complete(client)
    assert '0123456789' not in str(caught.value)
    client.close()


def test_a_picture_in_an_error_is_hidden(make_server, make_client):
    endpoint = vars(make_client(make_server()))['_endpoint']
    assert endpoint.shown('bad image data:image/png;base64,AAAABBBB!') == 'bad image (picture)!'


def test_control_characters_in_an_error_do_not_reach_the_terminal(make_server, make_client):
    endpoint = vars(make_client(make_server()))['_endpoint']
    assert endpoint.shown('go\x1b[2J away\n\tnow') == 'go\ufffd[2J away now'


def test_the_openai_key_goes_to_openai_only(make_server):
    pytest.importorskip('openai')
    server = make_server(rules=obey, key='no-key')
    client = ChatClient(VLMConfig(server.base_url, 'm', timeout=5.0), {'OPENAI_API_KEY': KEY})
    assert complete(client).tool_calls  # the server would have refused any other key


@pytest.mark.parametrize(('settings', 'environ', 'words'), [
    ({'model': ''}, {}, '--model'),
    ({'model': 'gpt'}, {}, 'OPENAI_API_KEY is not set'),
    ({'model': 'm', 'api_key_env': 'MY_KEY'}, {'OPENAI_API_KEY': KEY}, 'MY_KEY is not set'),
    ({'model': 'm', 'api_key_env': 'K'}, {'K': f'{KEY}\nx'}, 'characters that no key has'),
    ({'model': 'm', 'base_url': 'localhost:11434'}, {}, 'must look like'),
    ({'model': 'm', 'base_url': 'http://localhost:99999/v1'}, {}, "'http://localhost:99999/v1'"),
    ({'model': 'm', 'base_url': 'http://localhost:abc/v1'}, {}, "'http://localhost:abc/v1'"),
    ({'model': 'm', 'base_url': 'http://[::1/v1'}, {}, r"'http://\[::1/v1' is not an address"),
    ({'model': 'm', 'base_url': 'http://256.1.1.1/v1'}, {}, "'http://256.1.1.1/v1'"),
    ({'model': 'm', 'base_url': 'http://h\x1b/v1'}, {}, 'is not an address'),
    ({'model': 'm', 'base_url': f'http://me:{KEY}@host:abc/v1'}, {}, r"'\*{3}@host:abc/v1'"),
    ({'model': 'm', 'base_url': f'http://me:{KEY}@host/v1'}, {}, 'must not contain a password'),
    ({'model': 'm', 'base_url': 'http://h/v1', 'extra_body': '[]'}, {}, 'JSON object'),
    ({'model': 'm', 'base_url': 'http://h/v1', 'extra_body': '{'}, {}, 'not valid JSON'),
])
def test_settings_that_cannot_work_say_what_to_change(settings, environ, words):
    with pytest.raises(ConfigError, match=words) as caught:
        ChatClient(VLMConfig(**settings), environ)
    assert KEY not in str(caught.value)


def test_without_the_package_the_error_names_the_install_command(monkeypatch):
    real = builtins.__import__

    def without_openai(name, *args, **kwargs):
        if name == 'openai':
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, '__import__', without_openai)
    with pytest.raises(ConfigError, match=r'pip install .replan_agent\[vlm\]'):
        ChatClient(VLMConfig('http://localhost/v1', 'm'), {})


def test_a_picture_shows_neither_in_repr_nor_as_a_dict():
    picture = ImagePart(b'secret pixels')
    assert 'secret' not in repr(ChatMessage('user', (picture,)))
    assert 'secret' not in json.dumps(picture.as_dict()) and picture.as_dict()['bytes'] == 13
