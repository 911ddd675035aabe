# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed form finds every branch, only real solutions, and the near one."""

from __future__ import annotations

import numpy as np

from replan_agent.arms.franka_ik import AnalyticIK, solve_for_q7
from replan_agent.arms.franka_kinematics import HOME, FrankaKinematics
from replan_agent.domain.pose import FloatArray, Pose


def test_forward_of_every_solution_is_the_target(arm: FrankaKinematics,
                                                 random_joints: FloatArray) -> None:
    T = arm.forward(random_joints)
    solutions = solve_for_q7(T, random_joints[:, 6], arm.limits)
    assert len(solutions.joints) > 2 * len(T)
    np.testing.assert_allclose(arm.forward(solutions.joints), T[solutions.row], atol=1e-9)


def test_the_joints_that_made_the_pose_are_among_the_solutions(arm: FrankaKinematics,
                                                               random_joints: FloatArray) -> None:
    solutions = solve_for_q7(arm.forward(random_joints), random_joints[:, 6], arm.limits)
    off = np.full(len(random_joints), np.inf)
    distance = np.abs(solutions.joints - random_joints[solutions.row]).max(axis=1)
    np.minimum.at(off, solutions.row, distance)
    assert off.max() < 1e-6


def test_no_solution_is_outside_the_limits(arm: FrankaKinematics,
                                           joints_at_limits: FloatArray) -> None:
    T = arm.forward(joints_at_limits)
    solutions = solve_for_q7(T, joints_at_limits[:, 6], arm.limits)
    assert np.all(solutions.joints >= arm.limits.lower)
    assert np.all(solutions.joints <= arm.limits.upper)


def test_random_reachable_poses_are_all_solved(arm: FrankaKinematics,
                                               random_joints: FloatArray) -> None:
    T = arm.forward(random_joints)
    found = AnalyticIK(arm.limits).solve_nearest_batch(T, HOME)
    solved = [k for k, joints in enumerate(found) if joints is not None]
    assert len(solved) >= 0.999 * len(T)
    joints = np.stack([found[k] for k in solved])  # type: ignore[arg-type]
    np.testing.assert_allclose(arm.forward(joints), T[solved], atol=1e-9)


def test_the_same_pose_again_keeps_the_arm_where_it_is(arm: FrankaKinematics,
                                                       random_joints: FloatArray) -> None:
    ik, middle = AnalyticIK(arm.limits), (arm.limits.lower + arm.limits.upper) / 2
    for joints in middle + 0.8 * (random_joints[:100] - middle):  # clear of limits
        solution = ik.solve_nearest(arm.forward(joints), joints)
        np.testing.assert_allclose(solution, joints, atol=1e-6)


def test_at_a_shoulder_singularity_the_arm_stays_too(arm: FrankaKinematics) -> None:
    joints = np.array([0.4, 0.0, -0.3, -np.pi / 2, 0.2, np.pi / 2, np.pi / 4])
    solution = AnalyticIK(arm.limits).solve_nearest(arm.forward(joints), joints)
    np.testing.assert_allclose(solution, joints, atol=1e-6)


def test_a_much_finer_sweep_rarely_finds_anything_cheaper(arm: FrankaKinematics,
                                                          random_joints: FloatArray) -> None:
    ik, extra_cost = AnalyticIK(arm.limits), []
    for T in arm.forward(random_joints[:50]):
        solution = ik.solve_nearest(T, HOME)
        assert solution is not None
        cheapest = ik.cost(ik.solve_all_batch(T[None], 4096).joints, HOME).min()
        extra_cost.append(ik.cost(solution, HOME) - cheapest)
    assert np.median(extra_cost) < 1e-3
    assert np.percentile(extra_cost, 90) < 0.02


def test_grasps_above_a_table_get_nearly_the_cheapest_solution(arm: FrankaKinematics) -> None:
    ik, rng = AnalyticIK(arm.limits), np.random.default_rng(5)
    for radius, bearing, yaw in rng.uniform([0.35, -1, -1.5], [0.65, 1, 1.5], (40, 3)):
        T = Pose.from_rpy(radius * np.cos(bearing), radius * np.sin(bearing), 0.05, np.pi, 0.0,
                          yaw).matrix()
        solution = ik.solve_nearest(T, HOME)
        assert solution is not None
        cheapest = ik.cost(ik.solve_all_batch(T[None], 2048).joints, HOME).min()
        assert ik.cost(solution, HOME) < 1.05 * cheapest + 0.01


def test_a_clear_solution_is_preferred_to_a_slightly_nearer_one_at_a_limit(
        arm: FrankaKinematics) -> None:
    ik = AnalyticIK(arm.limits)
    crowded = HOME.copy()
    crowded[3] = arm.limits.lower[3]
    clear = HOME.copy()
    clear[3] = arm.limits.lower[3] + 0.4
    near = HOME.copy()
    near[3] = arm.limits.lower[3] + 0.1
    assert ik.cost(clear, near) < ik.cost(crowded, near)


def test_a_batch_gives_what_single_solves_give(arm: FrankaKinematics,
                                               random_joints: FloatArray) -> None:
    ik, T = AnalyticIK(arm.limits), arm.forward(random_joints[:40])
    T[7, 0, 3] += 3.0  # out of reach
    batch = ik.solve_nearest_batch(T, HOME)
    assert batch[7] is None
    for pose, joints in zip(T, batch, strict=True):
        single = ik.solve_nearest(pose, HOME)
        if joints is None or single is None:
            assert joints is single
        else:
            np.testing.assert_allclose(joints, single, atol=1e-9)
