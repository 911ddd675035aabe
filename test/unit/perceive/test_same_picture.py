# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A picture of the same moment is worked on once. Whatever is new in it is seen."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import PartFailed, PerceptionError
from replan_agent.perceive.looks import eyes
from replan_agent.perceive.looks.colour_depth import ColourDepthPerception
from replan_agent.perceive.looks.eyes import CameraOnHand

from .synthetic import StillRobot, box, camera_pose, picture

CUBE = picture(box(0.5, 0.1))


class Copies:
    """A camera that gives a new copy of its `frame` each time."""

    def __init__(self, frame=CUBE):
        self.frame = frame

    def capture(self, ctx):
        return copy.deepcopy(self.frame)


@pytest.fixture
def worked_on(monkeypatch):
    """The pictures that were worked on."""
    pictures, look = [], eyes.look

    def noted(view, *arguments):
        pictures.append(view)
        return look(view, *arguments)

    monkeypatch.setattr(eyes, 'look', noted)
    return pictures


def looked_twice(camera=None, robot=None, change=lambda: None):
    """The scenes of two looks, with this change between them."""
    perception = ColourDepthPerception(camera or Copies(), robot or StillRobot(),
                                       PANDA)
    before = perception.observe(Context())
    change()
    return before, perception.observe(Context())


def test_the_same_picture_of_the_same_moment_is_worked_on_once(worked_on):
    before, after = looked_twice()
    assert len(worked_on) == 1
    assert after.objects == before.objects


def test_what_moved_although_no_time_passed_is_seen_at_its_new_place(worked_on):
    camera = Copies()
    _, after = looked_twice(camera, change=lambda: setattr(camera, 'frame',
                                                           picture(box(0.5, -0.1))))
    assert len(worked_on) == 2
    assert after.get('red_cube').position[1] == pytest.approx(-0.1, abs=0.002)


@pytest.mark.parametrize('change', [
    {'stamp': CUBE.stamp + 0.002}, {'intrinsics': CUBE.intrinsics * (1.001, 1.0, 1.0)},
    {'depth': np.where(np.arange(CUBE.depth.size).reshape(CUBE.depth.shape) == 0, 0, CUBE.depth)},
    {'T_base_camera': replace(CUBE.T_base_camera, position=(0.0, 0.0, 1.0))},
], ids=lambda change: next(iter(change)))
def test_a_picture_that_differs_in_anything_is_worked_on(worked_on, change):
    camera = Copies()
    looked_twice(camera, change=lambda: setattr(camera, 'frame', replace(CUBE, **change)))
    assert len(worked_on) == 2


@pytest.mark.parametrize(('name', 'value'), [
    ('stamp', 0.002), ('width', 0.079), ('joints', np.add(HOME, 1e-9)),
])
def test_a_picture_is_worked_on_after_any_motion_of_the_arm(worked_on, name, value):
    robot = StillRobot()
    looked_twice(robot=robot, change=lambda: setattr(robot, name, value))
    assert len(worked_on) == 2


@pytest.mark.parametrize('count', [1, 2, 3])
def test_a_camera_that_writes_over_its_earlier_pictures_is_not_taken_for_one_that_stands_still(
        worked_on, count):
    class Pool(Copies):
        """A camera with so many buffers, each used in its turn, while its clock stands still."""

        buffers = [copy.deepcopy(CUBE) for _ in range(count)]

        def capture(self, ctx):
            self.buffers.append(buffer := self.buffers.pop(0))
            buffer.rgb[:], buffer.depth[:] = self.frame.rgb, self.frame.depth
            return buffer

    camera = Pool()

    def moved():
        camera.frame = picture(box(0.5, -0.1))
        for _ in range(count):  # somebody else looks, too
            camera.capture(Context())

    _, after = looked_twice(camera, change=moved)
    assert len(worked_on) == 2
    assert after.get('red_cube').position[1] == pytest.approx(-0.1, abs=0.002)


