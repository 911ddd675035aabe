# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The proof is never wrong about a reachable pose, and proves nearly every unreachable one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from replan_agent.arms.franka_ik import AnalyticIK
from replan_agent.arms.franka_kinematics import HOME, FrankaKinematics
from replan_agent.arms.franka_reach import _Pieces, _possible, prove
from replan_agent.arms.franka_wrist import link7_from_tcp
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.pose import FloatArray, Pose


def poses_in_a_box(n: int, size_m: float, seed: int) -> FloatArray:
    """Random poses around the shoulder."""
    rng = np.random.default_rng(seed)
    T = np.tile(np.eye(4), (n, 1, 1))
    T[:, :3, :3] = Rotation.random(n, random_state=seed).as_matrix()
    T[:, :3, 3] = [0, 0, 0.333] + rng.uniform(-size_m, size_m, (n, 3))
    return T


def test_no_pose_of_random_joints_is_proved_unreachable(arm: FrankaKinematics,
                                                        random_joints: FloatArray) -> None:
    for T in arm.forward(random_joints):
        assert prove(T, arm.limits).verdict is not Reachability.PROVED_UNREACHABLE


def test_no_pose_at_joint_limits_is_proved_unreachable(arm: FrankaKinematics,
                                                       joints_at_limits: FloatArray) -> None:
    for T in arm.forward(joints_at_limits[:1000]):
        assert prove(T, arm.limits).verdict is not Reachability.PROVED_UNREACHABLE


def test_no_piece_that_holds_a_solution_is_ever_dropped(arm: FrankaKinematics,
                                                        joints_at_limits: FloatArray) -> None:
    rng = np.random.default_rng(3)
    for joints, T in zip(joints_at_limits, arm.forward(joints_at_limits), strict=True):
        half = np.repeat(np.geomspace(1e-5, 1.0, 6), 4)
        q7 = joints[6] + half * np.repeat(rng.uniform(-1, 1, 6), 4)
        pieces = _Pieces(q7, half, np.tile([False, False, True, True], 6),
                         np.tile([1.0, -1.0, 1.0, -1.0], 6))
        possible = _possible(link7_from_tcp(T[None]), pieces, arm.limits)
        assert possible.reshape(6, 4).any(axis=1).all()


def test_a_reachable_verdict_comes_with_joints_that_reach_it(arm: FrankaKinematics,
                                                             random_joints: FloatArray) -> None:
    for T in arm.forward(random_joints[:200]):
        result = prove(T, arm.limits)
        assert result.verdict is Reachability.REACHABLE
        assert result.witness is not None
        assert arm.limits.contain(result.witness)
        np.testing.assert_allclose(arm.forward(result.witness), T, atol=1e-9)


@pytest.mark.parametrize('size_m', [0.25, 0.6, 1.5])
def test_nearly_every_pose_without_a_solution_is_proved(arm: FrankaKinematics,
                                                        size_m: float) -> None:
    T = poses_in_a_box(400, size_m, seed=11)
    found = AnalyticIK(arm.limits).solve_nearest_batch(T, HOME)
    unsolved = [pose for pose, joints in zip(T, found, strict=True) if joints is None]
    verdicts = [prove(pose, arm.limits).verdict for pose in unsolved]
    assert len(verdicts) > 40
    undecided = verdicts.count(Reachability.UNDECIDED)
    assert verdicts.count(Reachability.REACHABLE) <= 0.01 * len(verdicts)
    assert undecided <= 0.01 * len(verdicts)


def test_a_target_beyond_reach_is_proved_with_the_distance(arm: FrankaKinematics) -> None:
    far = Pose.from_rpy(1.2, 0.0, 0.02, math.pi, 0.0, 0.0)
    result = prove(far.matrix(), arm.limits)
    assert result.verdict is Reachability.PROVED_UNREACHABLE
    assert result.out_of_reach_m is not None
    # By hand: the flange points down at x 1.2; the wrist centre, 0.088 m nearer, is at z 0.2304.
    by_hand = math.hypot(1.2 - 0.088, 0.333 - 0.2304) - (
        math.hypot(0.316, 0.0825) + math.hypot(0.384, 0.0825))
    assert result.out_of_reach_m == pytest.approx(by_hand, abs=1e-9)
    assert f'{by_hand:.4f} m beyond' in result.proof


def test_coming_closer_by_less_than_the_distance_is_still_out_of_reach(
        arm: FrankaKinematics) -> None:
    far = Pose.from_rpy(1.0, 0.3, 0.1, math.pi, 0.0, 0.4)
    out_of_reach_m = prove(far.matrix(), arm.limits).out_of_reach_m
    assert out_of_reach_m is not None
    for direction in Rotation.random(50, random_state=0).as_matrix()[:, 0]:
        step = 0.999 * out_of_reach_m * direction
        assert prove(far.moved(*step).matrix(), arm.limits).out_of_reach_m is not None


def test_a_pose_within_reach_but_beyond_the_joint_limits_is_proved(arm: FrankaKinematics) -> None:
    at_its_own_foot = Pose.from_rpy(0.1, 0.0, 0.1, math.pi, 0.0, 0.0).matrix()
    result = prove(at_its_own_foot, arm.limits)
    assert result.verdict is Reachability.PROVED_UNREACHABLE
    assert result.out_of_reach_m is None
    assert 'no joint angles within the limits' in result.proof


def test_a_pose_that_is_not_finite_is_refused(arm: FrankaKinematics) -> None:
    with pytest.raises(ValueError, match='finite'):
        prove(np.full((4, 4), np.nan), arm.limits)
