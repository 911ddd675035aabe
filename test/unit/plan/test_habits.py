# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model's habits over real HTTP: one meaning is mended and said, two meanings are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from model_server import ModelServer, completion

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.config import VLMConfig, WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.model.reply.matching import object_name
from replan_agent.plan.model.vlm import TEXT_USED, VLMPlanner
from replan_agent.plan.validation import PlanValidator
from replan_agent.vlm.client import ChatClient

pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")

CHECK = PlanValidator(WorkspaceConfig(), max_steps=20)
SKILLS = standard_skills().specs()
TASK = 'put the red cube in the bowl'
PICK, PLACE = ('pick', {'object': 'red_cube'}), ('place_in', {'target': 'bowl'})
WANTED = [PICK, PLACE]
PLAN = [{'name': 'pick', 'arguments': {'object': 'red_cube'}},
        {'name': 'place_in', 'arguments': {'target': 'bowl'}}]


@pytest.fixture
def ask(make_scene):
    """The planner's reply to a model that gives these bodies or calls, and how often it asked."""

    def ask(*said: Any, task: str = TASK, held: str | None = None) -> tuple[PlanReply, int]:
        replies = list(said)
        with ModelServer(rules=lambda request: (
                replies.pop(0) if len(replies) > 1 else replies[0])) as server:
            client = ChatClient(VLMConfig(server.base_url, 'fake-model', max_retries=0), {})
            try:
                reply = VLMPlanner(client, CHECK, build_reader()).plan(
                    PlanRequest(task, make_scene(held=held), SKILLS), Context())
            finally:
                client.close()
            return reply, len(server.requests)

    return ask


def text(content: str) -> dict[str, Any]:
    return completion([], content, finish='stop')


def done(reply: PlanReply) -> list[tuple[str, dict[str, Any]]]:
    return [(step.skill, dict(step.args)) for step in reply.steps]


@pytest.mark.parametrize('said', [
    json.dumps(PLAN),
    f'Sure! Here is the plan:\n```json\n{json.dumps(PLAN, indent=2)}\n```\nLet me know!',
    f'<think>First [1] I could {{maybe}} pick.</think>\n{json.dumps({"plan": PLAN})}',
    json.dumps({'plan': {'steps': PLAN}}),
    json.dumps({'steps': [{'step': 1, 'skill': 'pick', 'args': {'object': 'red_cube'}},
                          {'step': 2, 'skill': 'place_in', 'args': {'target': 'bowl'}}]}),
    json.dumps({'tool_calls': [{'type': 'function', 'function': {
        'name': name, 'arguments': json.dumps(args)}} for name, args in WANTED]}),
    json.dumps([{'action': 'pick', 'action_input': {'object': 'red_cube'}},
                {'action': 'place_in', 'action_input': {'target': 'bowl'}}]),
    json.dumps([{'pick': {'object': 'red_cube'}}, {'place_in': {'target': 'bowl'}}]),
    '\n'.join(f'<tool_call>\n{json.dumps(call)}\n</tool_call>' for call in PLAN),
    "[{'name': 'pick', 'arguments': {'object': 'red_cube'}},"
    " {'name': 'place_in', 'arguments': {'target': 'bowl'},},]",
    '[{"name": "pick", "arguments": {"object": "red_cube"}}, // first\n'
    '{"name": "place_in", "arguments": {"target": "bowl"}},]',
    '**Plan**\n1. `pick(object="red_cube")`\n2. `place_in(target="bowl")`',
    'pick("red_cube")\nplace_in("bowl")',
    json.dumps({'plan': ['pick(object="red_cube")', 'place_in(target="bowl")']}),
], ids=['json', 'fenced', 'thoughts', 'nested', 'steps', 'openai', 'react', 'by_key', 'tags',
        'python', 'comments', 'lines', 'unnamed', 'written'])
def test_a_plan_in_the_text_is_read(ask, said):
    reply, asked = ask(text(said))
    assert done(reply) == WANTED and asked == 1 and TEXT_USED in reply.warnings


@pytest.mark.parametrize('said', [
    f'Option A: {json.dumps(PLAN)}\nOption B: {json.dumps(PLAN[::-1])}',
    'I would not call pick(object="red_cube") here, because it is fragile.',
    'First pick up the red cube, then put it into the bowl.',
    '<think>pick(object="red_cube")\nplace_in(target="bowl")</think>',
    json.dumps({'objects': [{'name': 'red_cube', 'shape': 'box'}]}),
])
def test_a_text_without_exactly_one_plan_is_no_plan(ask, said):
    reply, asked = ask(text(said))
    assert not reply.steps and asked == 2


