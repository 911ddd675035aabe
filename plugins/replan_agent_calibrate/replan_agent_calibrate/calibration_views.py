# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures for a calibration, kept in a folder.

The folder has the pictures and views.json: the lens, the board, and for each picture the arm's
joints (rad) or the pose of its tool (`tcp`: position, quaternion_wxyz). `eye_in_hand` says that
the camera is on the hand.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.arms.arm_names import DEFAULT_ARM
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.record.picture import png
from replan_agent.text.file_bytes import file_bytes, write_whole
from replan_agent.text.json_text import read_json
from replan_agent.text.shown_text import one_line
from replan_agent_calibrate.charuco_board import Board, CalibrationError
from replan_agent_calibrate.hand_eye import Lens, View

FILE = 'views.json'
LONGEST_PICTURE = 100_000_000  # bytes


@dataclass(frozen=True)
class Picture:
    """A picture and the pose of the tool."""

    name: str
    rgb: FloatArray
    joints: FloatArray | None
    T_base_tcp: FloatArray


@dataclass(frozen=True)
class Recording:
    board: Board
    lens: Lens
    model: str
    pictures: tuple[Picture, ...]
    eye_in_hand: bool = False  # the camera is on the hand, and the board does not move

    def views(self) -> list[View]:
        """The board's corners in each picture."""
        return [View(p.name, p.T_base_tcp, self.board.find(p.rgb)) for p in self.pictures]


def save(recording: Recording, folder: Path) -> None:
    """Write the pictures and views.json. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in recording.pictures:
        write_whole(folder / picture.name, png(picture.rgb))
    content = {
        'model': recording.model, 'eye_in_hand': recording.eye_in_hand,
        'board': asdict(recording.board),
        'camera': {'K': recording.lens.K.tolist(),
                   'distortion': recording.lens.distortion.tolist()},
        'views': [{'image': p.name, 'joints': np.asarray(p.joints).tolist()}
                  for p in recording.pictures],
    }
    write_whole(folder / FILE, json.dumps(content, indent=1))


def recorded(folder: Path) -> Recording:
    """The content of a folder. Raises CalibrationError that names what is missing or wrong."""
    try:
        content = read_json(folder / FILE)
    except ConfigError as error:
        raise CalibrationError(str(error)) from error
    try:
        if not isinstance(content, dict):
            raise ValueError(f'must be a JSON object, not {type(content).__name__}')
        model, camera = str(content.get('model', DEFAULT_ARM)), content['camera']
        lens = Lens(np.array(camera['K'], dtype=float).reshape(3, 3),
                    np.array(camera.get('distortion', [0.0] * 5), dtype=float))
        arm = arm_named(model)
        pictures = tuple(_picture(folder, view, arm) for view in content['views'])
        board = Board(**content.get('board', {}))
        board.corners()  # raises if such a board is impossible
        return Recording(board, lens, model, pictures, content.get('eye_in_hand') is True)
    except ConfigError as error:  # a picture
        raise CalibrationError(f'{folder / FILE}: {error}') from error
    except (LookupError, TypeError, ValueError, ArithmeticError, cv2.error) as error:
        why = one_line(f'{type(error).__name__}: {error}', 300)
        raise CalibrationError(f'{folder / FILE}: {why}') from error


def _picture(folder: Path, view: dict[str, Any], arm: ArmModel) -> Picture:
    name = str(view['image'])
    data = file_bytes(folder / name, LONGEST_PICTURE)
    bgr = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if bgr is None:
        raise ValueError(f'{name}: no picture')
    rgb: Any = cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB)
    if 'tcp' in view:
        tcp = view['tcp']
        pose = Pose(tuple(tcp['position']), tuple(tcp['quaternion_wxyz']))
        return Picture(name, rgb, None, pose.matrix())
    joints = np.array(view['joints'], dtype=float)
    if joints.shape != (arm.joint_count,):
        raise ValueError(f'{name}: {joints.size} joints, not {arm.joint_count}')
    return Picture(name, rgb, joints, arm.kinematics.forward(joints))
