# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Troubles met with and without replanning, on the real loop and physics."""

from __future__ import annotations

import pytest
from replan_agent_bench.outcome import Job
from replan_agent_bench.suites.recovery_episode import RecoveryOutcome, run_recovery

from replan_agent.app.build.config_file import load_config


def met(row: str, column: str, seed: int = 1) -> RecoveryOutcome:
    [outcome] = run_recovery(load_config(), Job('recovery', row, seed, column))
    return outcome


@pytest.mark.parametrize('row', ['air', 'misnamed', 'alike'])
def test_replanning_recovers_where_one_plan_does_not(row):
    assert not met(row, 'off').success
    recovered = met(row, 'plain')
    assert recovered.success, recovered.objection


def test_a_short_blackout_is_waited_out_and_needs_no_new_plan():
    alone = met('blackout', 'off')
    assert alone.success and alone.model_calls == 1, alone.objection


def test_the_whole_recovery_retries_what_is_transient_without_asking_the_model_again():
    plain, whole = met('air', 'plain'), met('air', 'whole')
    assert whole.success and whole.model_calls < plain.model_calls


def test_what_is_out_of_reach_for_good_is_refused_with_the_cause_and_never_repeated():
    whole = met('beyond', 'whole')
    assert whole.success and not whole.claimed and whole.repeats == 0
    assert 'unreachable' in whole.final_detail


@pytest.mark.parametrize('row', ['boxed', 'far', 'occupied'])
def test_local_planning_solves_what_blocks_a_step_without_asking_the_model_again(row):
    whole = met(row, 'whole')
    assert whole.success, whole.objection
    assert whole.model_calls == 1 and whole.local and whole.local[0].solved
    assert whole.local[0].nodes[0].number.endswith('.1')
