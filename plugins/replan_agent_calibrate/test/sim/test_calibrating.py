# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent calibrate` in simulation: the pose it finds against the true one."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from replan_agent_calibrate.calibrate import difference
from replan_agent_calibrate.calibrate_command import add_commands
from replan_agent_calibrate.calibration_sim import plate_in_hand
from replan_agent_calibrate.calibration_views import recorded
from replan_agent_calibrate.charuco_board import Board
from replan_agent_calibrate.hand_eye import calibrate

from replan_agent.app.build.scenes_by_name import scene_named
from replan_agent.app.calibration_file import read_calibration
from replan_agent.app.cli.main import main
from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import FR3, PANDA
from replan_agent.domain.pose import Pose
from replan_agent.robot.mujoco.mjcf.scene_mjcf import camera_pose

OURS = (add_commands,)
VIEWS = 10


@pytest.mark.gl
def test_the_camera_is_found_to_a_millimetre_or_two(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, folder = tmp_path / 'camera.yaml', tmp_path / 'views'
    status = main(['calibrate', '--model', 'fr3', '--views', str(VIEWS), '--out', str(out),
                   '--save', str(folder)], OURS)
    said = capsys.readouterr().out
    assert status == 0, said
    found, frame = read_calibration(out)
    away_mm, turned_deg = difference(found, camera_pose(scene_named('tabletop').camera))
    assert away_mm < 3 and turned_deg < 0.2 and frame == 'fr3_link0'
    printed = re.search(r'true pose: ([\d.]+) mm, ([\d.]+)°', said)
    assert printed and float(printed[1]) == pytest.approx(away_mm, abs=0.02)

    # The pictures that it kept give the same again, and where the board was in the gripper.
    again = recorded(folder)
    assert len(again.pictures) == VIEWS
    calibration = calibrate(again.views(), again.board, again.lens)
    assert difference(calibration.T_mount_camera, found)[0] < 0.01
    T_tcp_board = plate_in_hand(again.board, FR3.hand).T_part_pattern.matrix()
    T_tcp_board[2, 3] -= franka.TCP_M
    away_mm, turned_deg = difference(calibration.T_other_board, Pose.from_matrix(T_tcp_board))
    assert away_mm < 3 and turned_deg < 0.5


def test_the_plate_carries_its_pattern_on_the_front() -> None:
    """The pattern's frame is a rotation, its corner on the plate, its z into the plate."""
    board = Board()
    plate = plate_in_hand(board, PANDA.hand)
    T = plate.T_part_pattern.matrix()
    assert np.linalg.det(T[:3, :3]) == pytest.approx(1)
    in_plate = np.linalg.inv(plate.T_part_plate.matrix()) @ T
    width, height, thick = plate.size_m
    assert in_plate[2, 3] == pytest.approx(-thick / 2)
    corners = in_plate @ np.array([[0, 0, 0, 1], [*board.size_m, 0, 1]]).T
    assert np.all(np.abs(corners[0]) < width / 2) and np.all(np.abs(corners[1]) < height / 2)
