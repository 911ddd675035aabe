"""Troubles met with and without replanning, on the real loop and physics."""

from __future__ import annotations

import pytest

from replan_agent.app.build.config_file import load_config
from replan_agent.bench.recovery_episode import RecoveryJob, RecoveryOutcome, run_trouble


def met(row: str, column: str, seed: int = 1) -> RecoveryOutcome:
    return run_trouble(load_config(), RecoveryJob(row, column, seed))


@pytest.mark.parametrize('row', ['air', 'blackout', 'misnamed', 'alike'])
def test_replanning_recovers_where_one_plan_does_not(row):
    assert not met(row, 'off').success
    recovered = met(row, 'plain')
    assert recovered.success, recovered.objection


def test_the_brain_retries_what_is_transient_without_asking_the_model_again():
    plain, brain = met('air', 'plain'), met('air', 'brain')
    assert brain.success and brain.model_calls < plain.model_calls


def test_what_is_out_of_reach_for_good_is_refused_with_the_cause_and_never_repeated():
    brain = met('beyond', 'brain')
    assert brain.success and not brain.claimed and brain.repeats == 0
    assert 'unreachable' in brain.final_detail


@pytest.mark.parametrize('row', ['boxed', 'far', 'occupied'])
def test_local_planning_solves_what_blocks_a_step_without_asking_the_model_again(row):
    brain = met(row, 'brain')
    assert brain.success, brain.objection
    assert brain.model_calls == 1 and brain.local and brain.local[0].solved
    assert brain.local[0].nodes[0].number.endswith('.1')
