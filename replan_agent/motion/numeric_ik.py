# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Damped least squares IK for any arm that has forward kinematics and a Jacobian."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from replan_agent.arms.arm_model import Kinematics
from replan_agent.domain.pose import FloatArray

# Orientation has a high weight, so that for a target out of reach the residual is a distance and
# not a tilt of the hand.
METRES_PER_RADIAN = 5.0
_MAX_STEP = 0.5  # rad per joint and iteration; linearisation holds up to here
_DAMPING = 1e-6  # least damping: enough near a singularity, too little to slow convergence
_STALL_ITERATIONS = 8  # without progress for this long: start again elsewhere
_STALL_RATIO = 0.9  # progress: a residual below this share of the best
_AT_LIMIT = 1e-6  # rad


@dataclass(frozen=True)
class NumericSolution:
    """The best joints found, and their FK error. `iterations` is the number really run."""

    joints: FloatArray
    converged: bool
    iterations: int
    pos_err: float  # m
    rot_err: float  # rad
    limiting_joint: str | None


@dataclass(frozen=True)
class Tolerance:
    """When a pose counts as reached."""

    pos: float = 0.001  # m
    rot: float = 0.01  # rad


def pose_error(T_target: FloatArray, T: FloatArray) -> tuple[FloatArray, float, float]:
    """The error from `T` to `T_target`: twist (6,) in the base frame, m and rad."""
    t, a = T_target.tolist(), T.tolist()
    dx, dy, dz = t[0][3] - a[0][3], t[1][3] - a[1][3], t[2][3] - a[2][3]
    (ax, ay, az, _), (bx, by, bz, _), (cx, cy, cz, _) = a[:3]
    R = [(x * ax + y * ay + z * az, x * bx + y * by + z * bz, x * cx + y * cy + z * cz)
         for x, y, z, _ in t[:3]]
    wx, wy, wz, angle = _rotation_vector(R)
    return np.array((dx, dy, dz, wx, wy, wz)), math.sqrt(dx * dx + dy * dy + dz * dz), angle


def _rotation_vector(R: list[tuple[float, float, float]]) -> tuple[float, float, float, float]:
    """Axis times angle, and the angle (rad, 0 to pi), of a rotation matrix."""
    x, y, z = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]
    sin2, cos2 = math.sqrt(x * x + y * y + z * z), R[0][0] + R[1][1] + R[2][2] - 1.0
    angle = math.atan2(sin2, cos2)
    if sin2 > 1e-6:
        scale = angle / sin2
        return x * scale, y * scale, z * scale, angle
    if cos2 > 0:
        return x / 2, y / 2, z / 2, angle
    # Half a turn: the axis is on the diagonal, and its sign does not matter.
    axis = [math.sqrt(max(0.0, (R[i][i] + 1) / 2)) for i in range(3)]
    k = axis.index(max(axis))
    signed = [axis[i] if i == k or R[i][k] + R[k][i] >= 0 else -axis[i] for i in range(3)]
    return signed[0] * angle, signed[1] * angle, signed[2] * angle, angle


class DampedLeastSquares:
    """Levenberg-Marquardt steps within the joint limits. The same input gives the same output.

    The damping follows the residual (Sugihara 2011): strong far from the target, zero at it. If
    one start makes no more progress, the next of a fixed series of starts is used. All starts
    share the iteration limit, and an unreachable target uses all of it. A joint at a limit is
    left out of a step that would push it further.
    """

    def __init__(self, kinematics: Kinematics, max_iterations: int = 400,
                 tolerance: Tolerance | None = None, restarts: bool = True) -> None:
        self.kinematics = kinematics
        self.max_iterations = max_iterations
        self.tolerance = tolerance or Tolerance()
        self.restarts = restarts

    def solve(self, T_base_tcp: FloatArray, near: FloatArray, lower: FloatArray | None = None,
              upper: FloatArray | None = None) -> NumericSolution:
        """Joints from `near` that reach the pose (4, 4), or the best found within the limits.

        `lower` and `upper` narrow the limits, for example to stay near the last waypoint.
        """
        limits = self.kinematics.limits
        low = limits.lower if lower is None else np.maximum(lower, limits.lower)
        high = limits.upper if upper is None else np.minimum(upper, limits.upper)
        search = _Search(self.kinematics, np.asarray(T_base_tcp, dtype=float), low, high)
        search.start_at(near)
        starts = _starts(low, high)
        while not search.reached(self.tolerance) and search.iterations < self.max_iterations:
            if self.restarts and search.stalled:
                search.start_at(next(starts))
            search.step()
        return search.solution(self.tolerance)


