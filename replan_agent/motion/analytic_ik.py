"""All inverse-kinematics solutions of a Franka in closed form, for sampled values of joint 7."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointLimits

from .wrist import A4, A7, D3, D5, Link7, beyond_reach_m, elbow_angle, link7_from_tcp

IntArray = NDArray[np.intp]

SWEEPS = (64, 1024, 4096)  # samples of q7; a finer sweep only if the coarser one found nothing
LIMIT_CLEARANCE = 0.15  # rad; closer to a limit than this adds cost
LIMIT_WEIGHT = 1.0  # rad²; the cost of touching one limit
_REFINE_OFFSETS = np.linspace(-1.0, 1.0, 33)  # shares of a sweep step, around its best sample
_CHUNK = 1 << 16  # (target, q7) pairs solved at once; bounds the memory
_SINGULAR = 1e-9  # below this sin q2, q1 and q3 turn about the same axis
_ELBOWS = np.array([[False], [True]])  # folded, stretched
_JOINTS_1_2_3, _JOINTS_5_6 = slice(0, 3), slice(4, 6)
_ROUNDING = 1e-9  # rad; a solution this close outside a limit counts as the limit


class Solutions(NamedTuple):
    """Every solution within the limits: `joints` (M, 7) and the input row of each."""

    row: IntArray
    joints: FloatArray


def solve_for_q7(T_base_tcp: FloatArray, q7: FloatArray, limits: JointLimits,
                 q1_if_singular: float = 0.0) -> Solutions:
    """Up to 8 solutions for each pair of a TCP pose (K, 4, 4) and a value of joint 7 (K,).

    If q2 is 0, joints 1 and 3 turn about one axis. Then q1 is `q1_if_singular`.
    """
    return _solve(link7_from_tcp(T_base_tcp), np.arange(len(q7)), q7, limits, q1_if_singular)


def _solve(link7: Link7, pose: IntArray, q7: FloatArray, limits: JointLimits,
           q1_if_singular: float) -> Solutions:
    """Solutions for pairs (row of `link7`, q7). What breaks a limit is dropped on the way."""
    c7, s7 = np.cos(q7), np.sin(q7)
    alpha, beta, along_y6 = link7.alpha[pose], link7.beta[pose], -link7.gamma[pose]
    X, Z = alpha * c7 - beta * s7 + A7, alpha * s7 + beta * c7
    in_plane2 = X * X + along_y6 * along_y6
    with np.errstate(invalid='ignore', divide='ignore'):  # nan is inside no limits
        q4 = elbow_angle(in_plane2 + Z * Z, _ELBOWS)
        elbow, row = np.nonzero((q4 >= limits.lower[3] - _ROUNDING)
                                & (q4 <= limits.upper[3] + _ROUNDING))
        q4, in_plane2 = q4[elbow, row], in_plane2[row]
        sz = A4 * np.sin(q4) - D3 * np.cos(q4) - D5  # v along link 4's y, see `wrist`
        psi = np.arccos(sz / np.sqrt(in_plane2))
        lean = np.pi / 2 - np.arctan2(along_y6, X)[row]  # of v within link 6's xy plane
        q5 = np.arctan2(Z[row], np.sqrt(in_plane2 - sz * sz))  # the root is |v·x5|
        wrist = np.array([[q5, lean - psi], [np.pi - q5, lean + psi]])
        wrist, inside = _wrapped(wrist, limits, _JOINTS_5_6)
    way, branch = np.nonzero(inside[:, 0] & inside[:, 1])
    row = row[branch]
    angles = np.array([q4[branch], *wrist[way, :, branch].T, q7[row]])
    return _with_shoulder(link7, pose, row, angles, limits, q1_if_singular)


def _with_shoulder(link7: Link7, pose: IntArray, row: IntArray, angles: FloatArray,
                   limits: JointLimits, q1_if_singular: float) -> Solutions:
    """Adds joints 1 to 3, the z-y-z angles of the remaining rotation."""
    x3, y3, z3 = link3_axes(link7, pose[row], angles)
    sin_q2 = np.hypot(z3[0], z3[1])
    q1 = np.arctan2(z3[1], z3[0])
    q1[sin_q2 < _SINGULAR] = q1_if_singular
    q2 = np.arctan2(sin_q2, z3[2])
    c1, s1 = np.cos(q1), np.sin(q1)
    # Well conditioned for any q1, also if q2 is nearly 0.
    q3 = np.arctan2(c1 * x3[1] - s1 * x3[0], c1 * y3[1] - s1 * y3[0])
    # The same rotation with the shoulder turned the other way.
    shoulder = np.array([[q1, q2, q3], [q1 + np.pi, -q2, q3 + np.pi]])
    shoulder, inside = _wrapped(shoulder, limits, _JOINTS_1_2_3)
    way, branch = np.nonzero(inside[:, 0] & inside[:, 1] & inside[:, 2])
    joints = np.concatenate([shoulder[way, :, branch], angles[:, branch].T], axis=1)
    return Solutions(row[branch], limits.clamp(joints))


def link3_axes(link7: Link7, pose: IntArray,
               angles: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Link 3's x, y and z axis in the base frame (3, M): link 7's axes, turned back.

    `angles` (4, M) are joints 4, 5, 6 and 7.
    """
    (c4, c5, c6, c7), (s4, s5, s6, s7) = np.cos(angles), np.sin(angles)
    x7, y7, z7 = link7.x.T[:, pose], link7.y.T[:, pose], link7.z.T[:, pose]
    x6, z6 = c7 * x7 - s7 * y7, s7 * x7 + c7 * y7
    x5, z5 = c6 * x6 + s6 * z7, s6 * x6 - c6 * z7  # y6 is -z7
    x4, z4 = c5 * x5 + s5 * z6, c5 * z6 - s5 * x5
    return c4 * x4 - s4 * z5, -z4, s4 * x4 + c4 * z5


