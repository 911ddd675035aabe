# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""APPROVE in the loop: what is recorded, and what the approver gets."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from replan_agent.approve.adaptive import AdaptiveApprover
from replan_agent.approve.risk import PlanRisk
from replan_agent.arms.franka import PANDA
from replan_agent.domain.approval_request import Approval, RiskAssessment
from replan_agent.domain.config import AgentConfig, ApprovalConfig, Config, MotionConfig
from replan_agent.domain.context import CancelToken, Context
from replan_agent.domain.event import ApprovalDecided, ApprovalPending
from replan_agent.domain.plan import PlanReply, ReplyKind, Step
from replan_agent.domain.skill import FailedStage, Reason, failed, succeeded
from replan_agent.domain.task_result import FinalReason
from replan_agent.domain.task_view import RehearsalResult
from replan_agent.replan.reflect.reflection import RuleReflector

from .fakes import (
    HOLDING,
    FakeApprover,
    FakePerception,
    FakePlanner,
    FakeSkills,
    Rig,
    scene,
    step,
    steps,
    unreachable,
)

PLAN = steps(step('pick'), goals=[HOLDING])
SLIPPED = failed(Reason.GRASP_SLIPPED, 'it slipped', FailedStage.POSTCONDITION)
WEIGHED = RiskAssessment(0.6, 0.5, ('handles glass', 'threshold 0.50'))


class Asking:
    """An approver that asks a person. The person sees what is recorded so far."""

    def __init__(self, approved: bool = True) -> None:
        self.approved = approved
        self.rig: Rig | None = None
        self.seen: list[str] = []

    def approve(self, request, ctx) -> Approval:
        request.on_pending(WEIGHED)
        assert self.rig is not None
        self.seen = self.rig.kinds()
        return Approval(self.approved, 'Ada', 'as you like', WEIGHED.risk, WEIGHED.threshold,
                        WEIGHED.reasons)

    def report_outcome(self, success: bool) -> None:
        """Not interested."""


def asked(approved: bool = True) -> tuple[Rig, Asking]:
    approver = Asking(approved)
    rig = Rig(FakePlanner(PLAN), approver=approver)  # type: ignore[arg-type]
    approver.rig = rig
    return rig, approver


def test_that_a_plan_waits_is_recorded_before_the_person_answers():
    rig, approver = asked()
    rig.run()
    assert approver.seen[-2:] == ['state_changed', 'approval_pending']
    pending = next(e for e in rig.recorder.events if isinstance(e, ApprovalPending))
    assert (pending.plan_version, pending.risk, pending.reasons) == (1, 0.6, WEIGHED.reasons)


def test_the_state_says_that_approval_is_pending():
    rig, _ = asked()
    rig.run()
    states = [e.state for e in rig.recorder.events if e.kind == 'state_changed']
    assert states[2:5] == ['approving', 'pending_approval', 'executing']


@pytest.mark.parametrize('certain', [True, False])
def test_a_person_is_asked_whether_the_task_was_understood_unless_its_words_say_so(certain):
    approver = Asking()
    rig = Rig(FakePlanner(replace(PLAN, goals_certain=certain)), approver=approver)
    approver.rig = rig
    rig.run()
    pending = next(e for e in rig.recorder.events if isinstance(e, ApprovalPending))
    understood = [said for said in pending.reasons if said.startswith('I understood: ')]
    assert bool(understood) is not certain
    assert all(said.endswith('in the gripper. Right?') for said in understood)


def test_the_result_holds_every_decision_with_its_risk_and_reasons():
    rig, _ = asked()
    (decided,) = rig.run().as_dict()['approvals']
    assert decided == {'plan_version': 1, 'approved': True, 'approver': 'Ada', 'risk': 0.6,
                       'threshold': 0.5, 'detail': 'as you like',
                       'reasons': ['handles glass', 'threshold 0.50'], 'edit': '',
                       'request': 1, 'steps': [step('pick').as_dict()]}


def test_a_denied_plan_ends_the_task_with_nothing_moved_and_the_decision_on_record():
    rig, _ = asked(approved=False)
    result = rig.run()
    assert result.final_reason is FinalReason.APPROVAL_DENIED and not rig.skills.executed
    assert [a.approved for a in result.approvals] == [False]
    assert any(isinstance(e, ApprovalDecided) for e in rig.recorder.events)


def test_failure_and_success_are_reported_to_the_approver():
    rig = Rig(FakePlanner(PLAN), FakeSkills(unreachable(), succeeded()),
              config=AgentConfig(repeat_guard=False))
    assert rig.run().success
    assert rig.approver.outcomes == [False, True]


def test_a_plan_that_asks_for_another_look_did_not_fail():
    rig = Rig(FakePlanner(steps(step('look'), step('__replan__', 2)), PLAN))
    assert rig.run().success
    assert rig.approver.outcomes == [True]
    asked = [event.replan for event in rig.recorder.events if event.kind == 'plan_requested']
    assert asked == [0, 1]


