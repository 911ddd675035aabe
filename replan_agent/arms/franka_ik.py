# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""All inverse-kinematics solutions of a Franka in closed form, for sampled values of joint 7."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointLimits

from . import franka_wrist as wrist
from .arm_model import Solutions
from .franka_ik_branch import LIMIT_CLEARANCE, LIMIT_WEIGHT, Branch
from .franka_wrist import Link7

IntArray = NDArray[np.intp]
Priced = tuple[float, FloatArray]  # cost and joints

SWEEPS = (64, 1024, 4096)  # samples of q7; a finer sweep only if the coarser one found nothing
_REFINE_OFFSETS = np.linspace(-1.0, 1.0, 33)  # shares of a sweep step, around its best sample
_CHUNK = 1 << 16  # (target, q7) pairs solved at once; bounds the memory
_SINGULAR = 1e-9  # below this sin q2, q1 and q3 turn about the same axis
# The same rotation with the shoulder turned the other way: q1 + pi, -q2, q3 + pi.
_OTHER_SIGN, _OTHER_TURN = np.array([[1.0], [-1.0], [1.0]]), np.array([[np.pi], [0.0], [np.pi]])
_ROUNDING = 1e-9  # rad; a solution this close outside a limit counts as the limit


class Bounds(NamedTuple):
    """The limits of some joints (n, 1), wider by `_ROUNDING`."""

    lower: FloatArray
    upper: FloatArray

    @staticmethod
    def of(limits: JointLimits, joints: slice) -> Bounds:
        return Bounds(limits.lower[joints, None] - _ROUNDING,
                      limits.upper[joints, None] + _ROUNDING)


class ArmBounds(NamedTuple):
    """Those of joints 1 to 3, and of joints 4 to 7."""

    shoulder: Bounds
    wrist: Bounds

    @staticmethod
    def of(limits: JointLimits) -> ArmBounds:
        return ArmBounds(Bounds.of(limits, slice(3)), Bounds.of(limits, slice(3, None)))


class Sweep(NamedTuple):
    """Values of joint 7 (rad): (poses, N), or (1, N) for all poses."""

    q7: FloatArray
    turn: NDArray[np.complex128]  # exp(i q7)

    @staticmethod
    def over(q7: FloatArray) -> Sweep:
        return Sweep(q7, np.exp(1j * q7))

    def of(self, poses: slice) -> Sweep:
        """The values of these poses."""
        return self if len(self.q7) == 1 else Sweep(self.q7[poses], self.turn[poses])


def solve_for_q7(T_base_tcp: FloatArray, q7: FloatArray, limits: JointLimits,
                 q1_if_singular: float = 0.0) -> Solutions:
    """Up to 8 solutions for each pair of a TCP pose (K, 4, 4) and a value of joint 7 (K,).

    If q2 is 0, joints 1 and 3 turn about one axis. Then q1 is `q1_if_singular`.
    """
    found = _solve(wrist.link7_from_tcp(T_base_tcp), Sweep.over(q7[:, None]), ArmBounds.of(limits),
                   q1_if_singular)
    return Solutions(found.row, limits.clamp(found.joints))


def _solve(link7: Link7, sweep: Sweep, bounds: ArmBounds, q1_if_singular: float) -> Solutions:
    """Solutions of each pose for its values of joint 7.

    The row of a solution is pose * N + number of the value. For one pose the time is that of the
    calls, not of the numbers: so there are few.
    """
    toward = (link7.alpha + 1j * link7.beta)[:, None] * sweep.turn
    X, Z, along_y6 = toward.real + wrist.A7, toward.imag, -link7.gamma[:, None]
    in_plane2 = X * X + along_y6 * along_y6
    with np.errstate(invalid='ignore', divide='ignore'):  # nan is inside no limits
        q4 = wrist.elbow_angles(in_plane2 + Z * Z, bounds.wrist.upper[0, 0])
        # v along link 4's y, see `wrist`
        sz = np.cos(q4 + wrist.UPPER_ARM_LEAN) * -wrist.UPPER_ARM_M - wrist.D5
        psi = np.arccos(sz / np.sqrt(in_plane2))
        lean = np.arctan2(X, along_y6)  # of v within link 6's xy plane, from its y
        angles = np.empty((4, 2, *q4.shape))  # of joints 4 to 7, two ways of the wrist
        angles[0], angles[3] = q4, sweep.q7
        q5 = np.arctan2(Z, np.sqrt(in_plane2 - sz * sz), out=angles[1, 0])  # the root is |v·x5|
        np.subtract(np.pi, q5, out=angles[1, 1])
        np.subtract(lean, psi, out=angles[2, 0])
        np.add(lean, psi, out=angles[2, 1])
        angles = angles.reshape(4, -1)
        kept = _fitting(angles, bounds.wrist)
    return _with_shoulder(link7, kept % X.size, X.shape[1], angles.take(kept, axis=1),
                          bounds.shoulder, q1_if_singular)


