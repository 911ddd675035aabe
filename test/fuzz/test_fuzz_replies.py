# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whatever a model says: an answer of the right type, or a typed error with one short line."""

from __future__ import annotations

import json
from dataclasses import replace

import fuzz_values as fuzz
import pytest
from hypothesis import given
from hypothesis import strategies as st
from replan_agent_advice.model_monitor import ModelMonitor
from replan_agent_advice.model_reflection import ModelReflector
from replan_agent_pointing.pointer import Pointed, read_reply

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.chat import ChatReply, ModelError, ToolCall
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt
from replan_agent.domain.plan import Plan, PlanCause, PlanReply, PlanRequest, Step
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import FailureCase, Reflection
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import find_spec
from replan_agent.domain.task_view import Guidance, TaskView
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.model.vlm import VLMPlanner
from replan_agent.plan.validation import PlanValidator
from replan_agent.replan.diagnose.diagnosis import diagnose
from replan_agent.replan.monitor.rule_monitor import RuleMonitor
from replan_agent.replan.reflect.reflection import RuleReflector
from replan_agent.vlm.reply import parse_reply

pytestmark = pytest.mark.fuzz

SKILLS = standard_skills().specs()
CHECK = PlanValidator(WorkspaceConfig(), max_steps=20)
SCENE = Scene('s', 0.0, (
    SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0.0, -0.02)), movable=False),
    SceneObject('red_cube', Shape.BOX, (0.04,) * 3, Pose((0.5, 0.0, 0.02)), 'red'),
    SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.06), Pose((0.5, -0.3, 0.03)), 'white')), 'fake')
TOOLS = (*(spec.name for spec in SKILLS), 'set_goal', 'suggest_plan', 'done', 'give_up',
         '__replan__', 'explain_failure', 'report_problem', 'no_problem', 'point_at',
         'not_visible')
KEYS = st.one_of(fuzz.texts(), st.sampled_from(
    ('object', 'target', 'x', 'y', 'direction', 'distance', 'force', 'goals', 'predicate',
     'reason', 'root_cause', 'suggestion', 'changes', 'contributing_factors', 'guidance',
     'problem', 'box', 'point', 'text', 'done_when', 'description')))
STEPS = (Step(1, 'pick', {'object': 'red_cube'}), Step(2, 'place_in', {'target': 'bowl'}))
LONGEST_DETAIL = 6000  # one argument of a tool call may have 5,000 characters
BODY = {'choices': [{'message': {'content': 'Well.', 'tool_calls': [
    {'id': 'c', 'type': 'function', 'function': {
        'name': 'pick', 'arguments': '{"object": "red_cube"}'}}]}, 'finish_reason': 'stop'}],
    'model': 'm', 'usage': {'total_tokens': 3}}


def calls() -> st.SearchStrategy[list[tuple[str, object]]]:
    named = st.one_of(st.sampled_from(TOOLS), fuzz.texts())
    given_values = st.one_of(st.dictionaries(KEYS, fuzz.values(KEYS), max_size=4),
                             fuzz.values(KEYS))
    return st.lists(st.tuples(named, given_values), max_size=4)


def bodies() -> st.SearchStrategy[str]:
    """Bodies of answers: broken ones, changed ones, and right ones with any tool calls."""
    def body(given: tuple[list[tuple[str, object]], str]) -> str:
        tools = [{'type': 'function', 'function': {'name': name, 'arguments': json.dumps(values)}}
                 for name, values in given[0]]
        return json.dumps({'choices': [{'message': {'content': given[1], 'tool_calls': tools}}]})

    text = st.one_of(fuzz.texts(), fuzz.json_texts())
    return st.one_of(st.tuples(calls(), text).map(body), fuzz.changed(BODY).map(json.dumps),
                     fuzz.json_texts())


class Saying:
    """A model that answers with the next of some bodies, and with the last one from then on."""

    name = 'fuzzed'

    def __init__(self, *said: str) -> None:
        self.said = list(said)

    def complete(self, messages, tools, ctx) -> ChatReply:
        return parse_reply(self.said.pop(0) if len(self.said) > 1 else self.said[0])


@given(bodies())
def test_any_body_is_a_reply_or_a_model_error(body):
    reply = fuzz.result_or(ModelError, lambda: parse_reply(body))
    if reply is not None:
        assert all(isinstance(call, ToolCall) for call in reply.tool_calls)
        json.dumps(reply.as_dict(), allow_nan=False).encode()


@given(st.lists(bodies(), min_size=1, max_size=3))
def test_any_answer_to_a_planner_is_a_plan_or_says_why_not(said):
    request = PlanRequest('put the red cube in the bowl', SCENE, SKILLS)
    reply = VLMPlanner(Saying(*said), CHECK, build_reader()).plan(request, Context())
    assert isinstance(reply, PlanReply)
    for text in (reply.detail, *reply.warnings):
        fuzz.check_line(text, LONGEST_DETAIL)


@given(bodies())
def test_any_answer_about_a_failure_leaves_an_analysis(body):
    attempt = Attempt(0, 'pick', {'object': 'red_cube'}, 'grasp_slipped', 'it slipped')
    case = FailureCase(attempt, SCENE, STEPS[0], SCENE, (), find_spec(SKILLS, 'pick'))
    case = replace(case, attempt=replace(attempt, diagnosis=diagnose(case)))
    by_rules = RuleReflector().reflect(case, (), True, Context())
    found = ModelReflector(RuleReflector(), Saying(body)).reflect(case, (), True, Context())
    assert isinstance(found, Reflection) and (found == by_rules or found.by == 'fuzzed')
    fuzz.check_line(found.root_cause)


@given(bodies())
def test_any_answer_to_a_monitor_is_guidance_or_none_or_a_model_error(body):
    plan = Plan(1, 't', STEPS, (), PlanCause.INITIAL, None, 's', 'stub')
    view = TaskView('t', (), None, (SCENE,), (), (), SCENE, None, (), SKILLS)
    monitor = ModelMonitor(RuleMonitor(), Saying(body))
    said = fuzz.result_or(ModelError, lambda: monitor.review(plan, view, Context()))
    assert said is None or isinstance(said, Guidance)
    if said is not None:
        fuzz.check_line(said.text)


@given(bodies())
def test_any_answer_to_a_question_where_is_a_place_in_the_picture_or_an_error(body):
    reply = fuzz.result_or(ModelError, lambda: parse_reply(body))
    if reply is not None:
        found = fuzz.result_or(PerceptionError, lambda: read_reply(reply, 'the mug', 640, 480))
        assert found is None or isinstance(found, Pointed)


def steps() -> st.SearchStrategy[tuple[Step, ...]]:
    odd = st.one_of(fuzz.values(KEYS), st.binary(max_size=3), st.just(object()),
                    st.just({1: 2}), st.just(SCENE))
    skill = st.one_of(st.sampled_from(TOOLS), fuzz.texts(), odd)
    args = st.one_of(st.dictionaries(KEYS, odd, max_size=4), odd)
    return st.lists(st.builds(Step, st.integers(), skill, args), max_size=4).map(tuple)


@given(steps())
def test_any_plan_is_accepted_or_refused_in_sentences(made):
    plan = Plan(1, 't', made, (), PlanCause.INITIAL, None, 's', 'own')
    for problem in CHECK(plan, SCENE, SKILLS):
        fuzz.check_line(problem.detail)