def test_a_pose_made_of_arrays_is_compared_too(worked_on):
    pose = replace(CUBE.T_base_camera, position=np.array(CUBE.T_base_camera.position))
    looked_twice(Copies(replace(CUBE, T_base_camera=pose)))
    assert len(worked_on) == 1


def two_cameras():
    hand = Copies(picture(box(0.5, 0.1), pose=camera_pose((0.45, 0.5, 0.5), (0.5, 0.0, 0.0))))
    return hand, ColourDepthPerception(Copies(), StillRobot(), PANDA, hand)


def test_of_two_cameras_only_the_one_with_a_new_picture_is_worked_on(worked_on):
    hand, perception = two_cameras()
    perception.observe(Context())
    hand.frame = replace(hand.frame, stamp=1.0)
    perception.observe(Context())
    assert len(worked_on) == 3


def test_looks_at_one_moment_do_not_pile_up_what_was_asked_about_a_picture():
    _, perception = two_cameras()
    noted = []
    for _ in range(4):
        perception.observe(Context())
        noted.append(sum(len(each.picture._found) for each in perception._looks))
    assert max(noted[1:]) <= noted[0] and noted[1] == noted[3]


def test_a_camera_that_gives_the_same_picture_while_time_goes_on_is_frozen():
    robot = StillRobot()
    with pytest.raises(PerceptionError, match='no new picture: the last one, .* came 1.5 s ago'):
        looked_twice(robot=robot, change=lambda: setattr(robot, 'stamp', robot.stamp + 1.5))


def test_a_frozen_camera_is_noticed_however_often_it_is_looked_at():
    robot = StillRobot()
    perception = ColourDepthPerception(Copies(), robot, PANDA)
    with pytest.raises(PerceptionError, match='no new picture'):
        for _ in range(4):
            perception.observe(Context())
            robot.stamp += 0.4


def test_a_camera_that_was_frozen_is_used_again_when_it_gives_a_new_picture():
    robot, camera = StillRobot(), Copies()
    perception = ColourDepthPerception(camera, robot, PANDA)
    perception.observe(Context())
    robot.stamp += 1.5
    with pytest.raises(PerceptionError):
        perception.observe(Context())
    camera.frame = replace(picture(box(0.5, -0.1)), stamp=robot.stamp)
    cube = perception.observe(Context()).get('red_cube')
    assert cube.position[1] == pytest.approx(-0.1, abs=0.002)


def test_a_frozen_camera_on_the_hand_is_noticed_while_the_arm_moves():
    robot, arm = StillRobot(), PANDA
    hand = CameraOnHand(Copies(), robot, arm)
    seen = eyes.Eyes(None, hand, robot, arm)
    for moved in range(4):
        robot.stamp, robot.joints = 0.4 * moved, np.add(HOME, 0.01 * moved)
        failed = []
        seen._shots(Context(), failed)
    assert 'no new picture' in failed[0] and 'came 1.2 s ago' in failed[0]


def test_a_frozen_camera_is_noticed_although_its_depth_has_gaps_that_are_no_number():
    robot, depth = StillRobot(), CUBE.depth.copy()
    depth[0] = np.nan
    with pytest.raises(PerceptionError, match='no new picture'):
        looked_twice(Copies(replace(CUBE, depth=depth)), robot,
                     lambda: setattr(robot, 'stamp', 1.5))


def test_a_frozen_camera_is_noticed_after_the_clock_went_back():
    robot = StillRobot(stamp=100.0)
    perception = ColourDepthPerception(Copies(), robot, PANDA)
    perception.observe(Context())
    robot.stamp = 0.0
    perception.observe(Context())
    robot.stamp = 1.5
    with pytest.raises(PerceptionError, match='no new picture'):
        perception.observe(Context())


def test_a_broken_picture_of_a_camera_on_the_hand_is_refused():
    robot = StillRobot()
    hand = CameraOnHand(Copies(replace(CUBE, depth=CUBE.depth[1:])), robot, PANDA)
    with pytest.raises(PartFailed, match='the depth of a picture'):
        hand.capture(Context())
