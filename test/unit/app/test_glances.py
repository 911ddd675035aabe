# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The pictures for the record: the frame of perception, else a new one, and never an accident."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from replan_agent.app.build.wiring import Glances
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import PartFailed
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraError, CameraFrame


class Camera:
    """Counts its pictures; a picture's stamp is the robot's time."""

    def __init__(self, robot):
        self.robot, self.taken = robot, 0

    def capture(self, ctx):
        self.taken += 1
        return CameraFrame(self.robot.now, np.zeros((2, 2, 3), np.uint8), np.zeros((2, 2)),
                           np.eye(3), Pose((0.0, 0.0, 0.0)))


@pytest.fixture
def robot():
    robot = SimpleNamespace(now=1.0)
    robot.state = lambda: SimpleNamespace(stamp=robot.now)
    return robot


def glances(robot, camera):
    return Glances(SimpleNamespace(camera=lambda: camera, robot=robot), lambda: camera)


def test_the_frame_that_perception_has_just_taken_is_used_again(robot):
    camera = Camera(robot)
    looks = glances(robot, camera)
    frame = looks.watched().capture(Context())
    assert looks.frame() is looks.frame() is frame and camera.taken == 1


def test_after_a_motion_a_new_picture_is_taken(robot):
    camera = Camera(robot)
    looks = glances(robot, camera)
    looks.watched().capture(Context())
    robot.now = 3.0
    assert looks.frame().stamp == 3.0 and camera.taken == 2


def test_whatever_a_foreign_camera_raises_is_a_camera_error(robot):
    camera = SimpleNamespace(capture=lambda ctx: 1 / 0)
    with pytest.raises(CameraError, match='ZeroDivisionError'):
        glances(robot, camera).frame()


def test_a_cell_without_a_camera_has_no_picture(robot):
    assert Glances(SimpleNamespace(camera=None, robot=robot), lambda: None).frame() is None


@pytest.mark.parametrize('change', [
    {'rgb': np.zeros((2, 2, 4), np.uint8)}, {'rgb': np.zeros((2, 2), np.uint8)},
    {'rgb': np.zeros((2, 2, 3))}, {'depth': np.zeros((1, 1))}, {'depth': None}, {'stamp': np.nan},
    None], ids=['four colours', 'grey', 'floats', 'small depth', 'no depth', 'stamp', 'nothing'])
def test_a_picture_that_would_be_read_wrongly_names_the_camera(robot, change):
    good = Camera(robot).capture(Context())
    given = None if change is None else replace(good, **change)
    camera = SimpleNamespace(capture=lambda ctx: given)
    with pytest.raises(PartFailed, match='^camera: '):
        glances(robot, camera).watched().capture(Context())
