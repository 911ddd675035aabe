# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""ASK: after `human_after` failed plans in a row a person is asked, and can help."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from replan_agent.domain.approval_request import Approval
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.context import DeadlineExceeded
from replan_agent.domain.event import HumanAnswered, HumanAsked, WarningRaised
from replan_agent.domain.plan import CompletedStep, PlanCause, PlanProblem, Step
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.pose import Pose
from replan_agent.domain.resume import Resume
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.skill import FailedStage, Reason, failed, succeeded
from replan_agent.domain.task_result import FinalReason

from .fakes import (
    HOLDING,
    FakeApprover,
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

PLAN = steps(step('pick'), goals=[HOLDING])
TABLE = SceneObject('table', Shape.TABLE, (1.0, 1.0, 0.1), Pose((0.5, 0.0, -0.05)), movable=False)


@dataclass
class Person:
    says: str | None
    questions: list[str] = field(default_factory=list)

    def hint(self, question, ctx) -> str | None:
        self.questions.append(question)
        return self.says


class Asleep:
    def hint(self, question, ctx) -> str | None:
        raise DeadlineExceeded('over')


def settings(**more) -> AgentConfig:
    return AgentConfig(**{'human_after': 2, 'max_replans': 9, 'max_total_replans': 9,
                          'repeat_guard': False, **more})


def stuck(person=None, *results, **more) -> Rig:
    """Picks fail as long as the results say; nothing is held."""
    results = results or (unreachable(),)
    rig = Rig(FakePlanner(PLAN), FakeSkills(*results), FakePerception(scene()),
              config=more.pop('config', settings()), **more)
    rig.ports |= {'human': person}
    return rig


def test_after_enough_failed_plans_the_task_ends_and_says_what_failed():
    rig = stuck()
    result = rig.run()
    assert result.final_reason is FinalReason.HUMAN_REQUIRED and not result.success
    assert len(rig.skills.executed) == 2 and result.attempts[-1].reason == 'unreachable'


def test_the_state_and_the_question_are_on_record():
    rig = stuck()
    rig.run()
    states = [e.state for e in rig.recorder.events if e.kind == 'state_changed']
    assert states[-2:] == ['human_required', 'failed']
    (asked,) = [e for e in rig.recorder.events if isinstance(e, HumanAsked)]
    assert 'unreachable' in asked.question and asked.holding == ''


def test_a_task_does_not_count_the_failures_of_another():
    config = settings(max_replans=0, human_after=2)
    for _ in range(3):
        assert stuck(config=config).run().final_reason is FinalReason.REPLAN_EXHAUSTED


def test_nobody_is_asked_before_the_replans_that_were_asked_for():
    result = stuck(Person('never asked'), config=AgentConfig(repeat_guard=False).allowing_replans(
        10)).run()
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED and result.replans == 10


def test_a_hint_goes_into_the_next_plan():
    rig = stuck(Person('push it nearer first'))
    rig.skills.results = [unreachable(), unreachable(), succeeded()]
    rig.perception.scenes = [scene()] * 3 + [scene(held='red_cube')]
    result = rig.run()
    assert result.success and result.hints == ('push it nearer first',)
    request = rig.planner.requests[-1]
    assert request.context['hints'] == ['push it nearer first']
    assert len(request.prior_attempts) == 2
    last = result.plans[-1]
    assert last.cause is PlanCause.HUMAN and last.reason.endswith(result.hints[0])
    assert any(isinstance(e, HumanAnswered) for e in rig.recorder.events)


def test_after_a_hint_the_agent_looks_again_although_it_had_looked_at_the_failure():
    missed = failed(Reason.GRASP_MISSED, 'nothing between the fingers', FailedStage.EXECUTION)
    rig = stuck(Person('I moved it'), missed, config=settings(human_after=1, max_step_retries=0))
    rig.run()
    after = rig.kinds()[rig.kinds().index('human_answered'):]
    assert 'scene_perceived' in after[:after.index('plan_requested')]


def test_a_hint_is_a_new_start_for_the_budgets():
    rig = stuck(Person('try again'), config=settings(max_replans=2, max_total_replans=2,
                                                     max_steps=6))
    assert rig.run().final_reason is FinalReason.MAX_STEPS
    assert len(rig.ports['human'].questions) == 3


@pytest.mark.parametrize('person', [None, Person(None), Person(''), Asleep()])
def test_without_an_answer_it_ends(person):
    result = stuck(person).run()
    assert result.final_reason is FinalReason.HUMAN_REQUIRED
    late = 'nobody answered within human_timeout=300s' in result.final_detail
    assert late is isinstance(person, Asleep)


def holding(**more) -> Rig:
    """The second of two steps fails, so that the cube is in the gripper when a person is asked."""
    plan = steps(step('pick'), step('place_in', 2, target='bowl'), goals=[HOLDING])
    failing = failed(Reason.TARGET_OCCUPIED, 'the bowl is full')
    rig = Rig(FakePlanner(plan, steps(step('place_in', 1, target='bowl'))),
              FakeSkills(succeeded(), failing, failing, succeeded()),
              FakePerception(scene(cube(), TABLE), *[scene(cube(), TABLE, held='red_cube')] * 3,
                             scene(cube(), TABLE)),
              config=settings(human_held='put_down'), **more)
    return rig


def test_what_is_held_is_put_down_before_a_person_is_asked():
    rig = holding()
    result = rig.run()
    assert result.final_reason is FinalReason.HUMAN_REQUIRED
    assert rig.skills.executed[-1].skill == 'place_on'
    assert rig.skills.executed[-1].args == {'target': 'table'}
    assert 'still holding' not in result.final_detail
    [own] = result.plans[-1].adaptations
    assert (own.cause, own.steps) == (PlanCause.HUMAN, (rig.skills.executed[-1],))
    assert result.steps[-1].local_state == 'put_down'


def test_holding_is_the_other_choice_and_is_said():
    rig = holding()
    rig.config = settings(human_held='hold')
    result = rig.run()
    assert result.final_detail.endswith('; still holding red_cube')
    assert rig.skills.executed[-1].skill == 'place_in'


def warnings(rig: Rig) -> list[str]:
    return [e.message for e in rig.recorder.events if isinstance(e, WarningRaised)]


def test_putting_down_is_validated_like_any_plan():
    rig = holding(check=lambda plan, scene, skills: (
        [PlanProblem(Reason.WORKSPACE_VIOLATION, 'outside')] if plan.planner == 'agent' else []))
    rig.perception.scenes.pop()
    result = rig.run()
    assert result.final_reason is FinalReason.HUMAN_REQUIRED
    assert rig.skills.executed[-1].skill == 'place_in', 'nothing moved'
    (warning,) = warnings(rig)
    assert warning.startswith('red_cube') and warning.endswith('outside')
    assert result.final_detail.endswith('holding red_cube')


class DeniesTheAgent(FakeApprover):
    def approve(self, request, ctx):
        self.approved = request.plan.planner != 'agent'
        return super().approve(request, ctx)


def test_a_denied_put_down_leaves_it_in_the_gripper_and_still_asks():
    rig = holding(approver=DeniesTheAgent())
    rig.perception.scenes.pop()
    assert rig.run().final_reason is FinalReason.HUMAN_REQUIRED
    (warning,) = warnings(rig)
    assert warning.startswith('red_cube') and warning.endswith('said no')


class ChangesThePutDown(FakeApprover):
    """Wants each first put-down to be changed."""

    def __init__(self, wish: str) -> None:
        super().__init__()
        self.wishes = [wish]

    def approve(self, request, ctx):
        answer = super().approve(request, ctx)
        if request.plan.planner != 'agent' or not self.wishes:
            return answer
        return Approval(False, 'Ada', edit=self.wishes.pop())


def test_a_put_down_can_be_slower():
    rig = holding(approver=ChangesThePutDown('slower'))
    result = rig.run()
    assert result.final_reason is FinalReason.HUMAN_REQUIRED
    assert rig.skills.executed[-1].skill == 'place_on'
    assert rig.skills.executed[-1].args == {'target': 'table', 'speed': 0.5}
    assert [p.steps[0].args.get('speed') for p in rig.approver.plans[-2:]] == [None, 0.5]


@pytest.mark.parametrize('wish', ['without step 1', 'hold it for me'])
def test_another_wish_about_a_put_down_leaves_it_in_the_gripper_and_still_asks(wish):
    rig = holding(approver=ChangesThePutDown(wish))
    rig.perception.scenes.pop()
    result = rig.run()
    assert result.final_reason is FinalReason.HUMAN_REQUIRED
    (warning,) = warnings(rig)
    assert warning.startswith('red_cube') and warning.endswith(wish)
    assert result.final_detail.endswith('holding red_cube')


def test_a_stop_while_putting_down_ends_the_task_as_stopped():
    rig = holding()
    rig.skills.results[-1] = failed(Reason.STOPPED, 'someone pressed stop')
    assert rig.run().final_reason is FinalReason.STOPPED


def test_a_failed_put_down_is_an_attempt_and_not_what_the_person_is_asked_about():
    rig = holding()
    rig.skills.results[-1] = failed(Reason.IN_COLLISION, 'it bumped', contact=True)
    rig.perception.scenes.pop()
    result = rig.run()
    assert [a.skill for a in result.attempts] == ['place_in', 'place_in', 'place_on']
    assert 'place_in' in result.final_detail and 'it bumped' not in result.final_detail
    assert result.final_detail.endswith('holding red_cube')


def test_a_camera_that_fails_after_the_put_down_does_not_undo_it():
    rig = holding()
    rig.perception.scenes[-1] = PerceptionError('dark')
    result = rig.run()
    assert result.final_reason is FinalReason.PERCEPTION_LOST
    assert not any('red_cube' in warning for warning in warnings(rig))


def test_the_result_counts_every_replan_also_those_before_a_hint():
    rig = stuck(Person('try'), unreachable(), unreachable(), unreachable(), succeeded())
    rig.perception.scenes = [scene()] * 4 + [scene(held='red_cube')]
    result = rig.run()
    assert result.success and len(rig.planner.requests) == 4
    assert (result.replans, result.total_replans) == (2, 3)


def test_a_first_slip_after_a_resumption_is_as_any_first_slip():
    slip = failed(Reason.GRASP_SLIPPED, 'it slipped', FailedStage.POSTCONDITION,
                  closed_width=0.04, gripper_width=0.0)
    first = stuck(None, slip, config=settings(adapt_retries=False)).run()
    assert len(first.attempts) > 2
    rig = Rig(FakePlanner(PLAN), FakeSkills(slip, succeeded()),
              FakePerception(scene(), scene(), scene(held='red_cube')))
    result = rig.run(resume=Resume(first.attempts, (), first.goals, ('hold it firmly',)))
    assert result.success and len(rig.planner.requests) == 1


def test_a_resumed_task_knows_what_failed_what_is_done_and_what_a_person_says():
    first = stuck().run()
    looked = CompletedStep(Step(1, 'look'))
    resume = Resume(first.attempts, (looked,), first.goals, ('it is behind the bowl',))
    rig = Rig(FakePlanner(PLAN))
    result = rig.run(resume=resume)
    assert result.success
    request = rig.planner.requests[0]
    assert request.prior_attempts == tuple(
        replace(attempt, plan_version=0) for attempt in first.attempts)  # of no plan of this run
    assert request.completed == (looked,)
    assert request.context['hints'] == ['it is behind the bowl']
    assert request.goals == first.goals
    assert result.plans[0].reason.endswith(resume.hints[0])


@pytest.mark.parametrize('no', ['no', 'stop, do not move', 'nope'])
def test_a_no_to_the_question_ends_the_task(no):
    rig = stuck(Person(no))
    result = rig.run()
    assert result.final_reason is FinalReason.HUMAN_REQUIRED and no in result.final_detail
    assert len(rig.skills.executed) == 2