def test_a_stop_is_a_failure_for_the_approver():
    rig = Rig(FakePlanner(PLAN), FakeSkills(failed(Reason.STOPPED, 'someone pressed stop')))
    rig.run()
    assert rig.approver.outcomes == [False]


def adaptive(**settings) -> AdaptiveApprover:
    config = Config(approval=ApprovalConfig(**settings))
    return AdaptiveApprover(PlanRisk(config, PANDA.home_tcp), config.approval, None)


def test_a_task_that_was_done_already_relaxes_nothing():
    approver = adaptive(threshold=0.3)
    approver.threshold.value = 0.2
    rig = Rig(FakePlanner(PlanReply(ReplyKind.DONE, goals=(HOLDING,))),
              approver=approver)  # type: ignore[arg-type]
    assert rig.run().final_reason is FinalReason.ALREADY_DONE
    assert approver.threshold.value == 0.2


def test_attempts_that_failed_make_the_next_plan_too_risky_to_run_alone():
    """Each failure adds risk and takes from the threshold, until they meet."""
    rig = Rig(FakePlanner(PLAN), FakeSkills(unreachable()),
              approver=adaptive(),  # type: ignore[arg-type]
              config=AgentConfig(repeat_guard=False, max_replans=9, max_total_replans=9,
                                 human_after=9))
    result = rig.run()
    assert result.final_reason is FinalReason.APPROVAL_DENIED
    assert [(a.approved, a.risk, a.threshold) for a in result.approvals] == [
        (True, 0.0, 0.5), (True, 0.15, 0.4), (True, 0.278, 0.3), (False, 0.386, 0.2)]


def test_the_threshold_holds_for_the_next_task():
    approver = adaptive()
    rig = Rig(FakePlanner(PLAN), FakeSkills(unreachable()),
              approver=approver,  # type: ignore[arg-type]
              config=AgentConfig(max_replans=0))
    rig.run()
    again = Rig(FakePlanner(PLAN), approver=approver).run()  # type: ignore[arg-type]
    assert again.approvals[0].threshold == 0.4


class Once:
    """A person who approves the first question and denies every later one."""

    def __init__(self) -> None:
        self.plans = []

    def approve(self, request, ctx):
        self.plans.append(request.plan)
        return Approval(len(self.plans) == 1, 'person', '' if len(self.plans) == 1 else 'no')

    def report_outcome(self, success):
        pass


@pytest.mark.parametrize('reflector', [RuleReflector(), None])
def test_nothing_moves_after_a_person_denies_a_retry_changed_or_not(reflector):
    person, skills = Once(), FakeSkills(SLIPPED, succeeded())
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), skills, FakePerception(scene()),
              approver=person, ports={'reflector': reflector})
    result = rig.run()
    assert result.final_reason is FinalReason.APPROVAL_DENIED and result.final_detail == 'no'
    assert len(skills.executed) == 1 and len(person.plans) == 2
    changed = 'force' in person.plans[1].steps[0].args
    assert changed is (reflector is not None)
    assert SLIPPED.reason_detail in person.plans[1].reason


def test_a_retry_is_asked_about_without_the_chance_from_before_the_failure():
    class Twin:
        def is_due(self, plan, scene):
            return True

        def rehearse(self, plan, scene, ctx):
            return RehearsalResult(True, 0.0, chance={'works': 15})

    chances = []

    class Asked(Once):
        def approve(self, request, ctx):
            chances.append(dict(request.chance))
            return super().approve(request, ctx)

    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), FakeSkills(SLIPPED, succeeded()),
              FakePerception(scene()), approver=Asked(), rehearsal=Twin())
    rig.run()
    assert chances == [{'works': 15}, {}]


def test_an_unchanged_retry_is_the_same_version_of_the_plan():
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), FakeSkills(SLIPPED, succeeded()),
              FakePerception(scene(), scene(), scene(held='red_cube')))
    result = rig.run()
    assert result.success and [plan.version for plan in result.plans] == [1]
    assert [decided.plan_version for decided in result.approvals] == [1, 1]


def test_retries_are_weighed_with_what_failed_before_them():
    """0.3 for a fast motion and 0.15 for each failure: above 0.5 from the third on."""
    config = Config(motion=MotionConfig(max_velocity_scaling_factor=0.8),
                    agent=AgentConfig(max_step_retries=9))
    person = FakeApprover(approved=False)
    skills = FakeSkills(*[SLIPPED] * 9)
    rig = Rig(FakePlanner(steps(step(), goals=[HOLDING])), skills, FakePerception(scene()),
              approver=AdaptiveApprover(PlanRisk(config, PANDA.home_tcp), config.approval, person),
              config=config.agent)
    assert rig.run().final_reason is FinalReason.APPROVAL_DENIED
    assert len(skills.executed) == 3 and person.asked == 1


