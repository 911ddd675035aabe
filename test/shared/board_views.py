# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Views of a calibration board, made up: arm poses and pixels, or whole pictures."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from replan_agent_calibrate.charuco_board import CELLS, Board, Seen
from replan_agent_calibrate.hand_eye import Lens, View
from scipy.spatial.transform import Rotation

from replan_agent.domain.pose import FloatArray, Pose

K = np.array([[579.0, 0, 319.5], [0, 579.0, 239.5], [0, 0, 1]])
LENS = Lens(K)
# An optical frame in front of the arm that looks back at it, and a board askew in the gripper.
CAMERA = Pose.from_rpy(1.4, 0.55, 0.85, -2.25, 0.02, 1.9)
IN_GRIPPER = Pose.from_rpy(-0.12, 0.01, 0.02, 1.6, 0.1, 0.2)


def board_poses(count: int, seed: int, turn: float = 0.6) -> Iterator[FloatArray]:
    """T_camera_board: in view, turned about all axes."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        T = np.eye(4)
        T[:3, :3] = Rotation.from_rotvec(rng.uniform(-turn, turn, 3)).as_matrix()
        T[:3, 3] = rng.uniform(-0.2, 0.0), rng.uniform(-0.2, 0.0), rng.uniform(0.9, 1.2)
        yield T


def arm_pose(T_camera_board: FloatArray) -> FloatArray:
    return CAMERA.matrix() @ T_camera_board @ np.linalg.inv(IN_GRIPPER.matrix())


def views(count: int = 15, noise_px: float = 0.0, seed: int = 0, lens: Lens = LENS,
          board: Board | None = None) -> list[View]:
    """What would be seen of the board, with noise on the pixels."""
    rng, points = np.random.default_rng(seed), (board or Board()).corners()
    found = []
    for number, T in enumerate(board_poses(count, seed)):
        rvec = Rotation.from_matrix(T[:3, :3]).as_rotvec()
        pixels, _ = cv2.projectPoints(points, rvec, T[:3, 3], lens.K, lens.distortion)
        pixels = pixels.reshape(-1, 2) + rng.normal(0, noise_px, (len(points), 2))
        found.append(View(f'{number:03d}.png', arm_pose(T), Seen(np.arange(len(points)), pixels)))
    return found


def picture(T_camera_board: FloatArray, board: Board) -> FloatArray:
    """The board on grey, as a pinhole camera of 640x480 pixels shows it."""
    per_cell = 8
    scale = board.square_m / CELLS / per_cell
    flat = cv2.copyMakeBorder(board.picture(per_cell), 40, 40, 40, 40, cv2.BORDER_CONSTANT,
                              value=255)
    to_metres = np.array([[scale, 0, -39.5 * scale], [0, scale, -39.5 * scale], [0, 0, 1]])
    H = K @ T_camera_board[:3, [0, 1, 3]] @ to_metres
    grey = np.full((480, 640), 128, dtype=np.uint8)
    # Drawn four times as large and shrunk: else the edges are steps.
    big = np.diag([4.0, 4.0, 1.0])
    big[:2, 2] = 1.5
    shown = cv2.warpPerspective(flat, big @ H, (2560, 1920), flags=cv2.INTER_LINEAR)
    mask = cv2.warpPerspective(np.full_like(flat, 255), big @ H, (2560, 1920))
    small, inside = (cv2.resize(x, (640, 480), interpolation=cv2.INTER_AREA).astype(float)
                     for x in (shown, mask))
    return np.repeat((small + grey * (1 - inside / 255)).clip(0, 255).astype(np.uint8)[..., None],
                     3, axis=2)
