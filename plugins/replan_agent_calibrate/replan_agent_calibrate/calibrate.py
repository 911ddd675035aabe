# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent calibrate`: find the camera's pose from pictures of a board in the gripper."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
from rich.console import Console

from replan_agent.app.build.scenes_by_name import scene_named
from replan_agent.app.calibration_file import HAND_OPTICAL_FRAME, OPTICAL_FRAME
from replan_agent.app.terminal.console import plain_console
from replan_agent.app.terminal.exits import SUCCESS, TASK_FAILED, WrongUse
from replan_agent.arms.arm_model import ArmModel
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.pose import Pose
from replan_agent.record.picture import PictureError
from replan_agent.robot.mujoco.gl import GraphicsUnavailable
from replan_agent.text.file_bytes import reason, write_whole
from replan_agent.text.shown_text import one_line
from replan_agent_calibrate.charuco_board import CELLS, Board, CalibrationError
from replan_agent_calibrate.hand_eye import Calibration, calibrate

from .calibration_hand_sim import simulated_in_hand
from .calibration_sim import simulated
from .calibration_text import calibration_text
from .calibration_views import Recording, recorded, save
from .picture_file import write_picture

PRINT_DPI = 300
GOOD_PX = 1.0


def run_calibration(arguments: argparse.Namespace) -> int:
    """Calibrate and write the camera's pose; 1 if that fails or the result is not good."""
    console = plain_console()
    if arguments.print is not None:
        return _print_board(_board(arguments.board), arguments.print, console)
    try:
        recording, truth = _recording(arguments)
        found = calibrate(recording.views(), recording.board, recording.lens,
                          recording.eye_in_hand)
    except CalibrationError as error:
        console.print(f'no calibration: {error}', soft_wrap=True)
        return TASK_FAILED
    except GraphicsUnavailable as error:
        raise WrongUse(f'the simulation cannot draw the board: {error}') from error
    in_hand = recording.eye_in_hand
    arm = arm_named(recording.model)
    camera = _in_hand_frame(found.T_mount_camera, arm) if in_hand else found.T_mount_camera
    frame = arm.frame('hand') if in_hand else arm.ros.base or arm.base_frame
    out = arguments.out or Path('hand_camera.yaml' if in_hand else 'camera.yaml')
    _write(out, calibration_text(
        camera, frame, HAND_OPTICAL_FRAME if in_hand else OPTICAL_FRAME,
        f'Camera pose of replan-agent calibrate on {date.today()}: {len(found.view_px)} views, '
        f'{found.reprojection_px:.2f} px, spread {found.spread_mm:.2f} mm '
        f'{found.spread_deg:.3f} deg.'))
    for line in report(found, camera, frame, truth):
        console.print(line, soft_wrap=True)
    console.print(f'saved: {out}', soft_wrap=True)
    return SUCCESS if found.reprojection_px <= GOOD_PX else TASK_FAILED


def _in_hand_frame(T_tcp_camera: Pose, arm: ArmModel) -> Pose:
    return Pose.from_matrix(np.linalg.inv(arm.hand_frame(np.eye(4))) @ T_tcp_camera.matrix())


def report(found: Calibration, camera: Pose, frame: str, truth: Pose | None) -> list[str]:
    """The result, how well the views agree, and the true error if it is known."""
    x, y, z = camera.position
    qw, qx, qy, qz = camera.quaternion
    lines = [
        f'camera in {frame}: {x:.4f} {y:.4f} {z:.4f} m, '
        f'quaternion (x y z w) {qx:.5f} {qy:.5f} {qz:.5f} {qw:.5f}',
        f'views: {len(found.view_px)} used, {len(found.dropped)} not',
        *(f'  {name}: {why}' for name, why in found.dropped.items()),
        f'reprojection: {found.reprojection_px:.2f} px RMS, worst view '
        f'{max(found.view_px.values()):.2f} px',
        f'spread: {found.spread_mm:.2f} mm, {found.spread_deg:.3f}° (standard error)',
    ]
    if found.reprojection_px > GOOD_PX:
        lines.append(f'not good: above {GOOD_PX:g} px. Is the board flat, is the size of a square '
                     'right, and did the board sit still in the gripper?')
    if truth is not None:
        away_mm, turned_deg = difference(camera, truth)
        lines.append(f'error against the true pose: {away_mm:.2f} mm, {turned_deg:.3f}°')
    return lines


def difference(one: Pose, other: Pose) -> tuple[float, float]:
    """The distance between two poses: mm and degrees."""
    R = one.matrix()[:3, :3].T @ other.matrix()[:3, :3]
    cosine = float(np.clip((np.trace(R) - 1) / 2, -1, 1))
    return 1e3 * one.distance_to(other), math.degrees(math.acos(cosine))


def _recording(arguments: argparse.Namespace) -> tuple[Recording, Pose | None]:
    if arguments.folder is not None:
        found = _recorded(arguments.folder)
        return replace(found, eye_in_hand=found.eye_in_hand or arguments.eye_in_hand), None
    scene, board, folder = scene_named(arguments.scene), _board(arguments.board), arguments.save
    if folder is not None:
        with _written(folder):  # check before the arm moves
            folder.mkdir(parents=True, exist_ok=True)
    simulate = simulated_in_hand if arguments.eye_in_hand else simulated
    recording, truth = simulate(scene, arm_named(arguments.model), board, arguments.views,
                                arguments.seed)
    if folder is not None:
        with _written(folder):
            save(recording, folder)
    return recording, truth


def _recorded(folder: Path) -> Recording:
    try:
        return recorded(folder)
    except CalibrationError as error:
        raise WrongUse(f'--from: {error}') from error


def _board(text: str) -> Board:
    try:
        return Board.parse(text)
    except CalibrationError as error:
        raise WrongUse(f'--board: {error}') from error


def _print_board(board: Board, path: Path, console: Console) -> int:
    """Write a picture whose squares have the right size if printed at PRINT_DPI."""
    per_cell = max(1, round(board.square_m / CELLS / 0.0254 * PRINT_DPI))
    picture = board.picture(per_cell)
    try:
        write_picture(path, np.repeat(picture[..., None], 3, axis=2))
    except PictureError as error:
        raise WrongUse(f'--print: {error}') from error
    dpi = per_cell * CELLS / board.square_m * 0.0254
    console.print(f'{path}: print it at {dpi:.1f} dpi and measure a square: '
                  f'{1000 * board.square_m:g} mm. Glue it to something flat, with 30 mm of blank '
                  'edge to hold it by.', soft_wrap=True)
    return SUCCESS


def _write(path: Path, text: str) -> None:
    with _written(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise WrongUse(f'{one_line(path, 300)}: cannot be written: {reason(error)}') from error