class _Search:
    """The current joints and the best found so far."""

    def __init__(self, kinematics: Kinematics, target: FloatArray, low: FloatArray,
                 high: FloatArray) -> None:
        self.kinematics, self.target, self.low, self.high = kinematics, target, low, high
        self.iterations = 0
        self.best_cost = math.inf
        self._weight = np.array([1.0] * 3 + [METRES_PER_RADIAN] * 3)
        self._idle = 0

    def start_at(self, joints: FloatArray) -> None:
        self._run_best = math.inf
        self._move_to(np.asarray(joints, dtype=float))

    @property
    def stalled(self) -> bool:
        return self._idle >= _STALL_ITERATIONS

    def reached(self, tolerance: Tolerance) -> bool:
        return self.best_pos_err <= tolerance.pos and self.best_rot_err <= tolerance.rot

    def step(self) -> None:
        """One damped step; counts as an iteration."""
        self.iterations += 1
        J = self.kinematics.jacobian(self.joints) * self._weight[:, None]
        error = self._error * self._weight
        gradient = J.T @ error
        at_low, at_high = self.joints <= self.low, self.joints >= self.high
        if np.count_nonzero(at_low) or np.count_nonzero(at_high):  # seldom
            blocked = (at_low & (gradient < 0)) | (at_high & (gradient > 0))
            J[:, blocked] = 0.0
            gradient[blocked] = 0.0
        normal = J.T @ J
        normal.flat[::len(gradient) + 1] += self._cost + _DAMPING
        change = np.linalg.solve(normal, gradient)
        largest = max(map(abs, change.tolist()))
        if largest > _MAX_STEP:
            change *= _MAX_STEP / largest
        self._move_to(self.joints + change)

    def _move_to(self, joints: FloatArray) -> None:
        self.joints = joints = np.minimum(np.maximum(joints, self.low), self.high)
        self._error, pos_err, rot_err = pose_error(self.target, self.kinematics.forward(joints))
        self._cost = pos_err**2 + (METRES_PER_RADIAN * rot_err) ** 2
        if self._cost < self.best_cost:
            self.best_cost, self.best_joints = self._cost, joints
            self.best_pos_err, self.best_rot_err = pos_err, rot_err
        if self._cost < self._run_best * _STALL_RATIO:
            self._run_best, self._idle = self._cost, 0
        else:
            self._idle += 1

    def solution(self, tolerance: Tolerance) -> NumericSolution:
        reached = self.reached(tolerance)
        return NumericSolution(self.best_joints, reached, self.iterations, self.best_pos_err,
                               self.best_rot_err, None if reached else self._limiting_joint())

    def _limiting_joint(self) -> str | None:
        """The joint at a limit whose further motion would reduce the residual most."""
        limits = self.kinematics.limits
        error, _, _ = pose_error(self.target, self.kinematics.forward(self.best_joints))
        pull = self.kinematics.jacobian(self.best_joints).T @ (error * self._weight**2)
        outward = np.maximum(
            np.where(self.best_joints >= limits.upper - _AT_LIMIT, pull, 0.0),
            np.where(self.best_joints <= limits.lower + _AT_LIMIT, -pull, 0.0))
        joint = int(np.argmax(outward))
        return limits.names[joint] if outward[joint] > 1e-9 else None


def _starts(low: FloatArray, high: FloatArray) -> Iterator[FloatArray]:
    """A fixed series of joint vectors: the middle of the range, then spread evenly over it."""
    # Steps of the generalised golden ratio cover the box evenly (Roberts' R sequence).
    n = len(low)
    ratio = 2.0
    for _ in range(30):
        ratio = (1 + ratio) ** (1 / (n + 1))
    step = ratio ** -np.arange(1, n + 1)
    for count in itertools.count():
        yield low + (high - low) * ((0.5 + count * step) % 1.0)
