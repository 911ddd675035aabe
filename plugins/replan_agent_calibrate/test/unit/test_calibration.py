# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calibration of the camera: the pose comes back, and what cannot be trusted is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from board_views import CAMERA, IN_GRIPPER, LENS, K, board_poses, picture, views
from replan_agent_calibrate.calibrate import difference
from replan_agent_calibrate.charuco_board import Board, CalibrationError, Seen
from replan_agent_calibrate.hand_eye import Lens, calibrate, unusable


def test_perfect_views_give_the_exact_pose_of_camera_and_board() -> None:
    found = calibrate(views(), Board(), LENS)
    assert difference(found.T_mount_camera, CAMERA) == pytest.approx((0, 0), abs=1e-3)
    assert difference(found.T_other_board, IN_GRIPPER) == pytest.approx((0, 0), abs=1e-3)
    assert found.reprojection_px < 1e-4 and found.spread_mm < 1e-3 and not found.dropped


@pytest.mark.parametrize('seed', range(5))
def test_noisy_pixels_give_a_pose_within_a_few_millimetres(seed: int) -> None:
    found = calibrate(views(20, noise_px=0.3, seed=seed), Board(), LENS)
    away_mm, turned_deg = difference(found.T_mount_camera, CAMERA)
    assert away_mm < 3 and turned_deg < 0.2
    assert found.reprojection_px == pytest.approx(0.3 * np.sqrt(2), rel=0.2)
    assert away_mm < 4 * found.spread_mm  # the spread says how far off it may be


def test_the_spread_grows_with_the_noise() -> None:
    quiet, loud = (calibrate(views(noise_px=px), Board(), LENS) for px in (0.1, 0.5))
    assert loud.spread_mm > 3 * quiet.spread_mm and loud.spread_deg > 3 * quiet.spread_deg


def test_the_distortion_of_the_lens_is_taken_out() -> None:
    lens = Lens(K, np.array([0.08, -0.15, 0.002, -0.001, 0.0]))
    seen = views(lens=lens)
    found = calibrate(seen, Board(), lens)
    assert difference(found.T_mount_camera, CAMERA)[0] < 0.01
    assert difference(calibrate(seen, Board(), LENS).T_mount_camera, CAMERA)[0] > 1


def test_a_board_that_slipped_once_is_left_out_and_named() -> None:
    seen = views(noise_px=0.1)
    slipped = seen[6].T_base_tcp.copy()
    slipped[2, 3] += 0.02
    seen[6] = replace(seen[6], T_base_tcp=slipped)
    found = calibrate(seen, Board(), LENS)
    assert list(found.dropped) == ['006.png'] and 'px off' in found.dropped['006.png']
    assert difference(found.T_mount_camera, CAMERA)[0] < 2


def test_a_board_that_was_measured_wrong_does_not_pass_as_good() -> None:
    found = calibrate(views(board=Board(square_m=0.05)), Board(square_m=0.053), LENS)
    assert found.reprojection_px > 1


def test_too_few_views_are_refused_with_the_reason_for_each() -> None:
    seen = views(6)
    seen[2] = replace(seen[2], seen=Seen(np.arange(3), np.zeros((3, 2))))
    seen[4] = replace(seen[4], seen=Seen(np.zeros(0, dtype=int), np.zeros((0, 2))))
    with pytest.raises(CalibrationError, match=r'(?s)4 usable views.*002.png: 3 corners.*004'):
        calibrate(seen, Board(), LENS)


@pytest.mark.parametrize('ids', [range(8), (*range(7), 12)], ids=['a row', 'a row and one more'])
def test_a_view_of_corners_in_one_line_is_left_out_and_named(ids) -> None:
    wide, chosen = Board(9, 4, 0.03), np.array(ids)
    seen = views(board=wide)
    row = Seen(chosen, seen[3].seen.pixels[chosen])
    seen[3] = replace(seen[3], seen=row)
    found = calibrate(seen, wide, LENS)
    assert list(found.dropped) == ['003.png'] and 'in one line' in found.dropped['003.png']
    assert difference(found.T_mount_camera, CAMERA)[0] < 1e-3


def test_two_corners_beside_a_line_make_a_view() -> None:
    assert unusable(Seen(np.array([*range(6), 12, 13]), np.zeros((8, 2))), Board(9, 4)) is None


def test_an_arm_that_only_shifts_the_board_cannot_be_calibrated() -> None:
    seen = views(10)
    same = [replace(v, T_base_tcp=_shifted(seen[0].T_base_tcp, i)) for i, v in enumerate(seen)]
    with pytest.raises(CalibrationError, match='turned about one axis only'):
        calibrate(same, Board(), LENS)


def _shifted(T: np.ndarray, step: int) -> np.ndarray:
    moved = T.copy()
    moved[:3, 3] += 0.01 * step
    return moved


@pytest.mark.parametrize('board', [Board(), Board(7, 5, 0.04)], ids=str)
def test_the_corners_of_a_picture_are_found_where_they_are(board: Board) -> None:
    for T in board_poses(4, seed=3, turn=0.4):
        seen = board.find(picture(T, board))
        assert len(seen.ids) >= 0.8 * len(board.corners())
        points = board.corners()[seen.ids] @ T[:3, :3].T + T[:3, 3]
        expected = (points @ K.T)[:, :2] / points[:, 2:]
        away = np.linalg.norm(seen.pixels - expected, axis=1)
        assert np.median(away) < 0.15 and np.mean(away < 0.5) >= 0.9


def test_a_picture_without_a_board_shows_no_corners() -> None:
    assert len(Board().find(np.full((480, 640, 3), 128, dtype=np.uint8)).ids) == 0


def test_a_board_that_is_too_small_is_refused() -> None:
    with pytest.raises(CalibrationError, match='at least 3x3'):
        Board(2, 4).corners()


def test_a_board_with_more_squares_than_markers_is_refused() -> None:
    with pytest.raises(CalibrationError, match='more than 50 markers'):
        Board(100, 100).corners()
