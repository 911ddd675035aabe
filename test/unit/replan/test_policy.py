# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the policy does about a failure, by its diagnosis and the settings."""

from __future__ import annotations

import pytest

from replan_agent.domain.config import AgentConfig
from replan_agent.domain.failure import DEFAULT_DIAGNOSIS, AttemptStage, Severity
from replan_agent.domain.recovery import FailureCase, Response, RetryCounts
from replan_agent.domain.skill import Reason
from replan_agent.replan.diagnose.policy import SOLVED_LOCALLY, TablePolicy

from .cases import attempt, case, cube, far_report, scene, slip

BOXED = case('in_collision', scene(cube(), cube(0.55, name='blue_cube')),
             detail='at the grasp gripper is 3 mm inside blue_cube').attempt.diagnosis
SLIP = slip().attempt.diagnosis


def answer(diagnosis, retries: int = 0, local: int = 0, is_step: bool = True,
           spent: bool = False, **settings) -> Response:
    return TablePolicy(AgentConfig(**settings)).respond(
        diagnosis, RetryCounts(retries, local, spent=spent), is_step
    )


def test_every_reason_has_a_default_diagnosis():
    assert set(DEFAULT_DIAGNOSIS) == set(Reason)


def test_a_transient_failure_is_retried_until_no_retries_are_left():
    assert [answer(SLIP, n, max_step_retries=2) for n in range(3)] == [
        Response.RECAPTURE, Response.RECAPTURE, Response.REPLAN]


def test_a_controller_that_gave_up_is_retried_without_another_look():
    failed = case('controller_aborted').attempt.diagnosis
    assert answer(failed) is Response.RETRY


def test_a_third_failure_of_the_same_kind_is_replanned_even_if_retries_are_left():
    first = slip()
    third = slip((first.attempt, slip((first.attempt,)).attempt))
    assert answer(third.attempt.diagnosis, 2, max_step_retries=9) is Response.REPLAN


def test_what_is_proved_impossible_is_never_retried():
    proved = case('grasp_missed', evidence={'proved_impossible': True}).attempt.diagnosis
    assert answer(proved) is Response.REPLAN
    assert answer(case('unreachable', ik=far_report()).attempt.diagnosis) is Response.REPLAN


def test_a_blocked_step_is_worked_around_twice_and_then_replanned():
    assert [answer(BOXED, local=n) for n in range(3)] == [
        Response.LOCAL, Response.LOCAL, Response.REPLAN]


def test_what_no_change_helped_to_grasp_or_shows_no_grasp_as_it_lies_is_worked_around():
    assert answer(SLIP, 3, spent=True) is Response.LOCAL
    assert answer(SLIP, 3, local=2, spent=True) is Response.REPLAN
    lies = case('precondition_failed', evidence={'narrowest_width': 0.02, 'widest_width': 0.08})
    assert answer(lies.attempt.diagnosis) is Response.LOCAL


@pytest.mark.parametrize('off', ['local_planning', 'replanning'])
def test_local_planning_can_be_switched_off(off):
    assert answer(BOXED, **{off: False}) in (Response.REPLAN, Response.STOP)


def test_what_local_planning_may_solve_is_in_reach_of_small_actions():
    assert case('unreachable', ik=far_report(0.86, too_far=0.06)).attempt.diagnosis.cause in (
        SOLVED_LOCALLY)
    assert case('unreachable', ik=far_report()).attempt.diagnosis.cause not in SOLVED_LOCALLY


def test_only_a_step_is_retried_or_worked_around():
    assert answer(SLIP, is_step=False) is Response.REPLAN
    assert answer(BOXED, is_step=False) is Response.REPLAN


def test_a_harmless_failure_is_logged_and_the_next_step_comes():
    low = case('precondition_failed', scene(held='red_cube')).attempt.diagnosis
    assert answer(low) is Response.CONTINUE


def test_a_stop_is_not_answered_with_a_new_plan():
    assert answer(case('stopped').attempt.diagnosis) is Response.STOP


def test_medium_failures_are_replanned_at_once_when_the_settings_say_so():
    assert answer(SLIP, replan_on_medium=True) is Response.REPLAN


@pytest.mark.parametrize(('setting', 'reason'), [
    ('replan_on_critical', 'object_not_found'), ('replan_on_high', 'workspace_violation'),
    ('replanning', 'workspace_violation')])
def test_a_trigger_that_is_off_ends_the_task(setting, reason):
    diagnosis = case(reason).attempt.diagnosis
    assert answer(diagnosis) is Response.REPLAN
    assert answer(diagnosis, **{setting: False}) is Response.STOP


def test_spent_retries_count_as_high():
    assert answer(SLIP, 3, replan_on_high=False) is Response.STOP


def test_an_empty_plan_is_critical_and_an_unmet_goal_is_high():
    policy = TablePolicy()
    empty = attempt('no_plan', skill='', stage=AttemptStage.PLAN)
    unmet = attempt('goal_not_met', skill='', stage=AttemptStage.GOAL)
    assert [policy.diagnose(FailureCase(a, scene())).severity for a in (empty, unmet)] == [
        Severity.CRITICAL, Severity.HIGH]
