# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an action of a policy means for the joints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from replan_agent.arms.arm_model import Kinematics
from replan_agent.domain.pose import FloatArray

STEP_S = 0.05  # 20 actions a second
MOVED_M, TURNED_RAD = 0.01, 0.05  # of a full action along one axis, in one step
SPEED_SHARE = 0.5  # of the limits of the joints
DAMPING = 0.03  # keeps the joints calm near a singularity
LEAD_RAD = 0.2  # how far the command may be ahead of the arm

Move = Callable[[Kinematics, FloatArray, FloatArray], FloatArray]


def by_joints(arm: Kinematics, joints: FloatArray, action: FloatArray) -> FloatArray:
    """Each number is a share of the joint's speed."""
    return np.asarray(joints + action * SPEED_SHARE * arm.limits.velocity * STEP_S)


def by_tool(arm: Kinematics, joints: FloatArray, action: FloatArray) -> FloatArray:
    """Shift (x, y, z) and turn (about x, y, z) of the tool, in the base frame."""
    J = arm.jacobian(joints)
    wanted = action * np.repeat((MOVED_M, TURNED_RAD), 3)
    turn = J.T @ np.linalg.solve(J @ J.T + DAMPING ** 2 * np.eye(6), wanted)
    most = SPEED_SHARE * arm.limits.velocity * STEP_S
    return np.asarray(joints + turn / max(1.0, float(np.max(np.abs(turn) / most))))


CONTROLS: dict[str, tuple[int, Move]] = {'tool': (6, by_tool), 'joints': (7, by_joints)}


def next_joints(arm: Kinematics, control: str, commanded: FloatArray, now: FloatArray,
                action: FloatArray) -> FloatArray:
    """The next command (rad), from the last one and where the joints are."""
    goal = CONTROLS[control][1](arm, commanded, action)
    return np.asarray(arm.limits.clamp(np.clip(goal, now - LEAD_RAD, now + LEAD_RAD)))
