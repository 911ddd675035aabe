"""What a failure means by default, and when the same step is tried again."""

from __future__ import annotations

import pytest

from replan_agent.agent.ports import Tries
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.failure import (
    DEFAULT_DIAGNOSIS,
    Attempt,
    AttemptStage,
    Kind,
    Severity,
)
from replan_agent.domain.recovery import FailureCase, Response
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.replan.policy import TablePolicy


def case(reason: str, **more) -> FailureCase:
    return FailureCase(Attempt(0, 'pick', {}, reason, 'because', **more), Scene('s', 0.0, (), 'x'))


def responses(policy: TablePolicy, diagnosis, n: int) -> list[Response]:
    return [policy.respond(diagnosis, Tries(retries), is_step=True) for retries in range(n)]


def test_every_reason_has_a_default_diagnosis():
    assert set(DEFAULT_DIAGNOSIS) == set(Reason)


@pytest.mark.parametrize('reason', [Reason.GRASP_MISSED, Reason.GRASP_SLIPPED, Reason.TIMEOUT])
def test_what_is_transient_is_retried_until_its_retries_are_spent(reason):
    policy = TablePolicy(AgentConfig(max_step_retries=2))
    diagnosis = policy.diagnose(case(reason.value))
    assert responses(policy, diagnosis, 3) == [
        Response.RECAPTURE, Response.RECAPTURE, Response.REPLAN]


@pytest.mark.parametrize('reason', [Reason.UNREACHABLE, Reason.OBJECT_NOT_FOUND, Reason.STOPPED])
def test_what_cannot_help_by_repetition_is_not_retried(reason):
    policy = TablePolicy()
    assert responses(policy, policy.diagnose(case(reason.value)), 1) == [Response.REPLAN]


def test_a_proof_makes_any_failure_structural():
    proved = case('precondition_failed', evidence={'proved_impossible': True})
    assert TablePolicy().diagnose(proved).kind is Kind.STRUCTURAL


def test_an_unexpected_contact_is_worth_a_fresh_look_and_another_try():
    policy = TablePolicy()
    felt = policy.diagnose(case('in_collision', evidence={'contact': True}))
    planned = policy.diagnose(case('in_collision'))
    assert responses(policy, felt, 1) + responses(policy, planned, 1) == [
        Response.RECAPTURE, Response.REPLAN]


def test_an_empty_plan_is_critical_and_an_unmet_goal_is_high():
    policy = TablePolicy()
    assert policy.diagnose(case('no_plan', stage=AttemptStage.PLAN)).severity is (
        Severity.CRITICAL)
    assert policy.diagnose(case('goal_not_met', stage=AttemptStage.GOAL)).severity is (
        Severity.HIGH)
