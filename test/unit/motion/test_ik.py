# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""IK with a report: the sentence of a failed solve is true in every number."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_ik import AnalyticIK
from replan_agent.arms.franka_kinematics import HOME, FrankaKinematics
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import IKConfig
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.motion.ik import DISTINCT_RAD, ExactIK

FAR = Pose.from_rpy(1.2, 0.0, 0.02, math.pi, 0.0, 0.0)
NEAR = Pose.from_rpy(0.5, 0.1, 0.2, math.pi, 0.0, 0.3)


def test_a_reachable_target_gives_joints_that_reach_it_and_no_report(
        arm: FrankaKinematics) -> None:
    outcome = ExactIK(arm_named(arm.model)).solve(NEAR, HOME)
    assert outcome.report is None
    assert outcome.joints is not None
    assert arm.limits.contain(outcome.joints)
    reached = Pose.from_matrix(arm.forward(outcome.joints))
    assert reached.distance_to(NEAR) <= 0.001


def test_the_report_has_its_fixed_sentence() -> None:
    report = ExactIK(PANDA).solve(FAR, HOME).report
    assert report is not None
    assert report.sentence.startswith(
        f'IK did not converge in 400 iters (pos_err={report.pos_err:.4f}m > tol=0.001m)')


def test_pos_err_equals_forward_kinematics_at_the_reported_joints(
        arm: FrankaKinematics) -> None:
    report = ExactIK(arm_named(arm.model)).solve(FAR, HOME).report
    assert report is not None
    reached = arm.forward(np.array(report.joints))[:3, 3]
    assert report.pos_err == pytest.approx(math.dist(reached, FAR.position), abs=1e-12)
    assert arm.limits.contain(np.array(report.joints))


def test_the_iteration_limit_changes_the_sentence(arm: FrankaKinematics) -> None:
    sentences = []
    for limit in (3, 400):
        ik = ExactIK(arm_named(arm.model), IKConfig(max_iterations=limit))
        report = ik.solve(FAR, HOME).report
        assert report is not None
        assert f'in {limit} iters' in report.sentence
        sentences.append(report.sentence.split('(')[1])
    assert sentences[0] != sentences[1]


def test_a_proof_says_by_how_much_the_target_is_out_of_reach(arm: FrankaKinematics) -> None:
    ik = ExactIK(arm_named(arm.model), base_frame='some_base')
    report = ik.solve(FAR, HOME).report
    assert report is not None
    assert report.reachability is Reachability.PROVED_UNREACHABLE
    assert report.out_of_reach_m == pytest.approx(0.397, abs=0.001)
    assert f'proved unreachable: target is {report.out_of_reach_m:.4f} m' in report.sentence
    assert report.frame == 'some_base'
    assert report.target == FAR
    assert ik.last_proof is not None
    assert ik.last_proof.elapsed_s > 0


def test_the_residual_is_not_below_what_the_proof_allows(arm: FrankaKinematics) -> None:
    report = ExactIK(arm_named(arm.model)).solve(FAR, HOME).report
    assert report is not None
    assert report.out_of_reach_m is not None
    lever_m = 0.25  # turning the hand may gain this much per radian
    assert report.pos_err >= report.out_of_reach_m - lever_m * report.rot_err


def test_a_target_just_out_of_reach_is_solved_within_the_tolerance(arm: FrankaKinematics) -> None:
    ik = ExactIK(arm_named(arm.model))
    report = ik.solve(FAR, HOME).report
    assert report is not None
    assert report.out_of_reach_m is not None
    direction = np.array([0.0, 0.0, 0.333 - 0.2304]) - [1.2 - 0.088, 0.0, 0.0]
    closer = direction / np.linalg.norm(direction) * (report.out_of_reach_m - 3e-4)
    edge = FAR.moved(*closer)
    outcome = ik.solve(edge, HOME)
    assert outcome.joints is not None
    assert Pose.from_matrix(arm.forward(outcome.joints)).distance_to(edge) <= 0.001


def test_many_targets_are_answered_in_order(arm: FrankaKinematics) -> None:
    ik = ExactIK(arm_named(arm.model), IKConfig(max_iterations=50))
    targets = [NEAR, FAR, NEAR.moved(dz=0.1)]
    found = ik.solve_many(targets, HOME)
    assert found[1] is None
    for target, joints in zip(targets, found, strict=True):
        if target is not FAR:
            assert joints is not None
            assert Pose.from_matrix(arm.forward(joints)).distance_to(target) <= 0.001
    assert ik.solve_many([], HOME) == []


def test_alternatives_of_many_targets_are_those_of_each_alone(arm: FrankaKinematics,
                                                             random_joints: FloatArray) -> None:
    ik = ExactIK(arm_named(arm.model))
    poses = [Pose.from_matrix(T) for T in arm.forward(random_joints[:30])]
    for target, found in zip([*poses, FAR], ik.alternatives([*poses, FAR], HOME), strict=True):
        expected = one_by_one(ik, AnalyticIK(arm.limits), target)
        np.testing.assert_allclose(list(found), expected, atol=1e-9)
    assert ik.alternatives([], HOME) == []


def one_by_one(ik: ExactIK, closed_form: AnalyticIK, target: Pose) -> list[FloatArray]:
    """The solution nearest to home, then the cheapest that differs from all before it."""
    if ik.solve_many([target], HOME)[0] is None:
        return []
    chosen = [ik.solve(target, HOME).joints]
    every = closed_form.solve_all_batch(target.matrix()[None]).joints
    for joints in every[np.argsort(closed_form.cost(every, HOME), kind='stable')]:
        if all(np.abs(joints - other).max() >= DISTINCT_RAD for other in chosen):
            chosen.append(joints)
    return chosen


def test_a_target_that_is_not_finite_is_refused(arm: FrankaKinematics) -> None:
    with pytest.raises(ValueError, match='finite'):
        ExactIK(arm_named(arm.model)).solve(Pose((math.nan, 0.0, 0.0)), HOME)


def test_poses_at_joint_limits_are_solved_or_left_undecided(arm: FrankaKinematics,
                                                            joints_at_limits: FloatArray) -> None:
    ik = ExactIK(arm_named(arm.model), IKConfig(max_iterations=100))
    solved = 0
    for T in arm.forward(joints_at_limits[:100]):
        outcome = ik.solve(Pose.from_matrix(T), HOME)
        if outcome.report is None:
            solved += 1
        else:
            assert outcome.report.reachability is Reachability.UNDECIDED
    assert solved >= 95
