# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A few cycles of stop, release and new goal for each arm; stop_cycles.py runs a thousand."""

from __future__ import annotations

from typing import Any

import pytest
from stop_cycles import ARMS, cycles

CYCLES = {'franka': 9, 'ur': 9, 'sim': 5}


@pytest.mark.parametrize('name', ARMS)
def test_nothing_of_an_old_goal_moves_after_a_release_and_a_new_one_succeeds(
        ros: Any, name: str) -> None:
    with ARMS[name](ros) as arm:
        ends, wrong = cycles(arm, CYCLES[name], seed=1)
    assert wrong == []
    assert ends['stopped'], 'none was stopped in its course'
