# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hand-eye calibration: a fixed camera with a board in the gripper, or a camera in the hand.

Every view gives  T_mount_camera · T_camera_board = T_mount_other · T_other_board.  The first and
the last transform are unknown and the same in all views. A fixed camera is mounted on the base,
and the board is on the tool; for a camera in the hand it is the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from replan_agent.domain.pose import FloatArray, Pose

from .charuco_board import Board, CalibrationError, Seen

MIN_VIEWS = 5
MIN_CORNERS = 6
LINE_M = 1e-6  # corners this close to a line count as on it
MIN_TURN_RAD = 0.1  # about a second axis; without it one position is undetermined
OUTLIER = 4.0  # times the median error of the views
OUTLIER_PX = 1.0
STEP = 1e-6  # of finite differences, rad and m

Transforms = tuple[FloatArray, FloatArray]  # T_mount_camera, T_other_board


@dataclass(frozen=True)
class Lens:
    """Intrinsics K (3x3) and OpenCV's distortion coefficients."""

    K: FloatArray
    distortion: FloatArray = field(default_factory=lambda: np.zeros(5))


@dataclass(frozen=True)
class View:
    """One picture of the board, and the pose of the tool when it was taken."""

    name: str
    T_base_tcp: FloatArray  # 4x4
    seen: Seen


@dataclass(frozen=True)
class Calibration:
    """The camera's pose, and how well the views agree on it.

    With a camera in the hand, `T_mount_camera` is in the tool's frame and `T_other_board` in the
    base's; with a fixed one, the other way round.
    `view_px` is the error of each used view (RMS, px). `spread_mm` and `spread_deg` are the
    standard error of the camera's pose: how far it moves when each view in turn is left out.
    """

    T_mount_camera: Pose
    T_other_board: Pose
    reprojection_px: float
    view_px: dict[str, float]
    spread_mm: float
    spread_deg: float
    dropped: dict[str, str]  # views that were not used, and why


def calibrate(views: Sequence[View], board: Board, lens: Lens,
              eye_in_hand: bool = False) -> Calibration:
    """The camera's pose on its mount. Raises CalibrationError if the views are not enough."""
    dropped = {view.name: why for view in views if (why := unusable(view.seen, board))}
    used = _enough([view for view in views if view.name not in dropped], dropped)
    problem = _Problem(used, board, lens, eye_in_hand)
    solution = problem.solve()
    errors = problem.errors(solution)
    limit = max(OUTLIER * float(np.median(errors)), OUTLIER_PX)
    far = {view.name: f'{error:.2f} px off the result of the others (limit {limit:.2f})'
           for view, error in zip(used, errors) if error > limit}
    if far:
        dropped |= far
        used = _enough([view for view in used if view.name not in far], dropped)
        problem = _Problem(used, board, lens, eye_in_hand)
        solution = problem.solve()
        errors = problem.errors(solution)
    X, Y = solution
    spread_mm, spread_deg = problem.spread(solution)
    return Calibration(
        Pose.from_matrix(X), Pose.from_matrix(Y), float(np.sqrt(np.mean(errors**2))),
        {view.name: float(error) for view, error in zip(used, errors)}, spread_mm, spread_deg,
        dropped)


def unusable(seen: Seen, board: Board) -> str | None:
    """Why the corners seen do not show where the board is; None if they do."""
    n = len(seen.ids)
    if n < MIN_CORNERS:
        return f'{n} corners of the board are seen, at least {MIN_CORNERS} are needed'
    points = board.corners()[seen.ids]
    # One corner beside a line of corners does not fix the board's pose.
    if any(_in_a_line(np.delete(points, k, axis=0)) for k in range(n)):
        return f'the {n} corners of the board that are seen, or all but one, are in one line'
    return None


def _in_a_line(points: FloatArray) -> bool:
    return bool(np.linalg.matrix_rank(points - points[0], tol=LINE_M) < 2)


def _enough(views: list[View], dropped: dict[str, str]) -> list[View]:
    if len(views) < MIN_VIEWS:
        why = ''.join(f'\n  {name}: {reason}' for name, reason in dropped.items())
        raise CalibrationError(f'{len(views)} usable views, at least {MIN_VIEWS} are needed{why}')
    first = views[0].T_base_tcp[:3, :3]
    turns = Rotation.from_matrix([first.T @ v.T_base_tcp[:3, :3] for v in views]).as_rotvec()
    second = float(np.linalg.svd(turns, compute_uv=False)[1] / np.sqrt(len(views)))
    if second < MIN_TURN_RAD:
        raise CalibrationError(
            f'the tool turned about one axis only (about a second one {second:.3f} rad RMS, at '
            f'least {MIN_TURN_RAD:g}): tilt the board in other directions as well')
    return views


