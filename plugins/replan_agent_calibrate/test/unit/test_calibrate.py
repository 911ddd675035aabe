# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent calibrate --from`: pictures and arm poses in, the camera's pose out."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import cv2
import numpy as np
import pytest
from replan_agent_calibrate.calibrate import difference
from replan_agent_calibrate.calibrate_command import add_commands
from replan_agent_calibrate.calibration_text import calibration_text
from replan_agent_calibrate.charuco_board import CELLS, Board
from scipy.spatial.transform import Rotation

from replan_agent.app.calibration_file import read_calibration
from replan_agent.app.cli.main import main
from replan_agent.app.terminal.exits import WRONG_USE
from replan_agent.arms.franka_kinematics import FrankaKinematics
from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import FloatArray, Pose

OURS = (add_commands,)
BOARD = Board(5, 4, 0.05)
K = np.array([[579.0, 0, 319.5], [0, 579.0, 239.5], [0, 0, 1]])
IN_GRIPPER = Pose.from_rpy(-0.125, 0.0, 0.03, 1.57, 0.0, 0.0)


def picture(T_camera_board: FloatArray) -> FloatArray:
    """The board on white, as a pinhole camera of 640x480 pixels shows it."""
    scale = BOARD.square_m / CELLS / 16
    to_metres = np.array([[scale, 0, 0.5 * scale], [0, scale, 0.5 * scale], [0, 0, 1]])
    double = np.array([[2.0, 0, 0.5], [0, 2.0, 0.5], [0, 0, 1]])
    shown = cv2.warpPerspective(BOARD.picture(16), double @ K @ T_camera_board[:, [0, 1, 3]][:3]
                                @ to_metres, (1280, 960), borderValue=255)
    return cv2.resize(shown, (640, 480), interpolation=cv2.INTER_AREA)


@pytest.fixture
def folder(tmp_path: Path) -> tuple[Path, Pose]:
    """Twelve postures of an FR3 with the board, seen by a camera 1.1 m away."""
    rng, arm = np.random.default_rng(1), FrankaKinematics('fr3')
    home = np.array([0, -np.pi / 4, 0, -3 * np.pi / 4, 0, np.pi / 2, np.pi / 4])
    T_home = arm.forward(home) @ IN_GRIPPER.matrix()
    to_camera = np.eye(4)  # before the board's middle, looking at it
    to_camera[:3, :3] = Rotation.from_rotvec((0.2, 0.3, 0.1)).as_matrix()
    middle = np.array([*BOARD.size_m, 0]) / 2
    to_camera[:3, 3] = middle - to_camera[:3, :3] @ (0, 0, 1.1)
    camera = T_home @ to_camera
    rows = []
    for number in range(12):
        joints = home + rng.uniform(-0.12, 0.12, 7) * (1, 1, 1, 1, 2, 2, 2)
        T = np.linalg.inv(camera) @ arm.forward(joints) @ IN_GRIPPER.matrix()
        name = f'{number:03d}.png'
        cv2.imwrite(str(tmp_path / name), picture(T))
        rows.append({'image': name, 'joints': joints.tolist()})
    content = {'model': 'fr3', 'camera': {'K': K.tolist()}, 'views': rows,
               'board': {'columns': 5, 'rows': 4, 'square_m': 0.05}}
    (tmp_path / 'views.json').write_text(json.dumps(content), 'utf-8')
    return tmp_path, Pose.from_matrix(camera)


