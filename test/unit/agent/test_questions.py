# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planner's question goes to a person; without an answer the task ends and nothing moves."""

from __future__ import annotations

import pytest
from model_server import ModelServer, puts

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.config import AgentConfig, VLMConfig
from replan_agent.domain.event import HumanAsked
from replan_agent.domain.plan import PlanCause, PlanReply, ReplyKind
from replan_agent.domain.task_result import FinalReason
from replan_agent.plan.model.asking.ways import Asking
from replan_agent.plan.model.vlm import VLMPlanner
from replan_agent.vlm.client import ChatClient

from .fakes import (
    HOLDING,
    FakePerception,
    FakePlanner,
    FakeSkills,
    Rig,
    cube,
    scene,
    step,
    steps,
    unreachable,
)
from .test_human import TABLE, Asleep, Person
from .test_loop_with_model import BLUE, BOWL, CHECK, HELD, PLACED, RealSpecs

QUESTION = PlanReply(ReplyKind.ASK, detail='Which cube? It may mean: red_cube; blue_cube')
PLAN = steps(step('pick'), goals=[HOLDING])


def asked(person, *replies) -> tuple:
    questions = sum(reply.kind is ReplyKind.ASK for reply in replies)
    rig = Rig(FakePlanner(*replies), perception=FakePerception(
        *[scene()] * (1 + questions), scene(held='red_cube')))
    rig.ports |= {'human': person}
    return rig.run(), rig


@pytest.mark.parametrize('person', [None, Person(None), Person('no'), Asleep()])
def test_without_an_answer_the_task_ends_with_the_question_and_without_motion(person):
    result, rig = asked(person, QUESTION)
    assert result.final_reason is FinalReason.HUMAN_REQUIRED and not result.success
    assert QUESTION.detail in result.final_detail and rig.skills.executed == []
    assert len(rig.planner.requests) == 1 and result.replans == 0


def test_the_answer_is_a_hint_and_planning_goes_on():
    person = Person('the red one')
    result, rig = asked(person, QUESTION, PLAN)
    assert result.success and person.questions == [QUESTION.detail]
    assert rig.planner.requests[1].context['hints'] == ['the red one']
    assert result.plans[0].cause is PlanCause.HUMAN and result.replans == 0
    (event,) = [e for e in rig.recorder.events if isinstance(e, HumanAsked)]
    assert event.question == QUESTION.detail


def test_a_planner_may_ask_again():
    person = Person('the red one')
    result, _ = asked(person, QUESTION, QUESTION, PLAN)
    assert result.success and len(person.questions) == 2


def test_the_plan_after_an_answer_is_made_from_a_new_look():
    moved = scene(cube(x=0.4), n=2)
    rig = Rig(FakePlanner(QUESTION, PLAN), perception=FakePerception(
        scene(), moved, scene(held='red_cube')))
    rig.ports |= {'human': Person('the red one, I moved it')}
    assert rig.run().success
    assert [r.scene for r in rig.planner.requests] == [scene(), moved]


def test_a_planner_that_only_asks_comes_to_an_end():
    person = Person('the red one')
    result, rig = asked(person, QUESTION)
    most = rig.config.max_total_replans
    assert result.final_reason is FinalReason.HUMAN_REQUIRED
    assert len(person.questions) == result.total_replans == most
    assert f'max_total_replans={most}' in result.final_detail
    assert result.final_detail.endswith(QUESTION.detail)


def test_an_answer_to_the_planner_does_not_renew_the_new_plans_after_failures():
    person = Person('the red one')
    rig = Rig(FakePlanner(*[PLAN, QUESTION] * 9), FakeSkills(unreachable()),
              FakePerception(scene()), config=AgentConfig(
                  max_replans=2, max_total_replans=50, repeat_guard=False))
    rig.ports |= {'human': person}
    result = rig.run()
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED and result.replans == 2


@pytest.mark.parametrize(('held', 'put_down'), [('put_down', ['place_on']), ('hold', [])])
def test_what_is_held_is_put_down_before_the_planner_asks_if_the_settings_say_so(held, put_down):
    holds, free = scene(cube(), TABLE, held='red_cube'), scene(cube(), TABLE)
    rig = Rig(FakePlanner(QUESTION), perception=FakePerception(holds, free if put_down else holds),
              config=AgentConfig(human_held=held))
    rig.ports |= {'human': Person('no')}
    result = rig.run()
    assert [s.skill for s in rig.skills.executed] == put_down
    assert result.final_detail.endswith('; still holding red_cube') is not bool(put_down)


@pytest.mark.parametrize('mode', ['tools', 'json_schema', 'text'])
def test_an_ambiguous_task_is_done_after_the_answer_over_http(mode):
    pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")
    person = Person('put the red cube in the bowl')
    with ModelServer(rules=puts) as server:
        client = ChatClient(VLMConfig(server.base_url, 'fake-model'), {})
        planner = VLMPlanner(client, CHECK, build_reader(), asking=Asking(mode, 'auto', asks=True))
        rig = Rig(planner, RealSpecs(), FakePerception(*[scene(cube(), BLUE, BOWL)] * 2, HELD,
                                                       PLACED), check=CHECK)
        rig.ports |= {'human': person}
        result = rig.run('put the cube in the bowl')
        client.close()
    assert result.success and 'which one' in person.questions[0]
    assert [s.call for s in rig.skills.executed] == [
        "pick({'object': 'red_cube'})", "place_on({'target': 'bowl'})"]
    assert len(server.requests) == 1  # the words were the question: no model is needed for that