class _Problem:
    """The views, and the board's pose T_camera_board from each view alone."""

    def __init__(self, views: Sequence[View], board: Board, lens: Lens,
                 eye_in_hand: bool) -> None:
        self._K = lens.K
        arm = np.array([view.T_base_tcp for view in views])
        self._arm = np.linalg.inv(arm) if eye_in_hand else arm  # T_mount_other
        corners = board.corners()
        self._points = np.concatenate([corners[view.seen.ids] for view in views])
        self._pixels = np.concatenate([_straight(view.seen.pixels, lens) for view in views])
        self._view = np.repeat(np.arange(len(views)), [len(v.seen.ids) for v in views])
        self._alone = np.array([self._board_pose(self._view == i) for i in range(len(views))])

    def solve(self) -> Transforms:
        """T_mount_camera and T_other_board that bring all corners closest to their pixels."""
        best = least_squares(lambda p: self._residuals(p).ravel(), _packed(*self._linear()),
                             loss='soft_l1', x_scale='jac')
        return _unpacked(best.x)

    def errors(self, solution: Transforms) -> FloatArray:
        """Distance between corners and pixels of each view, RMS px."""
        squares = np.sum(self._residuals(_packed(*solution))**2, axis=1)
        return np.sqrt(np.bincount(self._view, squares) / np.bincount(self._view))

    def spread(self, solution: Transforms) -> tuple[float, float]:
        """The jackknife standard error of T_mount_camera: mm and degrees.

        Leaving out a view moves the solution by one Gauss-Newton step.
        """
        p, n, X = _packed(*solution), len(self._arm), solution[0]
        r = self._residuals(p)
        J = np.stack([(self._residuals(p + step) - r) / STEP for step in STEP * np.eye(len(p))],
                     axis=-1)
        moved_m, turned = np.zeros(n), np.zeros(n)
        for i in range(n):
            others = J[self._view != i].reshape(-1, len(p))
            own = J[self._view == i].reshape(-1, len(p))
            pull = own.T @ r[self._view == i].ravel()
            other, _ = _unpacked(p + np.linalg.solve(others.T @ others, pull))
            moved_m[i] = np.linalg.norm(other[:3, 3] - X[:3, 3])
            turned[i] = Rotation.from_matrix(X[:3, :3].T @ other[:3, :3]).magnitude()
        error_m, error_rad = (np.sqrt((n - 1) / n * np.sum(x**2)) for x in (moved_m, turned))
        return float(1e3 * error_m), float(np.degrees(error_rad))

    def _board_pose(self, own: FloatArray) -> FloatArray:
        """T_camera_board of one picture: the better of the two that a flat board allows."""
        points, pixels = self._points[own], self._pixels[own]
        _, turns, moves, errors = cv2.solvePnPGeneric(points, pixels, self._K, None,
                                                      flags=cv2.SOLVEPNP_IPPE)
        best = int(np.argmin(np.ravel(errors)))
        rvec, tvec = cv2.solvePnPRefineLM(points, pixels, self._K, None, turns[best], moves[best])
        return _matrix(np.ravel(rvec), np.ravel(tvec))

    def _linear(self) -> Transforms:
        """A first solution without a guess: linear equations for rotations, then for positions."""
        A, B = self._arm, self._alone
        eye = np.eye(3)
        rows = [np.hstack([np.kron(eye, b[:3, :3].T), -np.kron(a[:3, :3], eye)])
                for a, b in zip(A, B)]
        null = np.linalg.svd(np.vstack(rows))[2][-1]
        X, Y = np.eye(4), np.eye(4)
        sign = np.sign(np.linalg.det(null[:9].reshape(3, 3)))
        X[:3, :3] = _nearest_rotation(sign * null[:9].reshape(3, 3))
        Y[:3, :3] = _nearest_rotation(sign * null[9:].reshape(3, 3))
        left = np.vstack([np.hstack([eye, -a[:3, :3]]) for a in A])
        right = np.concatenate([a[:3, 3] - X[:3, :3] @ b[:3, 3] for a, b in zip(A, B)])
        t = np.linalg.lstsq(left, right, rcond=None)[0]
        X[:3, 3], Y[:3, 3] = t[:3], t[3:]
        return X, Y

    def _residuals(self, p: FloatArray) -> FloatArray:
        """Expected minus seen corners: (n, 2), px."""
        X, Y = _unpacked(p)
        T = (np.linalg.inv(X) @ self._arm @ Y)[self._view]  # T_camera_board of each corner
        seen = np.einsum('kij,kj->ki', T[:, :3, :3], self._points) + T[:, :3, 3]
        return np.asarray((seen @ self._K.T)[:, :2] / seen[:, 2:] - self._pixels)


def _straight(pixels: FloatArray, lens: Lens) -> FloatArray:
    """The pixels that a lens without distortion would show."""
    undistorted = cv2.undistortPoints(pixels.reshape(-1, 1, 2), lens.K, lens.distortion, P=lens.K)
    return np.asarray(undistorted, dtype=float).reshape(-1, 2)


def _matrix(rvec: FloatArray, t: FloatArray) -> FloatArray:
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(rvec).as_matrix()
    T[:3, 3] = t
    return T


def _packed(*transforms: FloatArray) -> FloatArray:
    return np.concatenate([np.concatenate([Rotation.from_matrix(T[:3, :3]).as_rotvec(), T[:3, 3]])
                           for T in transforms])


def _unpacked(p: FloatArray) -> Transforms:
    return _matrix(p[:3], p[3:6]), _matrix(p[6:9], p[9:])


def _nearest_rotation(M: FloatArray) -> FloatArray:
    U, _, Vt = np.linalg.svd(M)
    return np.asarray(U @ np.diag([1.0, 1.0, np.linalg.det(U @ Vt)]) @ Vt)
