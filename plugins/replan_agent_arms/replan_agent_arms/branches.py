# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics of any chain: many starts at once, by damped least squares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from replan_agent.arms.arm_model import Solutions
from replan_agent.arms.franka_ik_branch import LIMIT_CLEARANCE, LIMIT_WEIGHT
from replan_agent.domain.pose import FloatArray

from .chain import ChainKinematics
from .formulas import Formulas

POSTURES = 20_000  # whose hand poses are known: the starts
FIRST, MORE = 16, 160  # starts of each pose; more of them if the first found nothing
STEPS, LEAST_GAIN = 16, 0.7  # of one start; an error that shrinks less in three steps is left
METRES_PER_RADIAN = 0.3  # how much a turn of the hand counts
LARGEST_STEP = 0.6  # rad
DAMPING = 0.02  # of the squared error
EXACT, CLOSE = 1e-10, 1e-7  # m; what is sought, and what is a solution
SAME_RAD = 0.02
FULL_TURN = 2 * np.pi
AT_LIMIT = 1e-6  # rad; a root is as exact as this
_CHUNK = 1 << 14  # starts at once; bounds the memory
IntArray = NDArray[np.intp]


class NumericBranches:
    """Solutions from the known postures whose hand is nearest to a pose, within the limits."""

    name = 'starts'
    tries = FIRST + MORE

    def __init__(self, kinematics: ChainKinematics, span_m: float,
                 shoulder: tuple[float, float, float]) -> None:
        self._kinematics = kinematics
        limits = kinematics.limits
        self._low, self._high = limits.lower, limits.upper
        self._middle = (self._low + self._high) / 2
        self._roomy = (self._high - self._low) / 2 - LIMIT_CLEARANCE
        self._shoulder, self._span_m = np.array(shoulder), span_m
        shares = even_shares(len(self._low), POSTURES)
        self._starts = self._low + shares * (self._high - self._low)
        self._tree = cKDTree(_features(kinematics.forward(self._starts)))
        self._last: tuple[bytes, Solutions, IntArray] | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, '_last': None}

    def solve_nearest(self, T_base_tcp: FloatArray, near: FloatArray) -> FloatArray | None:
        """The solution of lowest `cost` for one pose (4, 4), or None."""
        return self.solve_nearest_batch(T_base_tcp[None], near)[0]

    def solve_nearest_batch(self, T_base_tcp: FloatArray,
                            near: FloatArray) -> list[FloatArray | None]:
        """For each pose (B, 4, 4) the solution of lowest `cost`, or None."""
        T, near = np.asarray(T_base_tcp, dtype=float), np.asarray(near, dtype=float)
        (row, joints), around = self._solutions(T)
        if len(around):
            row, joints = (np.concatenate(both) for both in zip(
                (row, joints), self._solved(T, around, np.tile(near, (len(around), 1)))))
        order = np.lexsort((self.cost(joints, near), row))
        found: list[FloatArray | None] = [None] * len(T)
        for first, pose in zip(*np.unique(row[order], return_index=True)[::-1]):
            found[pose] = joints[order[first]]
        return found

    def solve_all_batch(self, T_base_tcp: FloatArray) -> Solutions:
        """Many solutions of each pose (B, 4, 4); the row of one is the number of its pose."""
        return self._solutions(T_base_tcp)[0]

    def cost(self, joints: FloatArray, near: FloatArray) -> FloatArray:
        """Squared distance to `near` (rad²) plus a penalty near limits, as for any arm."""
        crowding = np.maximum(np.abs(joints - self._middle) - self._roomy, 0.0)
        return np.asarray(np.sum((joints - near) ** 2
                                 + crowding**2 * (LIMIT_WEIGHT / LIMIT_CLEARANCE**2), axis=-1))

    def _solutions(self, T_base_tcp: FloatArray) -> tuple[Solutions, IntArray]:
        """Those of `_all`; the last are kept. Threads share this: what is kept is read once."""
        T = np.ascontiguousarray(T_base_tcp, dtype=float)
        key, last = T.tobytes(), self._last
        if last is None or last[0] != key:
            last = self._last = key, *self._all(T)
        return last[1:]

    def _all(self, T: FloatArray) -> tuple[Solutions, IntArray]:
        """Solutions, and the poses that may have more from where the arm is."""
        in_span = np.linalg.norm(T[:, :3, 3] - self._shoulder, axis=1) <= self._span_m
        poses = np.flatnonzero(in_span)
        found = [self._from_known(T, poses, 0, FIRST)]
        missing = np.setdiff1d(poses, found[0].row)
        if len(missing):
            found.append(self._from_known(T, missing, FIRST, MORE))
        return self._once(found), np.arange(len(T), dtype=np.intp)

    def _once(self, found: list[Solutions]) -> Solutions:
        """Each solution once, and with whole turns of its joints where their limits allow it."""
        row, joints = (np.concatenate(parts) for parts in zip(*found))
        wide = ((self._high - self._low) // FULL_TURN).astype(int)
        for i in np.flatnonzero(wide):
            most = wide[i]
            turns = FULL_TURN * np.arange(-most, most + 1)
            row, joints = np.repeat(row, len(turns)), np.repeat(joints, len(turns), axis=0)
            joints[:, i] += np.resize(turns, len(joints))
            fits = (joints[:, i] >= self._low[i]) & (joints[:, i] <= self._high[i])
            row, joints = row[fits], joints[fits]
        _, kept = np.unique(np.column_stack([row, np.round(joints / SAME_RAD)]), axis=0,
                            return_index=True)
        return Solutions(row[kept], joints[kept])

    def _from_known(self, T: FloatArray, poses: IntArray, skipped: int, count: int) -> Solutions:
        """The solutions of these poses from the known postures nearest to them."""
        if not len(poses):
            return Solutions(np.empty(0, np.intp), np.empty((0, len(self._low))))
        _, known = self._tree.query(_features(T[poses]), k=skipped + count)
        return self._solved(T, np.repeat(poses, count),
                            self._starts[known[:, skipped:].reshape(-1)])

    def _solved(self, T: FloatArray, row: IntArray, starts: FloatArray) -> Solutions:
        """The solutions of the poses `row` (M,) from `starts` (M, n)."""
        found = [self._steps(T, row[k:k + _CHUNK], starts[k:k + _CHUNK])
                 for k in range(0, max(len(row), 1), _CHUNK)]
        return Solutions(*(np.concatenate(parts) for parts in zip(*found)))

    def _steps(self, T: FloatArray, row: IntArray, starts: FloatArray) -> Solutions:
        kinematics = self._kinematics
        low, high = self._low[:, None], self._high[:, None]
        joints = np.clip(starts.T, low, high)
        axes_wanted = T[row, :3, :3].transpose(2, 1, 0)  # axis, component, start
        place_wanted = T[row, :3, 3].T
        rows, solved = [row[:0]], [joints[:, :0]]
        before: list[FloatArray] = []
        for step in range(STEPS + 1):
            axes, places = kinematics.frames(joints)
            tool_axes, tool = kinematics.tool(axes[-1], places[-1])
            error = np.concatenate([place_wanted - tool, METRES_PER_RADIAN * _turned(
                tool_axes, axes_wanted)])
            size = np.einsum('in,in->n', error, error)
            before.append(size)
            done = size < (EXACT if step < STEPS else CLOSE) ** 2
            stays = ~done
            if step >= 3:
                stays &= size < LEAST_GAIN * before[-4]
            if done.any():
                rows.append(row[done])
                solved.append(joints[:, done])
            if not stays.any():
                break
            if not stays.all():
                row, joints = row[stays], joints[:, stays]
                error, size = error[:, stays], size[stays]
                axes_wanted, place_wanted = axes_wanted[..., stays], place_wanted[:, stays]
                axes, places, tool = axes[..., stays], places[..., stays], tool[:, stays]
                before = [sizes[stays] for sizes in before]
            joints = np.clip(joints + _step(axes[:, 2], tool - places, error, size, joints <= low,
                                            joints >= high), low, high)
        return Solutions(np.concatenate(rows), np.concatenate(solved, axis=1).T)


class FormulaBranches(NumericBranches):
    """All solutions by formulas; poses near a singularity are searched too."""

    name = 'formulas'
    tries = 0

    def __init__(self, kinematics: ChainKinematics, span_m: float,
                 shoulder: tuple[float, float, float], formulas: Formulas) -> None:
        super().__init__(kinematics, span_m, shoulder)
        self._formulas = formulas

    def _all(self, T: FloatArray) -> tuple[Solutions, IntArray]:
        row, joints, delicate = self._formulas.roots(T)
        joints = self._low - AT_LIMIT + np.mod(joints - self._low + AT_LIMIT, FULL_TURN)
        inside = (joints <= self._high + AT_LIMIT).all(axis=1)
        row, joints = row[inside], np.clip(joints[inside], self._low, self._high)
        searched = np.flatnonzero(delicate)
        sure = ~delicate[row] & self._formulas.is_exact
        found = [Solutions(row[sure], joints[sure])]
        if not sure.all():
            found.append(self._solved(T, row[~sure], joints[~sure]))
        if not self._formulas.is_exact:
            solved = np.concatenate([part.row for part in found])
            searched = np.union1d(searched, np.setdiff1d(np.arange(len(T)), solved))
        if len(searched):
            found.append(self._from_known(T, searched, 0, FIRST))
        return self._once(found), searched


def even_shares(dimensions: int, count: int) -> FloatArray:
    """Points (count, dimensions) that cover the unit box evenly (Roberts' R sequence)."""
    ratio = 2.0
    for _ in range(30):
        ratio = (1 + ratio) ** (1 / (dimensions + 1))
    return (0.5 + np.arange(count)[:, None] * ratio ** -np.arange(1, dimensions + 1.0)) % 1.0


def _features(T: FloatArray) -> FloatArray:
    """Numbers (N, 12) whose distance is that of two poses."""
    return np.concatenate([T[:, :3, 3], METRES_PER_RADIAN * T[:, :3, :3].reshape(-1, 9)], axis=1)


def _turned(now: FloatArray, wanted: FloatArray) -> FloatArray:
    """The turn (3, N) from the axes `now` to those `wanted` (axis, component, N): axis * angle."""
    cross = sum(_cross(a, b) for a, b in zip(now, wanted)) / 2  # axis * sin
    cosine = (np.einsum('acn,acn->n', now, wanted) - 1) / 2
    sine = np.sqrt(np.einsum('cn,cn->n', cross, cross))
    angle = np.arctan2(sine, cosine)
    return np.asarray(cross * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 1.0))


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                     a[0] * b[1] - a[1] * b[0]])


