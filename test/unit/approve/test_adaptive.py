# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Adaptive approval: who decides at which risk, and how the threshold moves."""

from __future__ import annotations

import pytest

from replan_agent.approve.adaptive import AdaptiveApprover, Threshold
from replan_agent.approve.risk import PlanRisk
from replan_agent.arms.franka import PANDA
from replan_agent.domain.approval_request import Approval, ApprovalRequest
from replan_agent.domain.config import ApprovalConfig, Config, MotionConfig
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.execute.skills.standard import standard_skills

SCENE = Scene('s', 0.0, tuple(
    SceneObject(name, Shape.BOX, (0.04,) * 3, Pose((0.5, 0.0, 0.02)))
    for name in ('red_cube', 'glass')), 'fake')


class Person:
    def __init__(self, says: bool = True) -> None:
        self.says = says
        self.asked: list[ApprovalRequest] = []

    def approve(self, request, ctx) -> Approval:
        self.asked.append(request)
        return Approval(self.says, 'Ada', 'looks fine' if self.says else 'no')

    def report_outcome(self, success: bool) -> None:
        raise AssertionError('report_outcome must not reach the person')


def approver(ask=None, **settings) -> AdaptiveApprover:
    config = Config(approval=ApprovalConfig(**settings), motion=MotionConfig(0.1))
    return AdaptiveApprover(PlanRisk(config, PANDA.home_tcp), config.approval, ask)


def approve(by: AdaptiveApprover, thing: str = 'red_cube') -> Approval:
    step = Step(1, 'pick', {'object': thing})
    plan = Plan(1, 'task', (step,), (), PlanCause.INITIAL, None, 's', 'p')
    return by.approve(ApprovalRequest(plan, SCENE, skills=standard_skills().specs()), Context())


def test_a_low_risk_needs_no_person_and_shows_its_numbers():
    person = Person()
    answer = approve(approver(person))
    assert answer.approved and answer.approver == 'adaptive' and not person.asked
    assert (answer.risk, answer.threshold) == (0.0, 0.5)
    assert answer.reasons == ('threshold 0.50',)


@pytest.mark.parametrize('says', [True, False])
def test_a_high_risk_needs_a_person_and_their_answer_counts(says):
    person = Person(says)
    answer = approve(approver(person), 'glass')
    assert (answer.approved, answer.approver) == (says, 'Ada')
    assert (answer.risk, answer.threshold) == (0.5, 0.5)
    assert 'step 1 pick handles glass' in answer.reasons[0]


def test_the_person_is_shown_the_risk_and_its_reasons():
    person = Person()
    approve(approver(person), 'glass')
    assessment = person.asked[0].assessment
    assert (assessment.risk, assessment.threshold) == (
        0.5,
        0.5,
    ) and 'fragile' in assessment.reasons[0]


def test_without_a_person_more_risk_is_denied_with_the_reasons():
    answer = approve(approver(ask=None), 'glass')
    assert not answer.approved
    assert 'nobody to ask' in answer.detail and 'fragile' in answer.detail


def test_the_threshold_tightens_after_each_failure_down_to_its_least():
    by = approver(threshold=0.3, threshold_min=0.15)
    levels = []
    for _ in range(3):
        levels.append(approve(by).threshold)
        by.report_outcome(False)
    assert levels == [0.3, 0.2, 0.15]
    assert '3 failed' in approve(by).reasons[-1]


def test_after_failures_the_same_plan_may_need_a_person():
    by = approver(person := Person(), threshold=0.55)
    assert approve(by, 'glass').approver == 'adaptive'
    by.report_outcome(False)
    assert approve(by, 'glass').approver == 'Ada' and len(person.asked) == 1


def test_successes_that_a_person_approved_relax_it_up_to_its_most():
    by = approver(Person(), threshold=0.1, threshold_max=0.18)
    levels = []
    for _ in range(3):
        levels.append(approve(by, 'glass').threshold)
        by.report_outcome(True)
    assert levels == [0.1, 0.15, 0.18]


def test_trivial_successes_win_back_what_was_lost_and_no_more():
    by = approver()
    approve(by)
    by.report_outcome(False)
    levels = []
    for _ in range(4):
        levels.append(approve(by).threshold)
        by.report_outcome(True)
    assert levels == [0.4, 0.45, 0.5, 0.5]


def test_what_was_not_approved_does_not_count():
    by = approver(Person(says=False))
    by.report_outcome(True)
    approve(by, 'glass')
    by.report_outcome(False)
    assert by.threshold.value == 0.5


def test_an_outcome_counts_once():
    by = approver()
    approve(by)
    by.report_outcome(False)
    by.report_outcome(False)
    assert by.threshold.value == pytest.approx(0.4)


def test_after_a_persons_no_even_a_low_risk_needs_a_person():
    person, step = Person(), Step(1, 'pick', {'object': 'red_cube'})
    plan = Plan(1, 'task', (step,), (), PlanCause.INITIAL, None, 's', 'p')
    request = ApprovalRequest(plan, SCENE, skills=standard_skills().specs(), ask_person=True)
    assert approver(person).approve(request, Context()).approver == 'Ada'
    alone = approver().approve(request, Context())
    assert not alone.approved and 'a person denied a plan' in alone.detail


def test_a_changed_setting_does_not_undo_what_failures_tightened() -> None:
    threshold = Threshold(ApprovalConfig(threshold=0.5, tighten=0.1))
    threshold.tighten()
    threshold.use(ApprovalConfig(threshold=0.5, tighten=0.1, person_risk=1.0))
    assert threshold.value == pytest.approx(0.4)
    threshold.use(ApprovalConfig(threshold=0.25, tighten=0.1))
    threshold.use(ApprovalConfig(threshold=0.5, tighten=0.1))
    assert threshold.value == 0.25, 'only successes let it rise'


def test_a_higher_floor_does_not_lift_the_threshold_of_an_earlier_run():
    by = approver(threshold=0.9, threshold_min=0.8)
    by.threshold.continue_from(0.3)
    assert by.threshold.value == 0.3
