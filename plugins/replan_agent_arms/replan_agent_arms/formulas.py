# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed forms for arms of six turning joints: axes 2, 3 and 4 parallel, or a spherical wrist.

Two families, found from the axes themselves, however the arm is placed or mirrored:

- axes 2, 3, 4 parallel, axes 5 and 6 meet (UR and its like);
- axes 2, 3 parallel, axes 4, 5, 6 meet in one point (most industrial arms).

In both, a point that the last joints do not move gives joint 1, and a plane with two links gives
joints 2 and 3. Up to eight postures for each pose, without limits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from replan_agent.arms.arm_model import ReachabilityProof
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointLimits

from .chain import ChainKinematics
from .reach import StretchBound

NEARLY, EXACTLY = 0.01, 1e-8  # rad and m: of axes that are parallel or meet
DELICATE = 1e-4  # a cosine so near to 1, or a sine so near to 0, has an angle that is not sure
BEYOND = 1e-6  # a cosine so far above 1 is none
SHORT_M = 1e-4  # what is shorter has no direction
SLACK_RAD = 1e-3  # so far outside of its limits a joint is surely outside
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.intp]


class Roots(NamedTuple):
    """Postures (M, 6) in (-pi, pi], the pose of each, and which poses are near a singularity."""

    row: IntArray
    joints: FloatArray
    delicate: BoolArray  # (poses,)


class _Angles(NamedTuple):
    """Two angles for each input, which of the inputs have them, and where they are not sure."""

    value: FloatArray  # (2, N)
    real: BoolArray
    delicate: BoolArray


class _Axis:
    """A joint's axis where all joints are at 0, and what turns about it."""

    def __init__(self, frame: FloatArray) -> None:
        x, y, z = self.along = frame[:3, 2].copy()
        self.place = frame[:3, 3].copy()
        self._skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        self._level = np.outer(self.along, self.along)
        self._flat = np.eye(3) - self._level

    def flat(self, v: FloatArray) -> FloatArray:
        """The part of v (..., 3) across the axis."""
        return np.asarray(v @ self._flat)

    def turned(self, angle: FloatArray, v: FloatArray) -> FloatArray:
        """v (3,) turned by each angle: (N, 3)."""
        return np.asarray(self._level @ v + np.cos(angle)[:, None] * (self._flat @ v)
                          + np.sin(angle)[:, None] * (self._skew @ v))

    def screw(self, angle: FloatArray) -> FloatArray:
        """The turn (N, 4, 4) by each angle about the axis at its place."""
        T = np.zeros((len(angle), 4, 4))
        T[:, :3, :3] = turn = (self._level + np.cos(angle)[:, None, None] * self._flat
                               + np.sin(angle)[:, None, None] * self._skew)
        T[:, :3, 3] = self.place - turn @ self.place
        T[:, 3, 3] = 1.0
        return T

    def angle(self, u: FloatArray, w: FloatArray) -> tuple[FloatArray, BoolArray]:
        """The angle from u to w, both (N, 3), and where it is not sure."""
        u, w = u @ self._flat, w @ self._flat
        size = (u * u).sum(axis=1) * (w * w).sum(axis=1)
        return (np.arctan2((u @ self._skew.T * w).sum(axis=1), (u * w).sum(axis=1)),
                size < DELICATE**2)

    def angles(self, u: FloatArray, v: FloatArray, c: FloatArray | float) -> _Angles:
        """The angles by which u (3,) is turned until its product with v (N, 3) is c."""
        level = v @ (self._level @ u)
        cosine, sine = v @ (self._flat @ u), v @ (self._skew @ u)
        size, rest = np.hypot(cosine, sine), c - level
        short = size < SHORT_M
        share = rest / np.where(short, SHORT_M, size)
        half, middle = np.arccos(np.clip(share, -1.0, 1.0)), np.arctan2(sine, cosine)
        real = np.abs(share) <= 1 + BEYOND
        return _Angles(np.stack([middle + half, middle - half]), real,
                       real & (short | (np.abs(share) > 1 - DELICATE)))


