# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Straight lines of the tool centre point, as joint waypoints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from replan_agent.arms.arm_model import Kinematics
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray, Pose

from .numeric_ik import DampedLeastSquares, NumericSolution, Tolerance, pose_error
from .shortcuts import Free

STEP_M = 0.005
STEP_RAD = 0.03
MAX_JUMP = 0.25  # rad per joint and waypoint; more means another IK branch
# Far below the arm's own accuracy: noise in the waypoints would be curvature and slow the motion.
LINE_TOLERANCE = Tolerance(pos=1e-6, rot=1e-5)
WAY_OUT_M = 0.32
WAY_OUT_STEP_M = 0.04
WAY_OUT_TURN = 0.25  # rad of a joint in one step; more is a singularity
WAY_OUT_DAMPING = 1e-4 * np.eye(6)


@dataclass(frozen=True)
class StraightLine:
    """Waypoints (N, joints) from the start to the target, or where and why the line stopped.

    `reached` is the share of the line before the first pose that failed; 1.0 is the whole line.
    """

    waypoints: FloatArray
    reached: float
    failed_target: Pose | None = None
    attempt: NumericSolution | None = None


class LineFollower:
    """Follows a line by Newton steps from waypoint to waypoint, for any arm.

    Why not the closed form at every waypoint: Jacobian steps stay on their branch, spread the
    motion over all joints, pass singularities and yield at joint limits by themselves. From the
    extrapolated guess, one or two steps are enough.
    """

    def __init__(self, kinematics: Kinematics, max_iterations: int = 400) -> None:
        self._kinematics = kinematics
        self._solver = DampedLeastSquares(kinematics, max_iterations, LINE_TOLERANCE,
                                          restarts=False)

    def follow(self, start: FloatArray, target: Pose, ctx: Context | None = None,
               toward: FloatArray | None = None) -> StraightLine:
        """The line from the TCP at `start` to `target`: all of it, or why not.

        `toward` are joints for `target` to steer to. A redundant arm gets around a joint limit on
        the way only if it knows early where to go.
        """
        joints = np.asarray(start, dtype=float)
        poses = line_poses(self._kinematics.forward(joints), target.matrix())
        waypoints, previous = [joints], joints
        for k, T in enumerate(poses[1:], start=1):
            if ctx is not None:
                ctx.check()
            if toward is None:
                guess = 2 * joints - previous  # continue as before
            else:
                guess = joints + (toward - joints) / (len(poses) - k)
            solution = self._solver.solve(T, guess, joints - MAX_JUMP, joints + MAX_JUMP)
            if not solution.converged:
                return StraightLine(np.stack(waypoints), (k - 1) / (len(poses) - 1),
                                    Pose.from_matrix(T), solution)
            previous, joints = joints, solution.joints
            waypoints.append(joints)
        return StraightLine(np.stack(waypoints), 1.0)


def ways_out(kinematics: Kinematics, joints: FloatArray, free: Free) -> Iterator[list[FloatArray]]:
    """Straight lines of the hand away from `joints`, as lists of joints, the nearest first.

    They lead back against the hand's approach direction, towards the arm's own axis, and up.
    """
    hand = kinematics.forward(joints)
    inward = -hand[:3, 3] * (1.0, 1.0, 0.0)
    directions = (-hand[:3, 2], inward / max(float(np.linalg.norm(inward)), 1e-9),
                  np.array([0.0, 0.0, 1.0]))
    for direction in directions:
        yield _away(kinematics, joints, WAY_OUT_STEP_M * direction, free)


def _away(kinematics: Kinematics, joints: FloatArray, step_m: FloatArray,
          free: Free) -> list[FloatArray]:
    """The line ends where something is in the way, at a joint limit, or after `WAY_OUT_M`."""
    limits, twist = kinematics.limits, np.concatenate([step_m, np.zeros(3)])
    line: list[FloatArray] = []
    for _ in range(round(WAY_OUT_M / WAY_OUT_STEP_M)):
        J = kinematics.jacobian(joints)
        turn = J.T @ np.linalg.solve(J @ J.T + WAY_OUT_DAMPING, twist)
        joints = joints + turn
        if np.abs(turn).max() > WAY_OUT_TURN or not limits.contain(joints) or not free(joints):
            break
        line.append(joints)
    return line


def line_poses(T_start: FloatArray, T_end: FloatArray) -> FloatArray:
    """Poses (N, 4, 4) from start to end: position on a line, orientation at a constant rate."""
    twist, distance_m, angle = pose_error(T_end, T_start)
    steps = max(1, int(np.ceil(distance_m / STEP_M)), int(np.ceil(angle / STEP_RAD)))
    share = np.linspace(0.0, 1.0, steps + 1)
    poses = np.tile(T_start, (steps + 1, 1, 1))
    poses[:, :3, 3] += share[:, None] * twist[:3]
    poses[:, :3, :3] = _turns(twist[3:], angle, share) @ T_start[:3, :3]
    poses[-1] = T_end
    return poses


def _turns(rotation_vector: FloatArray, angle: float, share: FloatArray) -> FloatArray:
    """Rotation matrices (N, 3, 3) for shares of a rotation vector (Rodrigues)."""
    if angle < 1e-12:
        return np.broadcast_to(np.eye(3), (len(share), 3, 3))
    x, y, z = rotation_vector / angle
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned = (share * angle)[:, None, None]
    return np.asarray(np.eye(3) + np.sin(turned) * K + (1 - np.cos(turned)) * (K @ K))
