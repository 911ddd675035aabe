"""All inverse-kinematics solutions of a Franka in closed form, for sampled values of joint 7."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointLimits

from .ik_branch import LIMIT_CLEARANCE, LIMIT_WEIGHT, Branch
from .wrist import (
    A7,
    D5,
    UPPER_ARM_LEAN,
    UPPER_ARM_M,
    Link7,
    beyond_reach_m,
    elbow_angles,
    link7_from_tcp,
)

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
    """The limits of the joints (7, 1), wider by `_ROUNDING`."""

    lower: FloatArray
    upper: FloatArray

    @staticmethod
    def of(limits: JointLimits) -> Bounds:
        return Bounds(limits.lower[:, None] - _ROUNDING, limits.upper[:, None] + _ROUNDING)


class Solutions(NamedTuple):
    """Every solution within the limits: `joints` (M, 7) and the input row of each."""

    row: IntArray
    joints: FloatArray


def solve_for_q7(T_base_tcp: FloatArray, q7: FloatArray, limits: JointLimits,
                 q1_if_singular: float = 0.0) -> Solutions:
    """Up to 8 solutions for each pair of a TCP pose (K, 4, 4) and a value of joint 7 (K,).

    If q2 is 0, joints 1 and 3 turn about one axis. Then q1 is `q1_if_singular`.
    """
    found = _solve(link7_from_tcp(T_base_tcp), q7[:, None], Bounds.of(limits), q1_if_singular)
    return Solutions(found.row, limits.clamp(found.joints))


def _solve(link7: Link7, q7: FloatArray, bounds: Bounds, q1_if_singular: float) -> Solutions:
    """Solutions of each pose for its values of joint 7: (poses, N), or (1, N) for all poses.

    The row of a solution is pose * N + number of the value. For one pose the time is that of the
    calls, not of the numbers: so there are few.
    """
    toward = (link7.alpha + 1j * link7.beta)[:, None] * np.exp(1j * q7)
    X, Z, along_y6 = toward.real + A7, toward.imag, -link7.gamma[:, None]
    in_plane2 = X * X + along_y6 * along_y6
    with np.errstate(invalid='ignore', divide='ignore'):  # nan is inside no limits
        q4 = elbow_angles(in_plane2 + Z * Z, bounds.upper[3, 0])
        sz = -D5 - UPPER_ARM_M * np.cos(q4 + UPPER_ARM_LEAN)  # v along link 4's y, see `wrist`
        psi = np.arccos(sz / np.sqrt(in_plane2))
        lean = np.arctan2(X, along_y6)  # of v within link 6's xy plane, from its y
        q5 = np.arctan2(Z, np.sqrt(in_plane2 - sz * sz))  # the root is |v·x5|
        angles = np.empty((4, 2, *q4.shape))  # of joints 4 to 7, two ways of the wrist
        angles[0], angles[3] = q4, q7
        angles[1, 0], angles[1, 1] = q5, np.pi - q5
        angles[2, 0], angles[2, 1] = lean - psi, lean + psi
        angles = angles.reshape(4, -1)
        kept = _wrapped(angles, bounds.lower[3:], bounds.upper[3:]).nonzero()[0]
    return _with_shoulder(link7, kept % X.size, X.shape[1], angles[:, kept], bounds,
                          q1_if_singular)


def _with_shoulder(link7: Link7, row: IntArray, values: int, angles: FloatArray, bounds: Bounds,
                   q1_if_singular: float) -> Solutions:
    """Adds joints 1 to 3, the z-y-z angles of the remaining rotation."""
    if not len(row):
        return Solutions(row, np.empty((0, 7)))
    x3, y3, z3 = link3_axes(link7, row // values, angles)
    zx, zy = z3[0], z3[1]
    sin_q2 = np.hypot(zx, zy)
    if sin_q2.min() < _SINGULAR:
        singular = sin_q2 < _SINGULAR
        zx[singular], zy[singular] = np.cos(q1_if_singular), np.sin(q1_if_singular)
    shoulder = np.empty((3, 2, len(row)))
    q1, q2, q3 = shoulder[:, 0]
    np.arctan2(zy, zx, out=q1)
    np.arctan2(sin_q2, z3[2], out=q2)
    # Well conditioned for any q1, also if q2 is nearly 0.
    np.arctan2(zx * x3[1] - zy * x3[0], zx * y3[1] - zy * y3[0], out=q3)
    shoulder[:, 1] = shoulder[:, 0] * _OTHER_SIGN + _OTHER_TURN
    both = shoulder.reshape(3, -1)
    kept = _wrapped(both, bounds.lower[:3], bounds.upper[:3]).nonzero()[0]
    branch = kept % len(row)
    return Solutions(row[branch], np.concatenate([both[:, kept], angles[:, branch]]).T)


def link3_axes(link7: Link7, pose: IntArray,
               angles: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Link 3's x, y and z axis in the base frame (3, M): link 7's axes, turned back.

    `angles` (4, M) are joints 4, 5, 6 and 7.
    """
    (c4, c5, c6, c7), (s4, s5, s6, s7) = np.cos(angles), np.sin(angles)
    x7, y7, z7 = link7.x.T, link7.y.T, link7.z.T
    if len(link7.x) > 1:
        x7, y7, z7 = x7[:, pose], y7[:, pose], z7[:, pose]
    x6, z6 = c7 * x7 - s7 * y7, s7 * x7 + c7 * y7
    x5, z5 = c6 * x6 + s6 * z7, s6 * x6 - c6 * z7  # y6 is -z7
    x4, y3 = c5 * x5 + s5 * z6, s5 * x5 - c5 * z6
    return c4 * x4 - s4 * z5, y3, s4 * x4 + c4 * z5


