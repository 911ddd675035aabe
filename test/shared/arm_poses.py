# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Both Franka models, and random poses that they can reach."""

from __future__ import annotations

import numpy as np
import pytest

from replan_agent.arms.franka_kinematics import FrankaKinematics
from replan_agent.domain.pose import FloatArray


@pytest.fixture(params=['panda', 'fr3'])
def arm(request: pytest.FixtureRequest) -> FrankaKinematics:
    return FrankaKinematics(request.param)


@pytest.fixture
def random_joints(arm: FrankaKinematics) -> FloatArray:
    """2000 configurations, evenly over the joint ranges."""
    limits = arm.limits
    return np.random.default_rng(7).uniform(limits.lower, limits.upper, (2000, 7))


@pytest.fixture
def joints_at_limits(arm: FrankaKinematics) -> FloatArray:
    """2000 configurations with about half of the joints exactly at a limit."""
    limits, rng = arm.limits, np.random.default_rng(8)
    joints = rng.uniform(limits.lower, limits.upper, (2000, 7))
    where = rng.integers(0, 4, joints.shape)
    return np.where(where == 0, limits.lower, np.where(where == 1, limits.upper, joints))
