# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward kinematics and Jacobian against values that were written down independently."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_kinematics import HOME, FrankaKinematics
from replan_agent.arms.known_arms import ARMS
from replan_agent.domain.pose import FloatArray


def urdf_chain(joints: FloatArray) -> FloatArray:
    """TCP by the joint origins of the public URDF (xyz, rpy), multiplied out step by step."""
    origins = [
        ((0, 0, 0.333), 0), ((0, 0, 0), -1), ((0, -0.316, 0), 1), ((0.0825, 0, 0), 1),
        ((-0.0825, 0.384, 0), -1), ((0, 0, 0), 1), ((0.088, 0, 0), 1),
    ]  # fmt: skip
    T = np.eye(4)
    for (xyz, quarters), angle in zip(origins, joints, strict=True):
        step = np.eye(4)
        step[:3, 3] = xyz
        step[:3, :3] = (Rotation.from_euler('x', quarters * np.pi / 2)
                        * Rotation.from_euler('z', angle)).as_matrix()
        T = T @ step
    hand = np.eye(4)
    hand[:3, :3] = Rotation.from_euler('z', -np.pi / 4).as_matrix()
    hand[2, 3] = 0.107 + 0.1034
    return T @ hand


def test_at_zero_the_flange_is_above_the_base_and_points_down(arm: FrankaKinematics) -> None:
    flange = arm.link_frames(np.zeros(7))[-2]
    np.testing.assert_allclose(flange[:3, 3], [0.088, 0, 0.926], atol=1e-12)
    np.testing.assert_allclose(flange[:3, 2], [0, 0, -1], atol=1e-12)


def test_at_home_the_hand_is_where_franka_users_know_it(arm: FrankaKinematics) -> None:
    T = arm.forward(HOME)
    np.testing.assert_allclose(T[:3, 3], [0.307, 0, 0.487], atol=5e-4)
    np.testing.assert_allclose(T[:3, :3], np.diag([1, -1, -1]), atol=1e-12)


def test_forward_equals_the_urdf_chain(arm: FrankaKinematics, random_joints: FloatArray) -> None:
    for joints in random_joints[:100]:
        np.testing.assert_allclose(arm.forward(joints), urdf_chain(joints), atol=1e-12)


def test_a_batch_equals_single_configurations(arm: FrankaKinematics,
                                              random_joints: FloatArray) -> None:
    batch = random_joints[:60].reshape(3, 20, 7)
    singles = np.array([[arm.forward(q) for q in row] for row in batch])
    np.testing.assert_allclose(arm.forward(batch), singles, atol=1e-12)
    singles = np.array([[arm.link_frames(q) for q in row] for row in batch])
    np.testing.assert_allclose(arm.link_frames(batch), singles, atol=1e-12)


def test_the_jacobian_equals_finite_differences(arm: FrankaKinematics,
                                                random_joints: FloatArray) -> None:
    h = 1e-6
    for joints in random_joints[:50]:
        numeric = np.empty((6, 7))
        R = arm.forward(joints)[:3, :3]
        for i in range(7):
            step = h * np.eye(7)[i]
            ahead, behind = arm.forward(joints + step), arm.forward(joints - step)
            numeric[:3, i] = (ahead - behind)[:3, 3] / (2 * h)
            spin = (ahead - behind)[:3, :3] / (2 * h) @ R.T
            numeric[3:, i] = spin[2, 1], spin[0, 2], spin[1, 0]
        np.testing.assert_allclose(arm.jacobian(joints), numeric, atol=1e-8)


def test_the_models_have_their_own_limits_and_joint_names() -> None:
    panda, fr3 = FrankaKinematics('panda').limits, FrankaKinematics('fr3').limits
    assert panda.names[0] == 'panda_joint1'
    assert fr3.names[6] == 'fr3_joint7'
    assert (panda.upper[5], fr3.upper[5]) == (3.7525, 4.5169)
    assert (panda.velocity[4], fr3.velocity[4]) == (2.61, 5.26)


@pytest.mark.parametrize('name', ['fr3v2', 'fr3v2_1'])
def test_the_second_generation_of_the_fr3_goes_further_and_has_its_own_names(name: str) -> None:
    old, new = ARMS['fr3'], ARMS[name]
    assert new.joint_names[0] == f'{name}_joint1'
    assert new.finger_names == (f'{name}_finger_joint1', f'{name}_finger_joint2')
    assert new.ros.trajectory_action == f'{name}_arm_controller/follow_joint_trajectory'
    assert (new.limits.lower[5], new.limits.upper[5]) == (0.4399, 4.6216)
    assert (old.limits.lower >= new.limits.lower).all()
    assert np.allclose(old.kinematics.forward(np.array(old.home)),
                       new.kinematics.forward(np.array(new.home)))


def test_a_wrong_number_of_joints_is_refused(arm: FrankaKinematics) -> None:
    with pytest.raises(ValueError, match='7 joints'):
        arm.forward(np.zeros(6))


def test_home_tcp_is_where_home_brings_the_hand():
    found = FrankaKinematics().forward(np.array(HOME))[:3, 3]
    assert found == pytest.approx(PANDA.home_tcp, abs=1e-4)
