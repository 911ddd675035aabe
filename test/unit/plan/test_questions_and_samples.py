# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model's own question, and several plans that do not want the same."""

from __future__ import annotations

import itertools
import json
import re

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.chat import ChatReply, ModelError, ModelFailure, ToolCall
from replan_agent.domain.config import ConfigError, VLMConfig, WorkspaceConfig, build
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.plan.model.asking.answer_schema import plan_schema
from replan_agent.plan.model.asking.samples import Samples, aim
from replan_agent.plan.model.asking.ways import Asking
from replan_agent.plan.model.vlm import VLMPlanner
from replan_agent.plan.validation import PlanValidator

READER = build_reader()
CHECK = PlanValidator(WorkspaceConfig(), max_steps=20)
ONE = Samples()
OUTSIDE = 'show me something nice'  # the grammar does not understand this


class Saying:
    """A model that says these, again and again."""

    name = 'saying'

    def __init__(self, *said: ChatReply | ModelError) -> None:
        self.asked = 0
        self._said = itertools.cycle(said)

    def complete(self, messages, tools, ctx, form=None):
        self.asked += 1
        said = next(self._said)
        if isinstance(said, ModelError):
            raise said
        return said


def hold(name: str, *more: ToolCall) -> ChatReply:
    goal = {'goals': [{'predicate': 'holding', 'object': name}]}
    return ChatReply('', (ToolCall('set_goal', goal), *more, ToolCall('pick', {'object': name})))


def put(name: str, skill: str = 'place_on', **where: object) -> ChatReply:
    goal = {'goals': [{'predicate': 'on', 'object': name, 'target': 'table'}]}
    return ChatReply('', (ToolCall('set_goal', goal), ToolCall('pick', {'object': name}),
                          ToolCall(skill, where)))


@pytest.fixture
def plan(make_scene, skills):
    def plan(*said, task=OUTSIDE, asks=True, samples=ONE, **more):
        model = Saying(*said)
        planner = VLMPlanner(model, CHECK, READER, asking=Asking('tools', asks=asks),
                             samples=samples)
        return planner.plan(PlanRequest(task, make_scene(), skills, **more), Context()), model

    return plan


def ask(**arguments: object) -> ChatReply:
    return ChatReply('', (ToolCall('ask', arguments),))


def test_a_model_may_ask_with_candidates(plan):
    reply, model = plan(ask(question='Which\none?', candidates=['red_cube', 'blue_cube']))
    assert reply.kind is ReplyKind.ASK and model.asked == 1
    assert reply.detail.startswith('Which one?')
    assert reply.detail.endswith(': red_cube; blue_cube')


def test_a_person_sees_as_many_candidates_as_the_schema_of_an_answer_allows(plan, make_scene,
                                                                            skills):
    reply, _ = plan(ask(question='Which?', candidates=[f'cube_{n}' for n in range(20)]))
    schema = json.dumps(plan_schema(PlanRequest(OUTSIDE, make_scene(), skills), asks=True))
    assert f'"maxItems": {reply.detail.count("cube_")}' in schema


@pytest.mark.parametrize('arguments', [
    {}, {'question': 7, 'candidates': 'red'}, {'question': ' ', 'candidates': [None, 3]},
    {'question': 'x' * 9000, 'candidates': ['y' * 9000] * 500}])
def test_a_question_in_a_wrong_form_is_still_a_short_question(plan, arguments):
    reply, _ = plan(ask(**arguments))
    assert reply.kind is ReplyKind.ASK and reply.detail and len(reply.detail) < 10_000


def test_a_question_beside_steps_is_refused(plan):
    both = ChatReply('', (ToolCall('ask', {'question': 'Which?', 'candidates': []}),
                          ToolCall('pick', {'object': 'red_cube'})))
    reply, model = plan(both)
    assert reply.kind is ReplyKind.FAILED and reply.detail.startswith('ask ') and model.asked == 2


def test_a_question_that_may_not_be_asked_moves_nothing(plan):
    reply, _ = plan(ask(question='Which one?', candidates=[]), asks=False)
    assert reply.kind is ReplyKind.GIVE_UP and 'Which one?' in reply.detail


