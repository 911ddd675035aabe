# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reading a trajectory between its samples, and braking along it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replan_agent.arms import franka_numbers as franka
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.timing import time_path
from replan_agent.robot.sampling import brake, sample

LIMITS = franka.limits('panda')
PERIOD = 0.004


@pytest.fixture
def trajectory() -> JointTrajectory:
    """A quintic move of all joints, from rest to rest in 1 s."""
    t = np.linspace(0, 1, 51)
    u, step = t[:, None], np.full(7, 0.8)
    return JointTrajectory(LIMITS.names, t, franka.HOME + step * u**3 * (10 - 15 * u + 6 * u * u),
                           step * 30 * u * u * (1 - u) ** 2,
                           step * 60 * u * (1 - u) * (1 - 2 * u))


def test_samples_are_met_exactly(trajectory: JointTrajectory) -> None:
    q, qd, qdd = sample(trajectory, trajectory.times)
    assert np.allclose(q, trajectory.positions) and np.allclose(qd, trajectory.velocities)
    assert np.allclose(qdd, trajectory.accelerations)


def test_between_samples_the_velocity_is_the_slope(trajectory: JointTrajectory) -> None:
    t = np.linspace(0.01, 0.98, 777)
    (before, *_), (after, *_), (_, qd, _) = (
        sample(trajectory, t + dt) for dt in (-1e-6, 1e-6, 0.0))
    assert np.allclose((after - before) / 2e-6, qd, atol=1e-4)


def test_beyond_the_end_it_stands_still(trajectory: JointTrajectory) -> None:
    q, qd, _ = sample(trajectory, np.array([5.0]))
    assert np.allclose(q[0], trajectory.end) and np.allclose(qd[0], 0)


def test_a_single_sample_is_a_standstill() -> None:
    still = np.zeros((1, 7))
    q, qd, _ = sample(JointTrajectory(LIMITS.names, np.zeros(1), still, still, still), np.ones(3))
    assert np.allclose(q, 0) and np.allclose(qd, 0) and q.shape == (3, 7)


@settings(max_examples=30)
@given(st.lists(st.lists(st.floats(0, 1), min_size=7, max_size=7), min_size=2, max_size=6),
       st.floats(0, 1))
def test_the_arm_is_never_told_to_go_or_brake_above_its_limits(
        waypoints: list[list[float]], share: float) -> None:
    path = LIMITS.lower + np.array(waypoints) * (LIMITS.upper - LIMITS.lower)
    timed = time_path(path, LIMITS, 1.0, 1.0)
    told = sample(timed, np.arange(0.5, timed.duration / PERIOD) * PERIOD)
    stopped = brake(timed, share * timed.duration, LIMITS, PERIOD)
    for _, qd, qdd in (told, stopped):
        assert np.all(np.abs(qd) <= LIMITS.velocity)
        assert np.all(np.abs(qdd) <= LIMITS.acceleration)
    assert np.allclose(stopped[1][-1], 0, atol=1e-6)


@pytest.mark.parametrize('at', np.linspace(0, 1, 21))
def test_braking_ends_at_rest_within_the_acceleration_limits(
        trajectory: JointTrajectory, at: float) -> None:
    q, qd, qdd = brake(trajectory, float(at), LIMITS, PERIOD)
    assert np.allclose(qd[-1], 0, atol=1e-6)
    assert np.all(np.abs(qdd) <= LIMITS.acceleration)
    start = sample(trajectory, np.array([at]))[0]
    assert np.abs(np.diff(np.vstack([start, q]), axis=0)).max() <= 1.6 * PERIOD


def test_braking_stays_on_the_path(trajectory: JointTrajectory) -> None:
    q, *_ = brake(trajectory, 0.5, LIMITS, PERIOD)
    share = (q - trajectory.start) / 0.8
    assert np.allclose(share, share[:, :1])


def test_braking_does_not_run_on_to_the_end(trajectory: JointTrajectory) -> None:
    q, *_ = brake(trajectory, 0.3, LIMITS, PERIOD)
    assert np.all(q[-1] < trajectory.end - 0.2)
