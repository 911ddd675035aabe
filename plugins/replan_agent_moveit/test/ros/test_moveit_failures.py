# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A failure is the same to the agent, whether MoveIt or our own planner meets it."""

from __future__ import annotations

import failure_table as table
import moveit_stand_in as stand_in
import pytest
from replan_agent_moveit.moveit_settings import MoveItSettings

CODES = {'stopped': -7, 'error': -4, 'too long': -6, 'start touches': -10}  # what MoveIt answers
TRIES = MoveItSettings().attempts


@pytest.mark.parametrize(('failure', 'source'), table.failures_of(table.MOVEIT),
                         ids=table.name_of)
def test_moveits_failure_is_found(failure: table.Failure, source: str,
                                  moveit: stand_in.MoveItPy) -> None:
    planner = stand_in.planner_on(moveit)
    moveit.answers = [CODES[failure.name]] * TRIES if failure.name in CODES else []
    result = table.result_of(lambda: table.plan(failure, planner))
    table.check(failure, result, table.scene_for(failure))