def _with_shoulder(link7: Link7, row: IntArray, values: int, angles: FloatArray, bounds: Bounds,
                   q1_if_singular: float) -> Solutions:
    """Adds joints 1 to 3, the z-y-z angles of the remaining rotation."""
    if not len(row):
        return Solutions(row, np.empty((0, 7)))
    x3, y3, z3 = link3_axes(link7, row // values, angles)
    zx, zy = z3[0], z3[1]
    sin_q2 = np.hypot(zx, zy)
    if np.minimum.reduce(sin_q2) < _SINGULAR:
        singular = sin_q2 < _SINGULAR
        zx[singular], zy[singular] = np.cos(q1_if_singular), np.sin(q1_if_singular)
    shoulder = np.empty((3, 2, len(row)))
    one, other = shoulder[:, 0], shoulder[:, 1]
    np.arctan2(zy, zx, out=one[0])
    np.arctan2(sin_q2, z3[2], out=one[1])
    # Well conditioned for any q1, also if q2 is nearly 0.
    np.arctan2(zx * x3[1] - zy * x3[0], zx * y3[1] - zy * y3[0], out=one[2])
    np.multiply(one, _OTHER_SIGN, out=other)
    other += _OTHER_TURN
    both = shoulder.reshape(3, -1)
    kept = _fitting(both, bounds)
    branch = kept % len(row)
    joints = np.concatenate([both.take(kept, axis=1), angles.take(branch, axis=1)])
    return Solutions(row.take(branch), joints.T)


def link3_axes(link7: Link7, pose: IntArray,
               angles: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Link 3's x, y and z axis in the base frame (3, M): link 7's axes, turned back.

    `angles` (4, M) are joints 4, 5, 6 and 7. Two axes normal to a joint turn as one complex
    number.
    """
    turn = np.empty(angles.shape, complex)
    np.cos(angles, out=turn.real)
    np.sin(angles, out=turn.imag)
    xy7, z7 = link7.x.T + 1j * link7.y.T, link7.z.T
    if len(link7.x) > 1:
        xy7, z7 = xy7[:, pose], z7[:, pose]
    xz6 = xy7 * turn[3]
    xz5 = _pair(xz6.real, -z7) * turn[2]  # y6 is -z7
    x4_y3 = _pair(xz5.real, -xz6.imag) * turn[1]
    xz3 = _pair(x4_y3.real, xz5.imag) * turn[0]
    return xz3.real, x4_y3.imag, xz3.imag


def _pair(real: FloatArray, imag: FloatArray) -> NDArray[np.complex128]:
    pair = np.empty(real.shape, complex)
    pair.real, pair.imag = real, imag
    return pair


def _fitting(angles: FloatArray, bounds: Bounds) -> IntArray:
    """Shifts the angles (joints, M) by whole turns into the limits. Returns which of M fit.

    No Franka joint has a range of a full turn or more, so there is at most one such angle.
    """
    turns = angles - bounds.lower
    turns *= 0.5 / np.pi
    np.floor(turns, out=turns)
    turns *= 2 * np.pi
    angles -= turns
    return np.logical_and.reduce(angles <= bounds.upper).nonzero()[0]


class AnalyticIK:
    """Closed-form IK of one Franka model."""

    name = 'franka_analytic'
    tries = 0

    def __init__(self, limits: JointLimits) -> None:
        self.limits = limits
        self._bounds = ArmBounds.of(limits)
        self._middle = (limits.lower + limits.upper) / 2
        self._roomy = (limits.upper - limits.lower) / 2 - LIMIT_CLEARANCE
        self._sweeps: dict[int, Sweep] = {}

    def solve_all_batch(self, T_base_tcp: FloatArray, samples: int = 64) -> Solutions:
        """All solutions of each pose (B, 4, 4); the row of one is the number of its pose."""
        grid = np.linspace(self.limits.lower[6], self.limits.upper[6], samples)
        found = _solve(wrist.link7_from_tcp(T_base_tcp), Sweep.over(grid[None]), self._bounds, 0.0)
        return Solutions(found.row // samples, self.limits.clamp(found.joints))

    def solve_nearest(self, T_base_tcp: FloatArray, near: FloatArray) -> FloatArray | None:
        """The solution of lowest `cost` for one pose (4, 4), or None."""
        return self.solve_nearest_batch(np.asarray(T_base_tcp)[None], near)[0]

    def solve_nearest_batch(self, T_base_tcp: FloatArray,
                            near: FloatArray) -> list[FloatArray | None]:
        """For each pose (B, 4, 4) the solution of lowest `cost`, or None."""
        link7 = wrist.link7_from_tcp(np.asarray(T_base_tcp, dtype=float))
        best: list[FloatArray | None] = [None] * len(link7.x)
        open_poses = (wrist.beyond_reach_m(link7) <= 0).nonzero()[0]
        for samples in SWEEPS:
            if not len(open_poses):
                break
            sweep = self._sweep(samples, float(near[6]))
            found = self._nearest_on_grid(link7, open_poses, sweep, near)
            self._refine(link7, found, float(sweep.q7[0, 1] - sweep.q7[0, 0]), near)
            for pose, (_, joints) in found.items():
                best[pose] = np.minimum(np.maximum(joints, self.limits.lower), self.limits.upper)
            open_poses = np.array([p for p in open_poses if p not in found], dtype=np.intp)
        return best

    def cost(self, joints: FloatArray, near: FloatArray) -> FloatArray:
        """Squared joint distance to `near` (rad²) plus a penalty near limits.

        The penalty rises quadratically from 0 at `LIMIT_CLEARANCE` from a limit to `LIMIT_WEIGHT`
        at the limit, summed over the joints. So a solution at a limit wins only if the others are
        about a radian farther away.
        """
        crowding = np.maximum(np.abs(joints - self._middle) - self._roomy, 0.0)
        away = joints - near
        away *= away
        crowding *= crowding
        crowding *= LIMIT_WEIGHT / LIMIT_CLEARANCE**2
        away += crowding
        return np.asarray(np.add.reduce(away, axis=-1))

    def _sweep(self, samples: int, near_q7: float) -> Sweep:
        """Values over joint 7's range, and the current one: at a singularity no other is near."""
        lower, upper = float(self.limits.lower[6]), float(self.limits.upper[6])
        current = min(max(near_q7, lower), upper)
        known = self._sweeps.get(samples)
        if known is None or known.q7[0, -1] != current:
            grid = np.append(np.linspace(lower, upper, samples), current)
            known = self._sweeps[samples] = Sweep.over(grid[None])
        return known

    def _nearest_on_grid(self, link7: Link7, poses: IntArray, sweep: Sweep,
                         near: FloatArray) -> dict[int, Priced]:
        """Cheapest solution of each pose over the values of joint 7."""
        samples = sweep.q7.shape[1]
        per_chunk = max(1, _CHUNK // samples)
        found: dict[int, Priced] = {}
        for first in range(0, len(poses), per_chunk):
            chunk = poses[first:first + per_chunk]
            row, joints = _solve(link7.of(chunk), sweep.of(slice(first, first + per_chunk)),
                                 self._bounds, float(near[0]))
            if not len(row):
                continue
            costs = self.cost(joints, near)
            for k in _cheapest(costs, row // samples) if len(chunk) > 1 else [costs.argmin()]:
                found[int(chunk[row[k] // samples])] = float(costs[k]), joints[k]
        return found

    def _refine(self, link7: Link7, found: dict[int, Priced], step: float,
                near: FloatArray) -> None:
        """Replaces each solution by a cheaper one between the samples of q7, if there is one.

        Where the solution ends or bends too much within the step, a finer sweep looks for it.
        """
        uneven = []
        for pose, (cost, joints) in found.items():
            branch = Branch(link7, pose, joints, near, self.limits)
            better = branch.lowest(float(joints[6]), cost, step)
            if better is None:
                uneven.append(pose)
            elif better[0] < cost:
                found[pose] = better[0], np.array(better[1])
        if uneven:
            centre = np.array([found[pose][1][6] for pose in uneven])
            values = np.clip(centre[:, None] + step * _REFINE_OFFSETS, self.limits.lower[6],
                             self.limits.upper[6])
            # The best of the sweep is among them, so the cost never rises.
            found.update(self._nearest_on_grid(link7, np.array(uneven), Sweep.over(values), near))


def _cheapest(costs: FloatArray, pose: IntArray) -> IntArray:
    """The number of the cheapest solution of each pose."""
    order = np.lexsort((costs, pose))
    pose = pose[order]
    return order[np.concatenate([[True], pose[1:] != pose[:-1]])]