@pytest.mark.parametrize(('call', 'said'), [
    (('pick', {'object': 'red cube'}), "object 'red cube' is 'red_cube'"),
    (('pick', {'object': 'the Red-Cube'}), "is 'red_cube'"),
    (('pick', {'object': '**red_cube**'}), "is 'red_cube'"),
    (('pick', {'object': ['red_cube']}), "is 'red_cube'"),
    (('pick', {'object': {'name': 'red_cube'}}), "is 'red_cube'"),
    (('pick', {'object_name': 'red_cube'}), "'object_name' is the argument 'object'"),
    (('pick', {'target': 'red_cube'}), "'target' is the argument 'object'"),
    (('pick', {'Object': 'red_cube'}), "'Object' is the argument 'object'"),
    (('pick', {'arguments': {'object': 'red_cube'}}), 'the arguments were inside'),
    (('pick', {'parameters': '{"object": "red_cube"}'}), 'the arguments were inside'),
    (('pick', {'object': 'red_cube', 'reasoning': 'it is near'}), 'it changes nothing'),
    (('functions.pick', {'object': 'red_cube'}), "'functions.pick' is pick"),
    (('Pick', {'object': 'red_cube'}), "'Pick' is pick"),
    (('pick', "{'object': 'red_cube',}"), ''),
    (('pick', json.dumps('{"object": "red_cube"}')), ''),
    (('pick', {'object': 'red_cube', 'force': None, 'grasp': None}), ''),
    (('pick', {'object': 'red_cube', 'description': None}), ''),
])
def test_a_slip_of_form_is_mended_and_said(ask, call, said):
    reply, asked = ask([call, PLACE])
    assert done(reply) == WANTED and asked == 1
    assert said in ' '.join(reply.warnings) and bool(said) == bool(reply.warnings)


@pytest.mark.parametrize(('skill', 'given', 'wanted'), [
    ('place_at', {'x': '0.4', 'y': '-0.1'}, {'x': 0.4, 'y': -0.1}),
    ('place_at', {'x': '40 cm', 'y': '100mm'}, {'x': 0.4, 'y': 0.1}),
    ('place_at', {'x': '0.4m', 'y': '\u22120.1'}, {'x': 0.4, 'y': -0.1}),
    ('place_at', {'x': 0.4, 'y': 0.1, 'yaw': '90 deg'}, {'x': 0.4, 'y': 0.1, 'yaw': 90.0}),
    ('place_at', {'x': 0.4, 'y': 0.1, 'yaw': '90°'}, {'x': 0.4, 'y': 0.1, 'yaw': 90.0}),
    ('place_at', {'x_m': 0.4, 'y_m': 0.1, 'angle': 90}, {'x': 0.4, 'y': 0.1, 'yaw': 90}),
    ('place_at', {'position': [0.4, 0.1]}, {'x': 0.4, 'y': 0.1}),
    ('place_at', {'position': {'x': 0.4, 'y': '0.1'}}, {'x': 0.4, 'y': 0.1}),
    ('place_at', {'object': 'red_cube', 'x': 0.4, 'y': 0.1}, {'x': 0.4, 'y': 0.1}),
    ('place_in', {'object': 'red cube', 'container': 'bowl'}, {'target': 'bowl'}),
    ('place_in', {'destination': 'Bowl'}, {'target': 'bowl'}),
    ('place_in', {'object': 'bowl'}, {'target': 'bowl'}),
])
def test_values_and_names_of_a_placement_are_mended(ask, skill, given, wanted):
    goal = ('set_goal', {'goals': [{'predicate': 'upright', 'object': 'red_cube'}]})
    reply, asked = ask([goal, PICK, (skill, given)], task='do the usual')
    assert done(reply) == [PICK, (skill, wanted)] and asked == 1
    assert reply.warnings


@pytest.mark.parametrize(('skill', 'given'), [
    ('push', {'object': 'red_cube', 'direction': 'Left', 'distance': '5 cm'}),
    ('push', {'object': 'red_cube', 'direction': 'leftwards', 'distance_m': 0.05}),
])
def test_a_choice_in_other_letters_is_mended(ask, skill, given):
    reply, _ = ask([(skill, given)], task='nudge it')
    assert done(reply) == [(skill, {'object': 'red_cube', 'direction': 'left', 'distance': 0.05})]


