# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Straight lines are straight, stay on their branch, and reach the end or say where they broke."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replan_agent.arms.franka_kinematics import HOME, FrankaKinematics
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.motion.cartesian import MAX_JUMP, LineFollower, line_poses
from replan_agent.motion.ik import ExactIK
from replan_agent.motion.numeric_ik import pose_error
from replan_agent.motion.timing import time_path

ABOVE = Pose.from_rpy(0.5, 0.1, 0.25, math.pi, 0.0, 0.3)


@pytest.fixture
def start(arm: FrankaKinematics) -> FloatArray:
    joints = ExactIK(arm_named(arm.model)).solve(ABOVE, HOME).joints
    assert joints is not None
    return joints


def off_line_m(points: FloatArray, a: FloatArray, b: FloatArray) -> float:
    """Greatest distance of the points from the line through a and b."""
    direction = (b - a) / np.linalg.norm(b - a)
    return float(np.linalg.norm(np.cross(points - a, direction), axis=1).max())


@pytest.mark.parametrize('move', [(0, 0, -0.2), (0, -0.3, 0), (0.1, 0.1, 0.1), (-0.15, 0, 0)])
def test_the_timed_line_is_straight_to_a_tenth_of_a_millimetre(
        arm: FrankaKinematics, start: FloatArray, move: tuple[float, float, float]) -> None:
    target = ABOVE.moved(*move)
    line = LineFollower(arm).follow(start, target)
    assert line.reached == 1.0
    trajectory = time_path(line.waypoints, arm.limits, 0.3, 0.3, period_s=0.002)
    T = arm.forward(trajectory.positions)
    off_m = off_line_m(T[:, :3, 3], np.array(ABOVE.position), np.array(target.position))
    assert off_m < 1e-4
    tilts = [pose_error(pose, ABOVE.matrix())[2] for pose in T]
    assert max(tilts) < 1e-3


def test_a_line_ends_at_its_target_and_starts_at_the_start(arm: FrankaKinematics,
                                                           start: FloatArray) -> None:
    target = Pose.from_rpy(0.45, 0.0, 0.2, math.pi, 0.2, 1.0)
    line = LineFollower(arm).follow(start, target)
    np.testing.assert_array_equal(line.waypoints[0], start)
    _, pos_err, rot_err = pose_error(target.matrix(), arm.forward(line.waypoints[-1]))
    assert pos_err < 1e-5
    assert rot_err < 1e-4


def test_no_joint_jumps_along_a_line(arm: FrankaKinematics, start: FloatArray) -> None:
    line = LineFollower(arm).follow(start, ABOVE.moved(dz=-0.2))
    assert np.abs(np.diff(line.waypoints, axis=0)).max() < MAX_JUMP / 4
    assert all(arm.limits.contain(joints) for joints in line.waypoints)


def test_a_line_that_leaves_the_reach_says_where_it_stopped(arm: FrankaKinematics,
                                                            start: FloatArray) -> None:
    line = LineFollower(arm).follow(start, ABOVE.moved(dx=0.6))
    assert 0.1 < line.reached < 0.9
    assert line.failed_target is not None
    assert line.attempt is not None
    assert not line.attempt.converged
    assert line.attempt.iterations == 400
    failed_at = (line.failed_target.position[0] - ABOVE.position[0]) / 0.6
    assert line.reached < failed_at < line.reached + 0.02
    last = arm.forward(line.waypoints[-1])
    assert last[0, 3] == pytest.approx(ABOVE.position[0] + 0.6 * line.reached, abs=1e-5)


def test_a_line_to_the_current_pose_does_nothing(arm: FrankaKinematics, start: FloatArray) -> None:
    line = LineFollower(arm).follow(start, ABOVE)
    assert line.reached == 1.0
    np.testing.assert_allclose(line.waypoints[-1], start, atol=1e-5)


def test_cancelling_ends_the_work(arm: FrankaKinematics, start: FloatArray) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        LineFollower(arm).follow(start, ABOVE.moved(dz=-0.2), Context(token))


def test_poses_on_a_line_are_evenly_spaced_in_place_and_turn() -> None:
    start, end = Pose.from_rpy(0.3, 0, 0.4, math.pi, 0, 0), Pose.from_rpy(0.5, 0.1, 0.2, 2.5, 0, 1)
    poses = line_poses(start.matrix(), end.matrix())
    np.testing.assert_allclose(poses[0], start.matrix(), atol=1e-12)
    np.testing.assert_allclose(poses[-1], end.matrix(), atol=1e-12)
    steps = np.array([pose_error(b, a)[1:] for a, b in zip(poses[:-1], poses[1:], strict=True)])
    assert np.ptp(steps[:, 0]) < 1e-9
    assert np.ptp(steps[:, 1]) < 1e-6
    assert steps[0, 0] <= 0.005 + 1e-9
