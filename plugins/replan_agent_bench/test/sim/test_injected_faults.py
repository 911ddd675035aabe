# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults in the world, at the robot's edge and at the camera's, met by the whole recovery."""

from __future__ import annotations

import pytest
from replan_agent_bench.outcome import Job
from replan_agent_bench.suites.injected.failure_modes import MODES, Mode
from replan_agent_bench.suites.recovery_episode import WHOLE, run_recovery
from replan_agent_bench.suites.recovery_suite import diagnosed

from replan_agent.app.build.config_file import load_config


def episode(row, seed=1):
    outcome, = run_recovery(load_config(), Job('recovery', row, seed, WHOLE))
    return outcome


@pytest.mark.parametrize(('row', 'mode'), [(row.name, mode) for row, mode in zip(MODES, Mode)])
def test_a_fault_with_a_known_cause_is_diagnosed_and_overcome(row, mode):
    outcome = episode(row)
    assert outcome.success, outcome.objection
    assert [d.found for d in diagnosed([outcome])] == [mode.value]


def test_steps_for_what_got_there_by_itself_are_skipped():
    outcome = episode('itself')
    assert outcome.success and outcome.steps == 2


def test_what_another_agent_undid_and_restored_needs_no_second_placement():
    outcome = episode('restored')
    assert outcome.success and outcome.causes[0] == 'undone_by_another' and outcome.steps == 5


def test_an_unseen_pane_is_overcome_from_above():
    assert episode('pane').success
