# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Timed motion: rest to rest, through the right places, never above a limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import BPoly, CubicHermiteSpline, PPoly

from replan_agent.arms.franka_numbers import limits as franka_limits
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.timing import SpeedProfile, peaks, time_joint_move, time_path

LIMITS = franka_limits('panda')
RANGE = LIMITS.upper - LIMITS.lower

shares = st.lists(st.floats(0, 1), min_size=7, max_size=7)
scales = st.floats(0.05, 1.0)


def joints_at(share: list[float]) -> FloatArray:
    return LIMITS.lower + np.array(share) * RANGE


def quintic(trajectory: JointTrajectory) -> PPoly:
    """The curve of fifth degree between the samples, through their accelerations too."""
    h = np.diff(trajectory.times)[:, None]
    p, v, a = trajectory.positions, trajectory.velocities, trajectory.accelerations
    p0, v0, a0 = p[:-1], v[:-1], a[:-1] / 2
    # What is left to make up by the end of each piece: place, velocity, acceleration.
    place = (p[1:] - p0 - v0 * h - a0 * h**2) / h**3
    speed = (v[1:] - v0 - 2 * a0 * h) / h**2
    push = (a[1:] - 2 * a0) / h
    return PPoly(np.stack([
        (6 * place - 3 * speed + push / 2) / h**2,
        (-15 * place + 7 * speed - push) / h,
        10 * place - 4 * speed + push / 2, a0, v0, p0]), trajectory.times)


def test_the_quintic_of_these_tests_is_the_one_of_scipy() -> None:
    trajectory = time_joint_move(LIMITS.lower, LIMITS.upper, LIMITS, 1.0, 1.0, 0.1)
    scipy_s = BPoly.from_derivatives(trajectory.times, np.stack(
        [trajectory.positions, trajectory.velocities, trajectory.accelerations], axis=1))
    at = np.linspace(0.0, trajectory.duration, 500)
    for order in range(3):
        np.testing.assert_allclose(quintic(trajectory)(at, order), scipy_s(at, order), atol=1e-9)


def assert_within(trajectory: JointTrajectory, velocity_scale: float,
                  acceleration_scale: float) -> None:
    """Velocity and acceleration as they are given, and as controllers interpolate them."""
    v_max = LIMITS.velocity * velocity_scale
    a_max = LIMITS.acceleration * acceleration_scale
    assert np.all(np.abs(trajectory.velocities) <= v_max)
    assert np.all(np.abs(trajectory.accelerations) <= a_max)
    between = np.linspace(0.0, trajectory.duration, 7 * len(trajectory.times))
    cubic = CubicHermiteSpline(trajectory.times, trajectory.positions, trajectory.velocities)
    for curve in (cubic, quintic(trajectory)):
        assert np.all(np.abs(curve(between, 1)) <= v_max)
        assert np.all(np.abs(curve(between, 2)) <= a_max + 1e-6)
    assert np.all(trajectory.positions >= LIMITS.lower - 1e-9)
    assert np.all(trajectory.positions <= LIMITS.upper + 1e-9)


def assert_rest_to_rest(trajectory: JointTrajectory, start: FloatArray, goal: FloatArray) -> None:
    np.testing.assert_array_equal(trajectory.start, start)
    np.testing.assert_array_equal(trajectory.end, goal)
    assert np.all(trajectory.velocities[[0, -1]] == 0)
    assert np.all(trajectory.accelerations[[0, -1]] == 0)
    assert trajectory.times[0] == 0
    assert np.all(np.diff(trajectory.times) > 0)
    assert np.all(np.diff(trajectory.times) <= 0.01 + 1e-9)


@given(shares, shares, scales, scales)
def test_a_joint_move_is_rest_to_rest_within_the_limits(
        start: list[float], goal: list[float], velocity: float, acceleration: float) -> None:
    a, b = joints_at(start), joints_at(goal)
    trajectory = time_joint_move(a, b, LIMITS, velocity, acceleration)
    assert_rest_to_rest(trajectory, a if np.max(np.abs(b - a)) >= 1e-9 else b, b)
    assert_within(trajectory, velocity, acceleration)


@given(shares, shares)
def test_a_joint_move_goes_straight_and_never_back(start: list[float], goal: list[float]) -> None:
    a, b = joints_at(start), joints_at(goal)
    trajectory = time_joint_move(a, b, LIMITS, 0.5, 0.5)
    steps = np.diff(trajectory.positions, axis=0) * np.sign(b - a)
    assert np.all(steps >= -1e-12)


@settings(max_examples=60)
@given(st.lists(shares, min_size=2, max_size=8), scales, scales)
def test_a_path_through_any_waypoints_keeps_the_limits(
        waypoints: list[list[float]], velocity: float, acceleration: float) -> None:
    path = np.array([joints_at(share) for share in waypoints])
    trajectory = time_path(path, LIMITS, velocity, acceleration)
    np.testing.assert_allclose(trajectory.positions[[0, -1]], path[[0, -1]], atol=1e-8)
    assert_rest_to_rest(trajectory, trajectory.start, trajectory.end)
    assert_within(trajectory, velocity, acceleration)