def test_every_question_has_its_own_number_and_only_the_planners_first_one_is_the_first():
    asked_about = []

    class Noting(FakeApprover):
        def approve(self, request, ctx) -> Approval:
            asked_about.append((request.plan.version, request.number, request.is_first))
            return super().approve(request, ctx)

    rig = Rig(FakePlanner(PLAN), FakeSkills(SLIPPED, SLIPPED, succeeded()),
              FakePerception(scene(), scene(), scene(), scene(held='red_cube')),
              approver=Noting(), ports={'reflector': RuleReflector()})
    result = rig.run()
    assert asked_about == [(1, 1, True), (1, 2, False), (1, 3, False)]
    assert [(d.request, d.steps) for d in result.approvals] == [
        (1, rig.approver.plans[0].steps), (2, (rig.skills.executed[1],)),
        (3, (rig.skills.executed[2],))]
    assert len({step.call for d in result.approvals for step in d.steps}) > 1


def test_a_plan_that_waits_is_recorded_with_its_steps_and_the_number_of_the_question():
    rig, _ = asked()
    rig.run()
    pending = next(e for e in rig.recorder.events if isinstance(e, ApprovalPending))
    assert pending.request == 1 and pending.plan is not None
    assert pending.plan.steps == (step('pick'),)


def test_a_plan_that_waits_says_that_a_push_may_take_several_strokes():
    rig, _ = asked()
    rig.planner.replies = [steps(step('pick'), step('push', 2, object='red_cube',
                                                    direction='left'))]
    rig.run()
    pending = next(e for e in rig.recorder.events if isinstance(e, ApprovalPending))
    assert re.findall(r'\d+', pending.reasons[-1]) == ['2', '3']  # the step, and its strokes


def test_after_a_denial_or_a_wish_a_person_is_asked_about_every_plan():
    asked = []

    class Watching:
        def approve(self, request, ctx):
            asked.append(request.ask_person)
            return Approval(len(asked) > 1, 'fake', edit='' if len(asked) > 1 else 'take another')

        def report_outcome(self, success):
            pass

    plans = [steps(step(object='red_cube')), steps(step(object='blue_cube'))]
    Rig(FakePlanner(*plans), approver=Watching()).run()
    assert asked == [False, True]


def test_a_planner_cannot_change_the_steps_after_the_approval():
    args = {'object': 'red_cube'}

    class Yes:
        def approve(self, request, ctx):
            args['object'] = 'blue_cube'
            return Approval(True, 'fake')

        def report_outcome(self, success):
            pass

    rig = Rig(FakePlanner(steps(Step(1, 'pick', args))), approver=Yes())
    rig.run()
    assert [done.args['object'] for done in rig.skills.executed] == ['red_cube']


class Answering:
    """An approver whose answer is given; it may do something first."""

    def __init__(self, answer, first=lambda: None) -> None:
        self.answer, self.first = answer, first

    def approve(self, request, ctx):
        self.first()
        return self.answer

    def report_outcome(self, success):
        """Not interested."""


@pytest.mark.parametrize('yes', ['no', 'False', 'yes', 1, float('nan'), [False], None])
def test_only_true_approves(yes):
    rig = Rig(FakePlanner(PLAN), approver=Answering(Approval(yes, 'mine')))
    result = rig.run()
    assert result.final_reason is FinalReason.APPROVAL_DENIED and rig.skills.executed == []
    assert 'only True approves' in result.final_detail
    assert [decided.approved for decided in result.approvals] == [False] and result.denied


@pytest.mark.parametrize('answer', [True, 'yes', None, RiskAssessment()])
def test_an_answer_that_is_no_approval_moves_nothing(answer):
    rig = Rig(FakePlanner(PLAN), approver=Answering(answer))
    result = rig.run()
    assert result.final_reason is FinalReason.INTERNAL_ERROR and rig.skills.executed == []
    assert 'the approver answered' in result.final_detail


def test_a_yes_after_a_stop_approves_nothing():
    token = CancelToken()
    late = Answering(Approval(True, 'late'), lambda: token.cancel('stopped'))
    rig = Rig(FakePlanner(PLAN), approver=late)
    result = rig.run(ctx=Context(cancel=token))
    assert result.final_reason is FinalReason.CANCELLED and rig.skills.executed == []
    assert result.approvals == () and 'step_started' not in rig.kinds()


def test_a_denial_of_an_earlier_run_is_passed_on_by_every_later_one():
    first = Rig(FakePlanner(PLAN), approver=Answering(Approval(False, 'Ada'))).run()
    second = Rig(FakePlanner(PLAN), approver=Answering(Approval(True, 'Ada'))
                 ).run(resume=first.resume())
    assert second.approvals[0].approved and second.resume().denied