@pytest.mark.parametrize('call', [
    ('pick', {'object': 'cube'}),
    ('pick', {'object': 'red_cube or blue_cube'}),
    ('pick', {'object': ['red_cube', 'blue_cube']}),
    ('pick', {'target': 'red_cube', 'item': 'blue_cube'}),
    ('pick', {'object': 'red_cube', 'target': 'bowl'}),
    ('pick', {'object': 'red_cube', 'force': 'firm'}),
    ('pick', {'object': 'red_cube', 'turn': '0.4 m'}),
    ('pick', {'object': 'red_cube', 'force': '4,0'}),
    ('pik', {'object': 'red_cube'}),
])
def test_what_may_mean_two_things_goes_back_to_the_model(ask, call):
    reply, asked = ask([call, PLACE], [PICK, PLACE])
    assert done(reply) == WANTED and asked == 2


@pytest.mark.parametrize('given', [
    {'object': 'blue_cube', 'target': 'bowl'}, {'object': 'bowl', 'destination': 'table'},
    {'object': 'red_cube'}, {'x': 0.4, 'y': 0.1, 'target': 'bowl'}])
def test_a_placement_of_something_else_goes_back_to_the_model(ask, given):
    reply, asked = ask([PICK, ('place_in', given)], WANTED)
    assert done(reply) == WANTED and asked == 2


@pytest.mark.parametrize('goals', [
    [{'predicate': 'AT', 'object': 'red cube', 'x': '0.4', 'y': '10 cm', 'target': None,
      'viewpoint': None}],
    {'predicate': 'at', 'object': 'red_cube', 'x': 0.4, 'y': 0.1},
    json.dumps([{'predicate': 'at', 'object': 'red_cube', 'x': 0.4, 'y': 0.1}]),
])
def test_goals_are_mended_too(ask, goals):
    reply, asked = ask([('set_goal', {'goals': goals}), PICK, ('place_at', {'x': 0.4, 'y': 0.1})],
                       task='do the usual')
    assert reply.goals == (Goal(Predicate.AT, 'red_cube', position=(0.4, 0.1)),) and asked == 1


@pytest.mark.parametrize(('written', 'goal'), [
    ('in(red_cube, bowl)', Goal(Predicate.IN, 'red_cube', 'bowl')),
    ('not on("red cube", table)', Goal(Predicate.ON, 'red_cube', 'table', negated=True))])
def test_a_goal_written_as_a_call_is_read(ask, written, goal):
    reply, _ = ask([('set_goal', {'goals': [written]}), PICK, PLACE], task='do the usual')
    assert reply.goals == (goal,)


@pytest.mark.parametrize('call', [
    ('multi_tool_use.parallel', {'tool_uses': [
        {'recipient_name': f'functions.{name}', 'parameters': args} for name, args in WANTED]}),
    ('submit_plan', {'steps': PLAN})])
def test_a_whole_plan_in_one_call_is_unfolded(ask, call):
    reply, asked = ask([call])
    assert done(reply) == WANTED and asked == 1


def test_a_negation_as_text_is_not_lost(ask):
    goal = {'predicate': 'inside', 'object': 'red_cube', 'target': 'bowl', 'negated': 'true'}
    reply, _ = ask([('set_goal', goal), PICK, ('place_at', {'x': 0.4, 'y': 0.1})],
                   task='do the usual')
    assert reply.goals == (Goal(Predicate.IN, 'red_cube', 'bowl', negated=True),)


def test_what_follows_a_replan_is_dropped_and_said(ask):
    reply, asked = ask([PICK, PLACE, ('__replan__', {}), ('pick', {'object': 'blue_cube'}),
                        ('done', {})])
    assert [step.skill for step in reply.steps] == ['pick', 'place_in', '__replan__']
    assert asked == 1
    assert any('dropped after __replan__' in w and 'pick, done' in w for w in reply.warnings)


def test_a_refusal_in_prose_is_giving_up(ask):
    reply, asked = ask(text("I'm sorry, but I can't help with that."))
    assert reply.kind is ReplyKind.GIVE_UP and asked == 2
    assert "can't help" in reply.detail


def test_the_older_form_of_a_tool_call_is_read(ask):
    body = completion([], function_call={'name': 'look', 'arguments': '{}'}, finish='stop')
    assert done(ask(body, task='look around')[0]) == [('look', {})]


def test_two_objects_with_the_same_letters_are_not_guessed(make_scene, make_object):
    twins = make_scene(make_object('cube_1', 0.4, 0.1), make_object('cube1', 0.4, -0.1))
    assert object_name('cube 1', twins) is None
    assert object_name('cube_1', twins) == 'cube_1'
