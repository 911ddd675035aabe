"""A planner's question goes to a person; without an answer the task ends and nothing moves."""

from __future__ import annotations

import pytest

from replan_agent.app.scripted_model import RULES
from replan_agent.domain.config import VLMConfig
from replan_agent.domain.event import HumanAsked
from replan_agent.domain.plan import PlanCause, PlanReply, ReplyKind
from replan_agent.domain.task_result import FinalReason
from replan_agent.plan.asking.ways import Asking
from replan_agent.plan.vlm import VLMPlanner
from replan_agent.vlm.client import ChatClient
from replan_agent.vlm.scripted.scripted_server import FakeModelServer

from .fakes import HOLDING, FakePerception, FakePlanner, Rig, cube, scene, step, steps
from .test_human import Asleep, Person
from .test_loop_with_model import BLUE, BOWL, CHECK, HELD, PLACED, RealSpecs

QUESTION = PlanReply(ReplyKind.ASK, detail='Which cube? It may mean: red_cube; blue_cube')
PLAN = steps(step('pick'), goals=[HOLDING])


def asked(person, *replies) -> tuple:
    rig = Rig(FakePlanner(*replies), perception=FakePerception(scene(), scene(held='red_cube')))
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


@pytest.mark.parametrize('mode', ['tools', 'json_schema', 'text'])
def test_an_ambiguous_task_is_done_after_the_answer_over_http(mode):
    pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")
    person = Person('put the red cube in the bowl')
    with FakeModelServer(rules=RULES) as server:
        client = ChatClient(VLMConfig(server.base_url, 'fake-model'), {})
        planner = VLMPlanner(client, CHECK, asking=Asking(mode, 'auto', asks=True))
        rig = Rig(planner, RealSpecs(), FakePerception(scene(cube(), BLUE, BOWL), HELD, PLACED),
                  check=CHECK)
        rig.ports |= {'human': person}
        result = rig.run('put the cube in the bowl')
        client.close()
    assert result.success and 'which one' in person.questions[0]
    assert [s.call for s in rig.skills.executed] == [
        "pick({'object': 'red_cube'})", "place_on({'target': 'bowl'})"]
    assert len(server.requests) == 1  # the words were the question: no model is needed for that