def _wrapped(angles: FloatArray, limits: JointLimits,
             joints: slice) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The angles (branches, joints, M) shifted by whole turns into the limits, and if they fit.

    No Franka joint has a range of a full turn or more, so there is at most one such angle.
    """
    lower, upper = limits.lower[joints, None] - _ROUNDING, limits.upper[joints, None] + _ROUNDING
    wrapped = angles - 2 * np.pi * np.floor((angles - lower) / (2 * np.pi))
    return wrapped, wrapped <= upper


class AnalyticIK:
    """Closed-form IK of one Franka model."""

    def __init__(self, limits: JointLimits) -> None:
        self.limits = limits
        self._grids = {n: np.linspace(limits.lower[6], limits.upper[6], n) for n in SWEEPS}

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
            grid = np.append(self._grids[samples], self.limits.clamp(near)[6])
            found = self._nearest_on_grid(link7, open_poses, grid[None], near)
            step = self._grids[samples][1] - self._grids[samples][0]
            self._refine(link7, found, step, near)
            for pose, joints in found.items():
                best[pose] = joints
            open_poses = np.array([p for p in open_poses if p not in found], dtype=np.intp)
        return best

    def cost(self, joints: FloatArray, near: FloatArray) -> FloatArray:
        """Squared joint distance to `near` (rad²) plus a penalty near limits.

        The penalty rises quadratically from 0 at `LIMIT_CLEARANCE` from a limit to `LIMIT_WEIGHT`
        at the limit, summed over the joints. So a solution at a limit wins only if the others are
        about a radian farther away.
        """
        margin = np.minimum(joints - self.limits.lower, self.limits.upper - joints)
        crowding = np.maximum(0.0, 1.0 - margin / LIMIT_CLEARANCE)
        away = joints - near
        return np.asarray((away * away + LIMIT_WEIGHT * crowding * crowding).sum(axis=-1))

    def _nearest_on_grid(self, link7: Link7, poses: IntArray, q7: FloatArray,
                         near: FloatArray) -> dict[int, FloatArray]:
        """Cheapest solution of each pose over q7: (1, N) shared values, or (P, N) per pose."""
        per_chunk = max(1, _CHUNK // q7.shape[1])
        found: dict[int, FloatArray] = {}
        for first in range(0, len(poses), per_chunk):
            chunk = poses[first:first + per_chunk]
            values = q7 if len(q7) == 1 else q7[first:first + per_chunk]
            values = np.broadcast_to(values, (len(chunk), values.shape[1]))
            pairs = np.repeat(chunk, values.shape[1])
            solutions = _solve(link7, pairs, values.reshape(-1), self.limits, float(near[0]))
            solved = pairs[solutions.row]
            order = np.lexsort((self.cost(solutions.joints, near), solved))
            cheapest = order[np.flatnonzero(np.diff(solved[order], prepend=-1))]
            found.update(zip(solved[cheapest].tolist(), solutions.joints[cheapest], strict=True))
        return found

    def _refine(self, link7: Link7, found: dict[int, FloatArray], step: float,
                near: FloatArray) -> None:
        """Replaces each solution by a cheaper one between the samples of q7, if there is one."""
        if not found:
            return
        poses = np.fromiter(found, dtype=np.intp)
        centre = np.array([found[int(pose)][6] for pose in poses])
        values = np.clip(centre[:, None] + step * _REFINE_OFFSETS, self.limits.lower[6],
                         self.limits.upper[6])
        # The best of the sweep is among them, so the cost never rises.
        found.update(self._nearest_on_grid(link7, poses, values, near))
