# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an action means for the joints."""

from __future__ import annotations

import numpy as np
import pytest
from replan_agent_trouble.command import (
    LEAD_RAD,
    MOVED_M,
    SPEED_SHARE,
    STEP_S,
    TURNED_RAD,
    next_joints,
)

from replan_agent.arms.known_arms import arm_named

ARM = arm_named('panda')
HOME = np.array(ARM.home)


@pytest.mark.parametrize('axis', range(3))
def test_a_full_action_of_the_tool_shifts_it_along_its_axis(axis: int) -> None:
    joints = next_joints(ARM.kinematics, 'tool', HOME, HOME, np.eye(6)[axis])
    shift = (ARM.kinematics.forward(joints) - ARM.kinematics.forward(HOME))[:3, 3]
    assert shift == pytest.approx(MOVED_M * np.eye(3)[axis], abs=0.002)


def test_a_full_turn_of_the_tool_turns_it_and_leaves_it_there() -> None:
    joints = next_joints(ARM.kinematics, 'tool', HOME, HOME, np.eye(6)[5])
    before, after = map(ARM.kinematics.forward, (HOME, joints))
    assert np.arccos(before[:3, 0] @ after[:3, 0]) == pytest.approx(TURNED_RAD, rel=0.05)
    assert after[:3, 3] == pytest.approx(before[:3, 3], abs=0.002)


def test_an_action_of_the_joints_is_a_share_of_their_speed() -> None:
    joints = next_joints(ARM.kinematics, 'joints', HOME, HOME, 0.5 * np.ones(7))
    assert joints - HOME == pytest.approx(0.5 * SPEED_SHARE * STEP_S * ARM.limits.velocity)


def test_the_command_does_not_run_away_from_an_arm_that_is_held_up() -> None:
    commanded = HOME
    for _ in range(50):
        commanded = next_joints(ARM.kinematics, 'joints', commanded, HOME, np.ones(7))
    assert np.abs(commanded - HOME).max() <= LEAD_RAD + 1e-9
    assert ARM.limits.contain(commanded)
