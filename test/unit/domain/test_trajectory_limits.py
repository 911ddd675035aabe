# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint limits: which trajectories are within them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import FR3
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.timing import time_joint_move

LIMITS = franka.limits('panda')


def swing() -> JointTrajectory:
    """Long enough to go on at top speed for several samples."""
    home = np.array(franka.HOME)
    return time_joint_move(home, home + 0.8, LIMITS, 1.0, 1.0)


def faster(factor: float) -> JointTrajectory:
    """The swing so fast that its quickest joint is at `factor` of its limit."""
    whole = swing()
    factor /= float((np.abs(whole.velocities) / LIMITS.velocity).max())
    return replace(whole, times=whole.times / factor, velocities=whole.velocities * factor)


def test_the_speed_limit_itself_is_allowed():
    assert LIMITS.violation(faster(1.0)) == ''


@pytest.mark.parametrize('factor', [1.0001, 1.0085, 2.0])
def test_a_joint_above_its_speed_limit_is_named(factor):
    assert 'velocity of panda_joint' in LIMITS.violation(faster(factor))


def test_a_joint_beyond_its_range_is_named_with_the_range():
    whole = swing()
    beyond = replace(whole, positions=whole.positions + 2.5 * np.eye(7)[3])
    assert 'position of panda_joint4' in LIMITS.violation(beyond)
    assert '-3.072 to -0.070' in LIMITS.violation(beyond)


def test_a_trajectory_of_another_arm_is_named():
    names = FR3.joint_names
    assert 'fr3_joint1' in LIMITS.violation(replace(swing(), names=names))


def test_samples_that_are_too_far_apart_are_refused_whatever_speed_they_claim():
    home = np.array(franka.HOME)
    still = np.zeros((2, 7))
    jump = JointTrajectory(LIMITS.names, np.array([0.0, 0.01]),
                           np.stack([home, home + 0.5]), still, still)
    assert 'would need 50.000 rad/s' in LIMITS.violation(jump)


def test_a_time_that_is_no_number_is_refused():
    still = np.zeros((2, 7))
    with pytest.raises(ValueError, match='times must start at 0 and increase'):
        JointTrajectory(LIMITS.names, np.array([0.0, np.nan]), still, still, still)
