# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the joints feel in a stroke is a force at the hand, or something else."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from replan_agent_contact.contact_motion import resisting, unexplained

from replan_agent.arms.known_arms import arm_named
from replan_agent.execute.felt import UNEXPLAINED

ARM = arm_named('panda')
CALL = SimpleNamespace(kit=SimpleNamespace(arm=ARM))
JOINTS = np.array(ARM.home) + 0.1
BACK = np.array([-1.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # straight on, without a turn


def pushed(link: int, force: np.ndarray) -> np.ndarray:
    """The torques of the joints from a force at a link, the last one of all: at the TCP."""
    step = 1e-6
    frames = [ARM.kinematics.link_frames(JOINTS + d)[link, :3, 3]
              for d in (*(step * np.eye(len(JOINTS))), np.zeros(len(JOINTS)))]
    return np.array([(frame - frames[-1]) @ force / step for frame in frames[:-1]])


@pytest.mark.parametrize('force', [(40.0, 0.0, 0.0), (30.0, 20.0, -20.0)])
def test_a_pull_at_the_hand_is_explained_by_it(force):
    assert unexplained(CALL, JOINTS, pushed(-1, np.array(force)), BACK) < 0.01
    along = resisting(CALL, JOINTS, BACK) @ pushed(-1, np.array(force))
    assert along == pytest.approx(force[0], rel=0.05)


def test_a_push_at_the_elbow_is_not_explained_by_the_hand():
    for force in 60 * np.vstack([np.eye(3), -np.eye(3)]):
        torque = pushed(3, force)
        if np.linalg.norm(torque) > 5:
            assert unexplained(CALL, JOINTS, torque, BACK) > UNEXPLAINED


def test_a_torque_about_the_axis_of_a_turn_is_felt_as_that():
    about = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    torque = -0.7 * ARM.kinematics.jacobian(JOINTS)[5]
    assert resisting(CALL, JOINTS, about) @ torque == pytest.approx(0.7, rel=0.05)
    assert unexplained(CALL, JOINTS, torque, about) < 0.01
    assert unexplained(CALL, JOINTS, torque, BACK) > UNEXPLAINED