def _step(axes: FloatArray, arms: FloatArray, error: FloatArray, size: FloatArray,
          at_low: NDArray[np.bool_], at_high: NDArray[np.bool_]) -> FloatArray:
    """One damped step (n, N): of joints with these `axes` and `arms` to the tool (n, 3, N).

    A joint at a limit is left out of a step that would push it further.
    """
    columns = np.concatenate([_cross(axes.transpose(1, 0, 2), arms.transpose(1, 0, 2)),
                              METRES_PER_RADIAN * axes.transpose(1, 0, 2)])  # (6, n, N)
    pull = np.einsum('ijn,in->jn', columns, error)
    blocked = (at_low & (pull < 0)) | (at_high & (pull > 0))
    if blocked.any():
        columns = np.where(blocked, 0.0, columns)
    normal = np.einsum('ijn,kjn->ikn', columns, columns)
    normal[range(6), range(6)] += DAMPING * size + 1e-12
    change = np.einsum('ijn,in->jn', columns, _cholesky_solve(normal, error))
    largest = np.abs(change).max(axis=0)
    return np.asarray(change * np.minimum(1.0, LARGEST_STEP / np.maximum(largest, 1e-12)))


def _cholesky_solve(A: FloatArray, b: FloatArray) -> FloatArray:
    """x of A x = b for many positive definite A (k, k, N) and b (k, N), which are used up."""
    count = len(A)
    for j in range(count):
        if j:
            A[j:, j] -= np.einsum('ikn,kn->in', A[j:, :j], A[j, :j])
        A[j:, j] /= np.sqrt(np.maximum(A[j, j], 1e-18))
    x = b.copy()
    for i in range(count):
        if i:
            x[i] -= np.einsum('kn,kn->n', A[i, :i], x[:i])
        x[i] /= A[i, i]
    for i in reversed(range(count)):
        if i < count - 1:
            x[i] -= np.einsum('kn,kn->n', A[i + 1:, i], x[i + 1:])
        x[i] /= A[i, i]
    return x
