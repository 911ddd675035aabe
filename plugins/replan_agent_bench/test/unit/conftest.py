# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Outcomes that nothing had to run for, and the fixtures of planners and model clients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from model_fixtures import make_client, make_server  # noqa: F401
from planner_fixtures import make_object, make_scene, skills  # noqa: F401
from replan_agent_bench.suites.motion_episode import MotionOutcome


@pytest.fixture
def outcome() -> Callable[..., MotionOutcome]:
    """A clean success of the row `cube40`, but for what is given."""

    def make(seed: int = 0, success: bool = True, **given: Any) -> MotionOutcome:
        values: dict[str, Any] = {
            'row': 'cube40', 'objection': '' if success else 'red_cube is 0 mm above the table',
            'claimed': success, 'final_reason': 'plan_complete' if success else 'gave_up',
            'final_detail': '', 'peak_speed': 0.8, 'robot_s': 3.0, 'wall_s': 0.2,
            'machine': 'here', **given}
        return MotionOutcome(seed=seed, success=success, **values)

    return make
