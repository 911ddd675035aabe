"""What a failure means by default, and when the same step is tried again."""

from __future__ import annotations

import pytest

from replan_agent.domain.failure import (
    DEFAULT_DIAGNOSIS,
    Attempt,
    AttemptStage,
    Kind,
    Severity,
)
from replan_agent.domain.skill import Reason
from replan_agent.replan.policy import TablePolicy


def attempt(reason: str, **more) -> Attempt:
    return Attempt(0, 'pick', {}, reason, 'because', **more)


def test_every_reason_has_a_default_diagnosis():
    assert set(DEFAULT_DIAGNOSIS) == set(Reason)


@pytest.mark.parametrize('reason', [Reason.GRASP_MISSED, Reason.GRASP_SLIPPED, Reason.TIMEOUT])
def test_what_is_transient_is_retried_until_its_retries_are_spent(reason):
    policy = TablePolicy(max_step_retries=2)
    diagnosis = policy.diagnose(attempt(reason.value))
    assert [policy.retry(diagnosis, n) for n in range(3)] == [True, True, False]


@pytest.mark.parametrize('reason', [Reason.UNREACHABLE, Reason.OBJECT_NOT_FOUND, Reason.STOPPED])
def test_what_cannot_help_by_repetition_is_not_retried(reason):
    policy = TablePolicy()
    assert not policy.retry(policy.diagnose(attempt(reason.value)), 0)


def test_a_proof_makes_any_failure_structural():
    proved = attempt('precondition_failed', evidence={'proved_impossible': True})
    assert TablePolicy().diagnose(proved).kind is Kind.STRUCTURAL


def test_an_unexpected_contact_is_worth_a_fresh_look_and_another_try():
    policy = TablePolicy()
    felt = policy.diagnose(attempt('in_collision', evidence={'contact': True}))
    planned = policy.diagnose(attempt('in_collision'))
    assert policy.retry(felt, 0) and not policy.retry(planned, 0)


def test_an_empty_plan_is_critical_and_an_unmet_goal_is_high():
    policy = TablePolicy()
    assert policy.diagnose(attempt('no_plan', stage=AttemptStage.PLAN)).severity is (
        Severity.CRITICAL)
    assert policy.diagnose(attempt('goal_not_met', stage=AttemptStage.GOAL)).severity is (
        Severity.HIGH)
