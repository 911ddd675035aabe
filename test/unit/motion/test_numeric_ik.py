# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Damped least squares: solves what can be solved, and tells the truth about the rest."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from replan_agent.arms.franka_kinematics import HOME, FrankaKinematics
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.trajectory import JointLimits
from replan_agent.motion.numeric_ik import DampedLeastSquares, pose_error

FAR = Pose.from_rpy(1.2, 0.0, 0.02, math.pi, 0.0, 0.0).matrix()


class PlanarArm:
    """Three links of 0.4 m in the xy plane: an arm that is not a Franka."""

    def __init__(self) -> None:
        one = np.ones(3)
        self.limits = JointLimits(('a', 'b', 'c'), -2.5 * one, 2.5 * one, one, one, one, one)

    def forward(self, joints: FloatArray) -> FloatArray:
        angles = np.cumsum(joints)
        T = np.eye(4)
        T[:3, :3] = Rotation.from_euler('z', angles[-1]).as_matrix()
        T[0, 3], T[1, 3] = 0.4 * np.cos(angles).sum(), 0.4 * np.sin(angles).sum()
        return T

    def jacobian(self, joints: FloatArray) -> FloatArray:
        angles = np.cumsum(joints)
        J = np.zeros((6, 3))
        for i in range(3):
            J[0, i], J[1, i] = -0.4 * np.sin(angles[i:]).sum(), 0.4 * np.cos(angles[i:]).sum()
        J[5] = 1.0
        return J


def test_nearly_all_random_poses_are_solved_within_the_limits(arm: FrankaKinematics,
                                                              random_joints: FloatArray) -> None:
    solver = DampedLeastSquares(arm)
    solved = 0
    for T in arm.forward(random_joints[:200]):
        solution = solver.solve(T, HOME)
        assert arm.limits.contain(solution.joints)
        if solution.converged:
            solved += 1
            _, pos_err, rot_err = pose_error(T, arm.forward(solution.joints))
            assert pos_err <= 0.001
            assert rot_err <= 0.01
    assert solved >= 194


def test_another_arm_is_solved_too() -> None:
    arm = PlanarArm()
    T = arm.forward(np.array([0.7, -1.1, 0.4]))
    assert DampedLeastSquares(arm).solve(T, np.zeros(3)).converged


@pytest.mark.parametrize('limit', [7, 50, 400])
def test_an_unreachable_target_uses_up_the_iteration_limit(limit: int) -> None:
    solution = DampedLeastSquares(FrankaKinematics('panda'), limit).solve(FAR, HOME)
    assert not solution.converged
    assert solution.iterations == limit


def test_the_reported_errors_are_those_of_the_reported_joints(arm: FrankaKinematics) -> None:
    solution = DampedLeastSquares(arm).solve(FAR, HOME)
    reached = arm.forward(solution.joints)
    assert solution.pos_err == pytest.approx(math.dist(reached[:3, 3], FAR[:3, 3]), abs=1e-12)
    turn = Rotation.from_matrix(FAR[:3, :3] @ reached[:3, :3].T).magnitude()
    assert solution.rot_err == pytest.approx(turn, abs=1e-7)


def test_more_iterations_never_end_farther_away(arm: FrankaKinematics) -> None:
    errors = [DampedLeastSquares(arm, n).solve(FAR, HOME).pos_err for n in (5, 40, 400)]
    assert errors[0] > errors[1] >= errors[2] - 1e-3


def test_the_same_input_gives_the_same_output(arm: FrankaKinematics) -> None:
    one, two = (DampedLeastSquares(arm, 100).solve(FAR, HOME) for _ in range(2))
    np.testing.assert_array_equal(one.joints, two.joints)


def test_the_joint_that_stops_the_arm_is_named() -> None:
    arm = PlanarArm()
    solution = DampedLeastSquares(arm).solve(arm.forward(np.array([2.9, 0.0, 0.0])), np.zeros(3))
    assert not solution.converged
    assert solution.limiting_joint == 'a'


def test_narrower_limits_are_kept(arm: FrankaKinematics) -> None:
    solution = DampedLeastSquares(arm).solve(FAR, HOME, HOME - 0.1, HOME + 0.1)
    assert np.all(np.abs(solution.joints - HOME) <= 0.1 + 1e-12)


@pytest.mark.parametrize('angle', [0.0, 1e-9, 1e-3, 1.0, math.pi - 1e-9, math.pi])
@pytest.mark.parametrize('axis', [(1, 0, 0), (0, -0.6, 0.8), (-0.48, 0.6, 0.64)])
def test_the_pose_error_turns_one_pose_into_the_other(angle: float,
                                                      axis: tuple[float, float, float]) -> None:
    start, end = np.eye(4), np.eye(4)
    start[:3, :3] = Rotation.from_euler('xyz', [0.3, -0.2, 1.1]).as_matrix()
    turn = Rotation.from_rotvec(angle * np.array(axis))
    end[:3, :3] = turn.as_matrix() @ start[:3, :3]
    end[:3, 3] = 0.1, 0.2, -0.3
    twist, pos_err, rot_err = pose_error(end, start)
    np.testing.assert_allclose(twist[:3], [0.1, 0.2, -0.3])
    assert pos_err == pytest.approx(math.sqrt(0.14))
    assert rot_err == pytest.approx(angle, abs=1e-7)
    turned = Rotation.from_rotvec(twist[3:]).as_matrix() @ start[:3, :3]
    np.testing.assert_allclose(turned, end[:3, :3], atol=1e-7)
