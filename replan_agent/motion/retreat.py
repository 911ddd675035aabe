"""Backing out of a tight place: the hand goes back the way it came in."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.pose import FloatArray

from .motion_protocols import Kinematics
from .shortcuts import Free

FARTHEST_M = 0.32
STEP_M = 0.04
LARGEST_TURN = 0.25  # rad of a joint in one step; more is a singularity
DAMPING = 1e-4


def backed_out(kinematics: Kinematics, joints: FloatArray, free: Free) -> list[FloatArray]:
    """Joints on the straight line back from `joints`, against the hand's approach direction.

    It ends where something is in the way, at a joint limit, or after `FARTHEST_M`.
    """
    limits = kinematics.limits
    twist = np.concatenate([-STEP_M * kinematics.forward(joints)[:3, 2], np.zeros(3)])
    line: list[FloatArray] = []
    for _ in range(round(FARTHEST_M / STEP_M)):
        J = kinematics.jacobian(joints)
        turn = J.T @ np.linalg.solve(J @ J.T + DAMPING * np.eye(6), twist)
        joints = joints + turn
        if np.abs(turn).max() > LARGEST_TURN or not limits.contain(joints) or not free(joints):
            break
        line.append(joints)
    return line
