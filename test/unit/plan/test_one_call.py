# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Questions beside the plan, to models that call no tools: over real HTTP, in every way."""

from __future__ import annotations

import json

import jsonschema
import pytest
from model_server import ModelServer, completion

from replan_agent.domain.chat import ToolSpec, text_message
from replan_agent.domain.config import VLMConfig
from replan_agent.domain.context import Context
from replan_agent.plan.model.asking.one_call import OneCall, way_of
from replan_agent.plan.model.asking.ways import Way
from replan_agent.vlm.client import ChatClient

pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")

TOOLS = (ToolSpec('not_visible', 'It is not there.', {
    'type': 'object', 'properties': {'reason': {'type': 'string'}}, 'required': ['reason']}),
    ToolSpec('point_at', 'It is here.', {'type': 'object', 'properties': {}}))
QUESTION = (text_message('system', 'You look.'), text_message('user', 'Where is it?'))
ANSWER = '```json\n{"name": "not_visible", "arguments": {"reason": "it is dark"}}\n```'


class Notes:
    def __init__(self, known):
        self.known = known

    def read(self):
        return self.known

    def write(self, way, pictures):
        raise AssertionError('only the planner finds out')


def asked(way: Way, said: str = ANSWER):
    """The reply, and what was sent."""
    with ModelServer(rules=lambda body: completion([], said, finish='stop')) as server:
        client = ChatClient(VLMConfig(server.base_url, 'm', max_retries=0), {})
        reply = OneCall(client, lambda: way).complete(QUESTION, TOOLS, Context())
        client.close()
    return reply, server.requests[0]


@pytest.mark.parametrize('way', [Way.JSON_SCHEMA, Way.JSON, Way.TEXT])
def test_a_call_that_is_written_is_a_call(way):
    reply, sent = asked(way)
    assert [(c.name, c.arguments) for c in reply.tool_calls] == [
        ('not_visible', {'reason': 'it is dark'})]
    assert 'tools' not in sent and '"not_visible"' in sent['messages'][0]['content']
    form = {Way.JSON_SCHEMA: 'json_schema', Way.JSON: 'json_object'}.get(way)
    assert sent.get('response_format', {}).get('type') == form
    assert sent['messages'][1]['content'] == [{'type': 'text', 'text': 'Where is it?'}]


def test_tools_are_asked_as_they_are():
    _, sent = asked(Way.TOOLS)
    assert [t['function']['name'] for t in sent['tools']] == ['not_visible', 'point_at']
    assert sent['messages'][0]['content'] == 'You look.'


def test_prose_is_no_call():
    reply, _ = asked(Way.TEXT, 'I think it is somewhere on the left.')
    assert not reply.tool_calls and 'on the left' in reply.text


def test_the_schema_allows_each_call_with_its_own_arguments():
    _, sent = asked(Way.JSON_SCHEMA)
    schema = sent['response_format']['json_schema']['schema']
    jsonschema.validate(json.loads(ANSWER.strip('`').removeprefix('json')), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({'name': 'fly', 'arguments': {}}, schema)


@pytest.mark.parametrize(('mode', 'known', 'way'), [
    ('json', ('text', True), Way.JSON), ('auto', ('text', True), Way.TEXT),
    ('auto', None, Way.TOOLS)])
def test_the_way_is_the_one_that_is_set_or_that_the_planner_found(mode, known, way):
    assert way_of(mode, Notes(known))() is way
