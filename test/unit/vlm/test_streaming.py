# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Streamed answers over real HTTP: put together, limited in time and size, cut off by a cancel."""

from __future__ import annotations

import json

import pytest
from model_server import completion

from replan_agent.domain.chat import ModelError, ModelFailure, ToolSpec, text_message
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.vlm import client as client_module
from replan_agent.vlm.bounded_http import LONGEST_ANSWER
from replan_agent.vlm.reply import parse_reply
from replan_agent.vlm.streamed import Streamed

ASK = (text_message('user', 'Hello?'),)
TOOL = ToolSpec('pick', 'Pick up.', {'type': 'object', 'properties': {}})
CALLS = [('pick', {'object': 'red_cube', 'description': 'take the red cube from the table'}),
         ('home', {})]


def complete(client, ctx=None):
    return client.complete(ASK, (TOOL,), ctx or Context())


def streamed(*events: object) -> bytes:
    lines = [e if isinstance(e, str) else f'data: {json.dumps(e)}' for e in events]
    stream = Streamed()
    for byte in '\n\n'.join(lines).encode():  # in the smallest parts that can come
        stream.feed(bytes([byte]))
    return stream.body()


def delta(finish: str | None = None, **content: object) -> dict:
    return {'choices': [{'index': 0, 'delta': content, 'finish_reason': finish}]}


def call(name: str = '', arguments: str = '', **more: object) -> dict:
    return {'function': {k: v for k, v in (('name', name), ('arguments', arguments)) if v}, **more}


def test_a_long_line_in_many_parts_is_not_copied_with_each_part():
    copied = []

    class Part(bytes):
        def __radd__(self, other):
            copied.append(len(other))
            return bytes(other) + bytes(self)

    event = f'data: {json.dumps(delta(content="x" * 5000, finish="stop"))}'.encode()
    stream = Streamed()
    for byte in event:
        stream.feed(Part([byte]))
    assert sum(copied) <= len(event)
    assert json.loads(stream.body())['choices'][0]['message']['content'] == 'x' * 5000


@pytest.mark.parametrize('streams', [True, False], ids=['in parts', 'in one piece'])
def test_an_answer_is_the_same_in_parts_and_in_one_piece(make_server, make_client, streams):
    server = make_server(rules=lambda request: completion(CALLS, 'I take it.'), streams=streams)
    reply = complete(make_client(server))
    assert server.requests[0]['stream'] is True
    assert [(c.name, c.arguments) for c in reply.tool_calls] == CALLS
    assert reply.text == 'I take it.' and 'prompt_tokens' in reply.usage


def test_a_server_that_refuses_to_stream_is_asked_again_without(make_server, make_client):
    def picky(request):
        if 'stream' in request:
            raise ValueError('unknown field: stream_options')
        return CALLS

    server = make_server(rules=picky)
    client = make_client(server)
    assert len(complete(client).tool_calls) == 2
    assert complete(client).tool_calls and len(server.requests) == 3


def test_the_first_token_has_its_own_time_limit(make_server, make_client):
    with pytest.raises(ModelError, match=r'vlm\.first_token_timeout=0\.2s'):
        complete(make_client(make_server('hang'), timeout=3600.0, first_token_timeout=0.2))


def test_a_model_that_has_begun_may_take_until_the_total_limit(make_server, make_client):
    with pytest.raises(ModelError, match=r'vlm\.timeout=3s'):
        complete(make_client(make_server('stall'), timeout=3.0, first_token_timeout=2.5))


@pytest.mark.parametrize('kind', ['hang', 'stall'])
def test_a_cancel_cuts_the_request_and_the_server_sees_it(make_server, make_client, kind):
    server, token = make_server(kind), CancelToken()

    def now() -> float:
        if server.requests:
            token.cancel()
        return 0.0

    with pytest.raises(Cancelled):
        complete(make_client(server, timeout=3600.0, first_token_timeout=3600.0),
                 Context(token, now=now))
    assert server.disconnected.wait(10.0)


def test_a_slow_answer_is_reported_with_its_time_and_tokens(make_server, make_client, monkeypatch):
    monkeypatch.setattr(client_module, 'REPORT_S', 0.05)
    heard: list[str] = []
    with pytest.raises(ModelError):
        complete(make_client(make_server('stall'), timeout=0.5), Context(report=heard.append))
    assert heard and all(text.startswith('the model is thinking: 0 s, ') for text in heard)
    assert heard[-1].endswith(', 2 tokens')


def test_a_stream_without_end_is_read_up_to_the_limit(make_server, make_client):
    server = make_server(rules=lambda request: completion([], 'x' * (LONGEST_ANSWER // 10)))
    with pytest.raises(ModelError, match='longer than 2 MB') as caught:
        complete(make_client(server))
    assert caught.value.reason is ModelFailure.NOT_A_COMPLETION


def test_parts_of_several_calls_do_not_mix():
    body = streamed(
        delta(tool_calls=[call('pick', '{"obj', index=0, id='a')]),
        delta(tool_calls=[call('home', '{', index=1, id='b')]),
        delta(tool_calls=[call(arguments='ect": "cup"}', index=0)]),
        delta(tool_calls=[call(arguments='}', index=1)]), delta('tool_calls'), 'data: [DONE]')
    assert [(c.name, c.arguments) for c in parse_reply(body.decode()).tool_calls] == [
        ('pick', {'object': 'cup'}), ('home', {})]


@pytest.mark.parametrize('index', [{'index': 0}, {}], ids=['the same index', 'no index'])
def test_calls_that_a_server_does_not_number_are_told_apart_by_their_ids(index):
    body = streamed(delta(tool_calls=[call('pick', '{"object": "cup"}', id='a', **index)]),
                    delta('stop', tool_calls=[call('home', '{}', id='b', **index)]))
    assert [c.name for c in parse_reply(body.decode()).tool_calls] == ['pick', 'home']


def test_comments_thoughts_and_other_choices_are_no_part_of_the_reply():
    other = {'choices': [{'index': 1, 'delta': {'content': 'no'}}]}
    body = streamed(': keep-alive', 'event: message', delta(reasoning_content='hm'), other,
                    delta(content='yes'), delta('stop'),
                    {'choices': [], 'usage': {'prompt_tokens': 7}}, 'data: [DONE]')
    reply = parse_reply(body.decode())
    assert reply.text == 'yes' and reply.usage == {'prompt_tokens': 7}


@pytest.mark.parametrize(('events', 'reason'), [
    ([delta(content='First')], ModelFailure.CONNECTION),
    ([delta(content='First'), 'data: {"choi'], ModelFailure.NOT_JSON),
    ([delta(content='First'), {'error': {'message': 'out of memory'}}],
     ModelFailure.NOT_A_COMPLETION),
    ([delta(content='First'), 'error: {"code": 500, "message": "out of memory"}'],
     ModelFailure.NOT_A_COMPLETION),
    ([delta(content='First'), delta('length')], ModelFailure.TRUNCATED),
    ([delta('stop', tool_calls=[call(arguments='{}', index=0)])], ModelFailure.BAD_TOOL_ARGUMENTS),
    (['data: [DONE]', delta(content='late')], None),
])
def test_a_stream_that_goes_wrong_is_a_typed_error(events, reason):
    if reason is None:
        assert parse_reply(streamed(*events).decode()).text == ''
        return
    with pytest.raises(ModelError) as caught:
        parse_reply(streamed(*events).decode())
    assert caught.value.reason is reason