def test_plans_that_differ_become_a_question_with_the_candidates(plan):
    reply, model = plan(hold('red_cube'), hold('blue_cube'), samples=Samples(4, 0.7))
    assert reply.kind is ReplyKind.ASK and model.asked == 4 and not reply.steps
    assert re.findall(r'(\w+): [\w ]+\((2 of 4)\)', reply.detail) == [
        ('red_cube', '2 of 4'), ('blue_cube', '2 of 4')]


@pytest.mark.parametrize(('agreement', 'kind'), [(0.75, ReplyKind.STEPS), (0.8, ReplyKind.ASK)])
def test_the_threshold_decides(plan, agreement, kind):
    said = (hold('red_cube'), hold('red_cube'), hold('blue_cube'), hold('red_cube'))
    reply, _ = plan(*said, samples=Samples(4, agreement))
    assert reply.kind is kind
    if reply.steps:
        assert reply.steps[0].args == {'object': 'red_cube'} and '3 of 4' in reply.warnings[-1]


def test_plans_with_the_same_outcome_agree_whatever_the_way(plan):
    near = [put('red_cube', 'place_at', x=0.402, y=0.1), put('red_cube', 'place_at', x=0.398,
                                                             y=0.101)]
    looking = hold('red_cube', ToolCall('look'))
    for said in (near, [hold('red_cube'), looking]):
        assert plan(*said, samples=Samples(4, 1.0))[0].kind is ReplyKind.STEPS


def test_a_reply_without_a_plan_has_no_vote_but_counts(plan):
    prose = ChatReply('Well.')
    reply, _ = plan(hold('red_cube'), prose, prose, samples=Samples(2, 0.7))
    assert reply.kind is ReplyKind.ASK


def test_a_task_that_the_grammar_understands_is_not_sampled(plan):
    for task in ('pick up the red cube', 'pick up a cube'):
        reply, model = plan(hold('red_cube'), hold('blue_cube'), task=task, samples=Samples(5))
        assert reply.kind is ReplyKind.STEPS and model.asked == 1


def test_a_server_that_fails_ends_the_samples(plan):
    reply, model = plan(hold('red_cube'), ModelError(ModelFailure.AUTH, 'no'), samples=Samples(5))
    assert reply.kind is ReplyKind.TRANSPORT and model.asked == 2


def test_samples_need_a_temperature():
    with pytest.raises(ConfigError, match='temperature above 0'):
        build(VLMConfig, {'samples': 3, 'temperature': 0.0}, 'vlm')
    assert build(VLMConfig, {'samples': 3, 'temperature': 0.5}, 'vlm').samples == 3


def test_words_that_leave_it_open_are_asked_about_only_once(plan):
    first, model = plan(hold('red_cube'), task='pick up the cube')
    assert first.kind is ReplyKind.ASK and model.asked == 0
    then, _ = plan(hold('red_cube'), task='pick up the cube', context={'hints': ['the red one']})
    assert then.kind is ReplyKind.STEPS


def test_pushes_over_different_distances_are_different_ends(make_scene):
    push = SkillSpec('push', 'Push.', {}, ('object',), None, Effect(
        EffectKind.SHIFT, object='object', direction='direction', distance='distance'))
    request = PlanRequest(OUTSIDE, make_scene(), (push,))
    near, far, same = (aim(PlanReply(ReplyKind.STEPS, (Step(1, 'push', {
        'object': 'red_cube', 'direction': 'left', 'distance': m}),)), request)
        for m in (0.05, 0.2, 0.0501))
    assert near == same != far


def test_two_points_on_a_named_table_are_different_places(make_scene, skills):
    put_at = SkillSpec('put', 'Put.', {}, (), True, Effect(
        EffectKind.PUT_AT, target='target', x='x', y='y'))
    request = PlanRequest(OUTSIDE, make_scene(), (*skills, put_at))
    left, right = (aim(PlanReply(ReplyKind.STEPS, (
        Step(1, 'pick', {'object': 'red_cube'}),
        Step(2, 'put', {'target': 'table', 'x': 0.4, 'y': y}))), request) for y in (0.2, -0.2))
    assert left != right