def calibrate(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = main(['calibrate', '--from', str(folder), '--out', str(folder / 'camera.yaml')], OURS)
    return status, capsys.readouterr().out


def test_pictures_and_joints_give_the_pose_of_the_camera(
        folder: tuple[Path, Pose], capsys: pytest.CaptureFixture[str]) -> None:
    status, said = calibrate(folder[0], capsys)
    assert status == 0 and 'views: 12 used' in said and 'px RMS' in said
    assert 'true pose' not in said  # not known here
    found, frame = read_calibration(folder[0] / 'camera.yaml')
    away_mm, turned_deg = difference(found, folder[1])
    assert away_mm < 5 and turned_deg < 0.3 and frame == 'fr3_link0'
    first = (folder[0] / 'camera.yaml').read_text('utf-8').splitlines()[0]
    assert first.startswith(f'# Camera pose of replan-agent calibrate on {date.today()}: 12 views')


def test_poses_of_the_tool_serve_as_well_as_joints(
        folder: tuple[Path, Pose], capsys: pytest.CaptureFixture[str]) -> None:
    path, camera = folder
    content = json.loads((path / 'views.json').read_text('utf-8'))
    for view in content['views']:
        tcp = Pose.from_matrix(FrankaKinematics('fr3').forward(np.array(view.pop('joints'))))
        view['tcp'] = tcp.as_dict()
    (path / 'views.json').write_text(json.dumps(content), 'utf-8')
    assert calibrate(path, capsys)[0] == 0
    assert difference(read_calibration(path / 'camera.yaml')[0], camera)[0] < 5


@pytest.mark.parametrize(('change', 'said'), [
    (lambda c: c['views'][3].update(image='gone.png'), 'gone.png: cannot be read'),
    (lambda c: c['views'][3].update(joints=[0.0] * 6), '6 joints, not 7'),
    (lambda c: c.pop('camera'), "KeyError: 'camera'"),
    (lambda c: c.update(model='ur5'), "'ur5' is not allowed"),
    (lambda c: c['board'].update(rows='4'), 'TypeError'),
])
def test_a_folder_that_cannot_be_read_is_wrong_use(folder: tuple[Path, Pose], change, said: str,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads((folder[0] / 'views.json').read_text('utf-8'))
    change(content)
    (folder[0] / 'views.json').write_text(json.dumps(content), 'utf-8')
    assert main(['calibrate', '--from', str(folder[0])], OURS) == 2
    error = capsys.readouterr().err
    assert str(folder[0] / 'views.json') in error and said in error


def test_views_that_are_no_object_are_wrong_use(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'views.json').write_text('[]', 'utf-8')
    assert main(['calibrate', '--from', str(tmp_path)], OURS) == 2
    assert 'views.json: ValueError: must be a JSON object, not list' in capsys.readouterr().err


def test_too_few_views_are_no_calibration(folder: tuple[Path, Pose],
                                          capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads((folder[0] / 'views.json').read_text('utf-8'))
    content['views'] = content['views'][:3]
    (folder[0] / 'views.json').write_text(json.dumps(content), 'utf-8')
    status, out = calibrate(folder[0], capsys)
    assert status == 1 and '3 usable views' in out
    assert not (folder[0] / 'camera.yaml').exists()


def test_the_printed_board_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / 'board.png'
    assert main(['calibrate', '--print', str(path)], OURS) == 0
    printed = cv2.copyMakeBorder(cv2.imread(str(path)), 50, 50, 50, 50, cv2.BORDER_CONSTANT,
                                 value=(255, 255, 255))
    assert len(BOARD.find(printed).ids) == len(BOARD.corners())


@pytest.mark.parametrize(('path', 'said'), [
    ('board.xyz', 'no picture is written with this ending'),
    ('/proc/board.png', '/proc/board.png: cannot be written'),
])
def test_a_board_that_cannot_be_written_is_wrong_use(path: str, said: str, capsys) -> None:
    assert main(['calibrate', '--print', path], OURS) == 2
    assert said in capsys.readouterr().err


def test_a_name_that_looks_like_markup_is_printed_as_it_is(tmp_path: Path, capsys) -> None:
    path = tmp_path / '[' / 'red]:smile:.png'
    assert main(['calibrate', '--print', str(path)], OURS) == 0
    assert f'{path}: print it' in capsys.readouterr().out


def test_a_folder_for_the_pictures_that_cannot_be_made_is_refused_at_once(
        monkeypatch, capsys) -> None:
    monkeypatch.setattr('replan_agent_calibrate.calibrate.simulated', pytest.fail)
    assert main(['calibrate', '--save', '/proc/x'], OURS) == 2
    assert '/proc/x: cannot be written' in capsys.readouterr().err


@pytest.mark.parametrize('board', ['5x4', 'axbxc', '2x2x50', '5x4x0', '5x4xinf', '100x100x50'])
def test_a_board_that_cannot_be_is_wrong_use(board: str, capsys) -> None:
    assert main(['calibrate', '--board', board, '--print', 'x.png'], OURS) == 2
    assert '--board' in capsys.readouterr().err


def test_a_calibration_file_reads_as_it_was_written(tmp_path: Path) -> None:
    pose = Pose.from_rpy(0.4, -0.2, 0.9, 2.0, 0.3, -1.0)
    path = tmp_path / 'camera.yaml'
    path.write_text(calibration_text(pose, 'fr3_link0', 'optical', 'note'), 'utf-8')
    again, frame = read_calibration(path)
    assert difference(again, pose) == pytest.approx((0, 0), abs=2e-3)
    assert frame == 'fr3_link0' and '--frame-id fr3_link0' in path.read_text('utf-8')
    path.write_text('/**: {ros__parameters: {}}', 'utf-8')
    with pytest.raises(ConfigError, match='not a calibration'):
        read_calibration(path)


@pytest.mark.parametrize('text', ['', '[1', '{"views": 3}', '[]', 'null'])
def test_views_that_cannot_be_used_are_named(tmp_path, capsys, text):
    (tmp_path / 'views.json').write_text(text)
    assert main(['calibrate', '--from', str(tmp_path)], OURS) == WRONG_USE
    assert 'views.json' in capsys.readouterr().err


def test_a_picture_in_a_calibration_whose_name_nobody_can_open(tmp_path, capsys):
    camera = {'K': [[600, 0, 320], [0, 600, 240], [0, 0, 1]]}
    for name in ('\ud800.png', 'gone.png', 'a\0b.png', '.'):
        (tmp_path / 'views.json').write_text(
            json.dumps({'camera': camera, 'views': [{'image': name}]}))
        assert main(['calibrate', '--from', str(tmp_path)], OURS) == WRONG_USE
        assert 'cannot be read' in capsys.readouterr().err