@settings(max_examples=30)
@given(st.lists(shares, min_size=2, max_size=6), scales, scales)
def test_the_peaks_of_a_motion_are_bounds_between_its_samples_too(
        waypoints: list[list[float]], velocity: float, acceleration: float) -> None:
    trajectory = time_path(np.array([joints_at(share) for share in waypoints]), LIMITS, velocity,
                           acceleration)
    fastest, hardest = peaks(trajectory)
    curve = CubicHermiteSpline(trajectory.times, trajectory.positions, trajectory.velocities)
    between = np.linspace(0.0, trajectory.duration, 9 * len(trajectory.times))
    assert np.all(np.abs(curve(between, 1)).max(axis=0) <= fastest + 1e-9)
    assert np.all(np.abs(curve(between, 2)).max(axis=0) <= hardest + 1e-6)


@settings(max_examples=30)
@given(shares, shares, shares)
def test_a_path_passes_all_its_waypoints(one: list[float], two: list[float],
                                         three: list[float]) -> None:
    path = np.array([joints_at(share) for share in (one, two, three)])
    trajectory = time_path(path, LIMITS, 0.2, 0.2)
    for waypoint in path:
        nearest = np.abs(trajectory.positions - waypoint).max(axis=1).min()
        assert nearest <= 0.01 * 0.2 * LIMITS.velocity.max() + 1e-6


def test_a_long_move_comes_close_to_the_velocity_limit_of_the_slowest_joint() -> None:
    goal = LIMITS.lower + 0.9 * RANGE
    trajectory = time_joint_move(LIMITS.lower, goal, LIMITS, 0.5, 1.0)
    used = np.abs(trajectory.velocities).max(axis=0) / LIMITS.velocity
    assert 0.98 * 0.5 <= used.max() <= 0.5


def test_a_short_move_comes_close_to_the_acceleration_limit() -> None:
    start = np.array([0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0])
    goal = start + 0.3
    trajectory = time_joint_move(start, goal, LIMITS, 1.0, 0.2)
    used = np.abs(trajectory.accelerations).max(axis=0) / LIMITS.acceleration
    assert 0.94 * 0.2 <= used.max() <= 0.2


def test_accelerations_ramp_within_the_jerk_limit() -> None:
    goal = LIMITS.lower + 0.5 * RANGE
    trajectory = time_joint_move(LIMITS.lower, goal, LIMITS, 1.0, 1.0, period_s=0.001)
    jerk = np.abs(np.diff(trajectory.accelerations, axis=0)) / np.diff(trajectory.times)[:, None]
    assert np.all(jerk <= LIMITS.jerk)


def test_a_smaller_scaling_factor_takes_longer() -> None:
    goal = LIMITS.lower + 0.5 * RANGE
    durations = [time_joint_move(LIMITS.lower, goal, LIMITS, scale, scale).duration
                 for scale in (1.0, 0.5, 0.1)]
    assert durations[0] < durations[1] < durations[2]


def test_a_dense_path_is_about_as_fast_as_its_straight_line() -> None:
    start, goal = LIMITS.lower + 0.3 * RANGE, LIMITS.lower + 0.6 * RANGE
    dense = start + np.linspace(0, 1, 50)[:, None] * (goal - start)
    direct = time_joint_move(start, goal, LIMITS, 0.5, 0.5).duration
    assert time_path(dense, LIMITS, 0.5, 0.5).duration == pytest.approx(direct, rel=0.05)


def test_standing_still_is_a_trajectory_too() -> None:
    joints = LIMITS.lower + 0.5 * RANGE
    trajectory = time_joint_move(joints, joints, LIMITS, 0.5, 0.5)
    assert_rest_to_rest(trajectory, joints, joints)
    repeated = time_path(np.stack([joints] * 5), LIMITS, 0.5, 0.5)
    assert_rest_to_rest(repeated, joints, joints)


@pytest.mark.parametrize('scale', [0.0, -0.1, 1.5, float('nan')])
def test_a_scaling_factor_outside_its_range_is_refused(scale: float) -> None:
    with pytest.raises(ValueError, match='scaling factor'):
        time_joint_move(LIMITS.lower, LIMITS.upper, LIMITS, scale, 0.5)


def test_smoothing_keeps_the_distance_and_the_peaks() -> None:
    profile = SpeedProfile(np.array([0.5, 1.0, 0.5]), np.array([2.0, 0.0, -2.0]), 0.1)
    travel, speed, acceleration = profile(np.linspace(0, profile.duration_s, 2001))
    assert travel[-1] == pytest.approx(1.5)
    assert speed.max() == pytest.approx(1.0)
    assert np.abs(acceleration).max() == pytest.approx(2.0)
    assert np.abs(np.diff(acceleration)).max() < 0.05