class Formulas:
    """The closed form of a chain. Use `formulas_of`, which says whether it has one."""

    def __init__(self, frames: FloatArray, kind: str, meet: FloatArray, off: float) -> None:
        self.kind, self.is_exact = kind, off < EXACTLY
        self._from_zero = np.linalg.inv(frames[-1])
        self._axes = axes = [_Axis(frame) for frame in frames[:6]]
        self._meet, self._plane = meet, axes[1]
        self._signs = [float(np.sign(axis.along @ axes[1].along)) for axis in axes]
        self._end = axes[3].place if kind == 'parallel' else meet
        self._upper = self._plane.flat(axes[1].place - axes[2].place)
        self._lower = self._plane.flat(self._end - axes[2].place)
        across = self._plane.flat(np.eye(3)[int(np.abs(self._plane.along).argmin())])
        self._across = across / np.linalg.norm(across)

    def roots(self, T_base_tcp: FloatArray) -> Roots:
        """All postures of the poses (B, 4, 4), whatever the limits are."""
        G = np.asarray(T_base_tcp, dtype=float) @ self._from_zero
        found = _Rows(G)
        axes, plane = self._axes, self._plane
        first = axes[0]
        found.split(0, first.angles(plane.along, _moved(G, self._meet) - first.place,
                                    plane.along @ (self._meet - first.place)))
        found.undo(first, 0)
        if self.kind == 'parallel':
            self._wrist_of_parallel(found)
            self._bent(found)
            turned = found.H[:, :3, :3] @ self._across
            theta, _ = plane.angle(np.broadcast_to(self._across, turned.shape), turned)
            rest = theta - found.joints[:, 1] - self._signs[2] * found.joints[:, 2]
            found.joints[:, 3] = self._signs[3] * rest
        else:
            self._bent(found)
            found.undo(axes[1], 1)
            found.undo(axes[2], 2)
            self._wrist_of_point(found)
        joints = np.pi - np.mod(np.pi - found.joints, 2 * np.pi)
        return Roots(found.row, joints, found.delicate)

    def _wrist_of_parallel(self, found: _Rows) -> None:
        """Joints 5 and 6: what 2, 3 and 4 do leaves the direction of their axes alone."""
        _, _, _, _, fifth, sixth = self._axes
        plane = self._plane.along
        wanted = found.H[:, :3, :3] @ sixth.along @ plane
        found.split(4, fifth.angles(sixth.along, np.broadcast_to(plane, (len(wanted), 3)), wanted))
        found.set(5, *sixth.angle(plane @ found.H[:, :3, :3],
                                  fifth.turned(-found.joints[:, 4], plane)))
        found.H = (found.H @ sixth.screw(-found.joints[:, 5])
                   @ fifth.screw(-found.joints[:, 4]))

    def _wrist_of_point(self, found: _Rows) -> None:
        """Joints 4, 5 and 6 from the turn that is left."""
        _, _, _, fourth, fifth, sixth = self._axes
        wanted = found.H[:, :3, :3] @ sixth.along @ fourth.along
        found.split(4, fifth.angles(sixth.along, np.broadcast_to(fourth.along, (len(wanted), 3)),
                                    wanted))
        turn, angle = found.H[:, :3, :3], found.joints[:, 4]
        found.set(3, *fourth.angle(fifth.turned(angle, sixth.along), turn @ sixth.along))
        found.set(5, *sixth.angle(fourth.along @ turn, fifth.turned(-angle, fourth.along)))

    def _bent(self, found: _Rows) -> None:
        """Joints 2 and 3: two links in a plane."""
        plane, upper, lower = self._plane, self._upper, self._lower
        reach = plane.flat(_moved(found.H, self._end) - plane.place)
        product = (upper @ upper + lower @ lower - (reach * reach).sum(axis=1)) / 2
        found.split(2, plane.angles(lower, np.broadcast_to(upper, reach.shape), product))
        reach = np.tile(reach, (2, 1))[found.kept]
        found.set(1, *plane.angle(plane.turned(found.joints[:, 2], lower) - upper, reach))
        found.joints[:, 2] *= self._signs[2]


