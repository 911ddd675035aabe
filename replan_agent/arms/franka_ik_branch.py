# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One solution of a Franka's IK as a function of joint 7, with plain floats: for small changes."""

from __future__ import annotations

import math

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointLimits

from . import franka_wrist as wrist
from .franka_wrist import Link7

LIMIT_CLEARANCE = 0.15  # rad; closer to a limit than this adds cost
LIMIT_WEIGHT = 1.0  # rad²; the cost of touching one limit
_WIDE, _NARROW = 0.5, 0.15  # of a step: between the points of the parabola
_AS_FORESEEN = 1e-3  # rad²; farther off the parabola, it is none


class Branch:
    """The way in which `joints` bend elbow, wrist and shoulder, for one pose.

    `cost` is squared distance (rad²) to `near` plus a penalty near limits, as in `AnalyticIK`.
    """

    def __init__(self, link7: Link7, pose: int, joints: FloatArray, near: FloatArray,
                 limits: JointLimits) -> None:
        self._axes = [part[pose].tolist() for part in link7[:3]]
        self._along = [float(part[pose]) for part in link7[3:6]]
        self._stretched = joints[3] > -wrist.ELBOW_OFFSET
        self._wrist = 1.0 if math.cos(joints[4]) >= 0 else -1.0
        self._shoulder = 1.0 if joints[1] >= 0 else -1.0
        self._near = near.tolist()
        self._lower, self._upper = limits.lower.tolist(), limits.upper.tolist()

    def at(self, q7: float) -> tuple[float, list[float]]:
        """Cost and joints; the cost is infinite if they are outside the limits."""
        try:
            angles = self._angles(q7)
        except (ValueError, ZeroDivisionError):  # the arm is too short or too long
            return math.inf, []
        cost, joints = 0.0, []
        for angle, low, high, wanted in zip(angles, self._lower, self._upper, self._near):
            angle = low + (angle - low) % math.tau
            margin = high - angle
            if margin < 0:
                return math.inf, []
            away = angle - wanted
            cost += away * away
            if angle - low < margin:
                margin = angle - low
            if margin < LIMIT_CLEARANCE:
                cost += LIMIT_WEIGHT * (1 - margin / LIMIT_CLEARANCE) ** 2
            joints.append(angle)
        return cost, joints

    def lowest(self, q7: float, cost: float, step: float) -> tuple[float, list[float]] | None:
        """Cost and joints at the bottom of the parabola through three values of joint 7.

        None if the cost is no such parabola, within `step` (rad).
        """
        for width in (_WIDE * step, _NARROW * step):
            left, right = self.at(q7 - width)[0], self.at(q7 + width)[0]
            bend = left - 2 * cost + right
            shift = 0.5 * width * (left - right) / bend if 0 < bend < math.inf else math.inf
            if abs(shift) > step:
                return None
            found = self.at(q7 + shift)
            if abs(found[0] - cost + 0.5 * bend * (shift / width) ** 2) < _AS_FORESEEN:
                return found
            if found[0] < cost:
                cost, q7 = found[0], q7 + shift
        return None

    def _angles(self, q7: float) -> tuple[float, ...]:
        """The joints, up to whole turns; see `wrist`. Raises ValueError if there are none."""
        alpha, beta, gamma = self._along
        c7, s7 = math.cos(q7), math.sin(q7)
        X, Z = alpha * c7 - beta * s7 + wrist.A7, alpha * s7 + beta * c7
        in_plane2 = X * X + gamma * gamma
        apex = math.acos(wrist.COS_APEX_AT_0 - (in_plane2 + Z * Z) * wrist.COS_APEX_PER_M2)
        q4 = (math.pi - apex if self._stretched else apex - math.pi) - wrist.ELBOW_OFFSET
        sz = -wrist.D5 - wrist.UPPER_ARM_M * math.cos(q4 + wrist.UPPER_ARM_LEAN)
        psi = math.acos(sz / math.sqrt(in_plane2))
        q5 = math.atan2(Z, self._wrist * math.sqrt(in_plane2 - sz * sz))
        q6 = math.atan2(X, -gamma) - self._wrist * psi
        return *self._shoulder_angles(q4, q5, q6, c7, s7), q4, q5, q6, q7

    def _shoulder_angles(self, q4: float, q5: float, q6: float, c7: float,
                         s7: float) -> tuple[float, float, float]:
        """Joints 1 to 3: link 7's axes, turned back to link 3."""
        c4, s4, c5, s5 = math.cos(q4), math.sin(q4), math.cos(q5), math.sin(q5)
        c6, s6 = math.cos(q6), math.sin(q6)
        x3, y3, z3 = [], [], []
        for x7, y7, z7 in zip(*self._axes):
            x6, z6 = c7 * x7 - s7 * y7, s7 * x7 + c7 * y7
            x5, z5 = c6 * x6 + s6 * z7, s6 * x6 - c6 * z7
            x4 = c5 * x5 + s5 * z6
            x3.append(c4 * x4 - s4 * z5)
            y3.append(s5 * x5 - c5 * z6)
            z3.append(s4 * x4 + c4 * z5)
        zx, zy = self._shoulder * z3[0], self._shoulder * z3[1]
        return (math.atan2(zy, zx), self._shoulder * math.atan2(math.hypot(zx, zy), z3[2]),
                math.atan2(zx * x3[1] - zy * x3[0], zx * y3[1] - zy * y3[0]))
