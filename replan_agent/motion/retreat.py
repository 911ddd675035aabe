"""Ways out of a tight place: the hand goes back the way it came in, towards the arm, or up."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.pose import FloatArray

from .motion_protocols import Kinematics
from .shortcuts import Free

FARTHEST_M = 0.32
STEP_M = 0.04
LARGEST_TURN = 0.25  # rad of a joint in one step; more is a singularity
DAMPING = 1e-4 * np.eye(6)
UP = np.array([0.0, 0.0, 1.0])


def ways_out(kinematics: Kinematics, joints: FloatArray, free: Free) -> list[list[FloatArray]]:
    """Straight lines of the hand away from `joints`, as lists of joints, the nearest first.

    They lead back against the hand's approach direction, towards the arm's own axis, and up.
    """
    hand = kinematics.forward(joints)
    inward = -hand[:3, 3] * (1.0, 1.0, 0.0)
    directions = (-hand[:3, 2], inward / max(float(np.linalg.norm(inward)), 1e-9), UP)
    return [_line(kinematics, joints, STEP_M * direction, free) for direction in directions]


def _line(kinematics: Kinematics, joints: FloatArray, step_m: FloatArray,
          free: Free) -> list[FloatArray]:
    """The line ends where something is in the way, at a joint limit, or after `FARTHEST_M`."""
    limits, twist = kinematics.limits, np.concatenate([step_m, np.zeros(3)])
    line: list[FloatArray] = []
    for _ in range(round(FARTHEST_M / STEP_M)):
        J = kinematics.jacobian(joints)
        turn = J.T @ np.linalg.solve(J @ J.T + DAMPING, twist)
        joints = joints + turn
        if np.abs(turn).max() > LARGEST_TURN or not limits.contain(joints) or not free(joints):
            break
        line.append(joints)
    return line