class _Rows:
    """Postures that grow joint by joint: each step may have two roots, or none."""

    def __init__(self, G: FloatArray) -> None:
        self.row, self.H = np.arange(len(G), dtype=np.intp), G  # H: what is left of the pose
        self.joints = np.zeros((len(G), 6))
        self.delicate = np.zeros(len(G), dtype=bool)
        self.kept: IntArray = self.row

    def split(self, joint: int, angles: _Angles) -> None:
        count = len(self.row)
        self.delicate[self.row[angles.delicate]] = True
        real = np.flatnonzero(angles.real)
        self.kept = np.concatenate([real, real + count])
        both = np.concatenate([real, real])
        self.row, self.H, self.joints = self.row[both], self.H[both], self.joints[both]
        self.joints[:, joint] = angles.value.reshape(-1)[self.kept]

    def set(self, joint: int, values: FloatArray, delicate: BoolArray) -> None:
        self.joints[:, joint] = values
        self.delicate[self.row[delicate]] = True

    def undo(self, axis: _Axis, joint: int) -> None:
        self.H = axis.screw(-self.joints[:, joint]) @ self.H


def formulas_of(kinematics: ChainKinematics) -> Formulas | None:
    """The closed form of a chain, or None. Axes that are nearly parallel or meet nearly count."""
    if len(kinematics.limits.names) != 6:
        return None
    frames = kinematics.link_frames(np.zeros(6))
    axes, places = frames[:6, :3, 2], frames[:6, :3, 3]

    def skew(a: int, b: int) -> float:
        return float(np.linalg.norm(np.cross(axes[a], axes[b])))

    if skew(0, 1) < NEARLY or skew(1, 2) > NEARLY or skew(4, 5) < NEARLY:
        return None
    flat = _Axis(frames[1]).flat
    if skew(2, 3) < NEARLY < skew(3, 4):
        kind, meet, off = 'parallel', *_meeting(axes[4:], places[4:])
        off, end = max(off, skew(1, 2), skew(2, 3)), places[3]
    else:
        kind, meet, off = 'wrist', *_meeting(axes[3:], places[3:])
        off, end = max(off, skew(1, 2)), meet
    links = np.linalg.norm(flat(np.stack([places[1], end]) - places[2]), axis=1)
    return Formulas(frames, kind, meet, off) if off < NEARLY < links.min() / 10 else None


class FormulaProof:
    """Out of reach: farther than the links stretch, or no root within the limits.

    The roots are all postures there are. A pose near a singularity, where an angle is not sure, is
    left undecided, and so is one with a root nearly within the limits.
    """

    def __init__(self, formulas: Formulas, limits: JointLimits, bound: StretchBound) -> None:
        self._formulas, self._bound = formulas, bound
        self._low, self._high = limits.lower, limits.upper

    def __call__(self, T_base_tcp: FloatArray) -> ReachabilityProof:
        found = self._bound(T_base_tcp)
        if found.verdict is Reachability.UNDECIDED and self.proved(T_base_tcp[None])[0]:
            return ReachabilityProof(Reachability.PROVED_UNREACHABLE, proof='each posture with '
                                     'this pose has a joint outside of its limits, or there is '
                                     'none at all (all roots of the closed form)')
        return found

    def proved(self, T_base_tcp: FloatArray) -> BoolArray:
        """Which of the poses (B, 4, 4) surely have no root within the limits."""
        if not self._formulas.is_exact:
            return np.zeros(len(T_base_tcp), dtype=bool)
        row, joints, delicate = self._formulas.roots(T_base_tcp)
        low = self._low - SLACK_RAD
        above = np.mod(joints - low, 2 * np.pi)
        inside = (above <= self._high + SLACK_RAD - low).all(axis=1)
        possible = delicate.copy()
        possible[row[inside]] = True
        return ~possible


def _moved(T: FloatArray, place: FloatArray) -> FloatArray:
    return np.asarray(T[:, :3, :3] @ place + T[:, :3, 3])


def _meeting(axes: FloatArray, places: FloatArray) -> tuple[FloatArray, float]:
    """The point nearest to all these lines, and how far it is from the farthest of them."""
    across = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    point = np.linalg.lstsq(across.reshape(-1, 3), np.einsum('nij,nj->ni', across, places).ravel(),
                            rcond=None)[0]
    away = np.linalg.norm(np.einsum('nij,nj->ni', across, point - places), axis=1)
    return np.asarray(point), float(away.max())