def _wrapped(angles: FloatArray, lower: FloatArray, upper: FloatArray) -> NDArray[np.bool_]:
    """Shifts the angles (joints, M) by whole turns into the limits. Returns which (M,) fit.

    No Franka joint has a range of a full turn or more, so there is at most one such angle.
    """
    angles -= 2 * np.pi * np.floor((angles - lower) * (0.5 / np.pi))
    return np.asarray((angles <= upper).all(axis=0))


class AnalyticIK:
    """Closed-form IK of one Franka model."""

    def __init__(self, limits: JointLimits) -> None:
        self.limits = limits
        self._bounds = Bounds.of(limits)
        self._middle = (limits.lower + limits.upper) / 2
        self._roomy = (limits.upper - limits.lower) / 2 - LIMIT_CLEARANCE
        # The last value is that of the posture to be near.
        self._grids = {n: np.append(np.linspace(limits.lower[6], limits.upper[6], n), 0.0)[None]
                       for n in SWEEPS}

    def solve_all(self, T_base_tcp: FloatArray, samples: int = 64) -> FloatArray:
        """All solutions (M, 7) of one pose for `samples` values of joint 7 over its range."""
        grid = np.linspace(self.limits.lower[6], self.limits.upper[6], samples)
        poses = np.broadcast_to(T_base_tcp, (samples, 4, 4))
        return solve_for_q7(poses, grid, self.limits).joints

    def solve_nearest(self, T_base_tcp: FloatArray, near: FloatArray) -> FloatArray | None:
        """The solution of lowest `cost` for one pose (4, 4), or None."""
        return self.solve_nearest_batch(np.asarray(T_base_tcp)[None], near)[0]

    def solve_nearest_batch(self, T_base_tcp: FloatArray,
                            near: FloatArray) -> list[FloatArray | None]:
        """For each pose (B, 4, 4) the solution of lowest `cost`, or None."""
        link7 = link7_from_tcp(np.asarray(T_base_tcp, dtype=float))
        best: list[FloatArray | None] = [None] * len(link7.x)
        open_poses = np.nonzero(beyond_reach_m(link7) <= 0)[0]
        for samples in SWEEPS:
            if not len(open_poses):
                break
            # Also try the current q7: at a singularity no other value is near it.
            grid = self._grids[samples]
            grid[0, -1] = min(max(near[6], self.limits.lower[6]), self.limits.upper[6])
            found = self._nearest_on_grid(link7, open_poses, grid, near)
            self._refine(link7, found, grid[0, 1] - grid[0, 0], near)
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
        return np.asarray(away.sum(axis=-1))

    def _nearest_on_grid(self, link7: Link7, poses: IntArray, q7: FloatArray,
                         near: FloatArray) -> dict[int, Priced]:
        """Cheapest solution of each pose over q7: (1, N) shared values, or (P, N) per pose."""
        per_chunk = max(1, _CHUNK // q7.shape[1])
        found: dict[int, Priced] = {}
        for first in range(0, len(poses), per_chunk):
            chunk = poses[first:first + per_chunk]
            values = q7 if len(q7) == 1 else q7[first:first + per_chunk]
            row, joints = _solve(link7.of(chunk), values, self._bounds, float(near[0]))
            if not len(row):
                continue
            costs = self.cost(joints, near)
            pose = row // q7.shape[1]
            order = costs.argsort()[:1] if len(chunk) == 1 else np.lexsort((costs, pose))
            pose = pose[order]
            first_of_pose = np.concatenate([[True], pose[1:] != pose[:-1]])
            for k in order[first_of_pose].tolist():
                found[int(chunk[row[k] // q7.shape[1]])] = float(costs[k]), joints[k]
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
            found.update(self._nearest_on_grid(link7, np.array(uneven), values, near))
