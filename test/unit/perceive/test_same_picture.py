"""A picture of the same moment is worked on once. Whatever is new in it is seen."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.domain.context import Context
from replan_agent.domain.franka import HOME
from replan_agent.motion.franka_kinematics import FrankaKinematics
from replan_agent.perceive.looks import eyes
from replan_agent.perceive.looks.colour_depth import ColourDepthPerception

from .synthetic import StillRobot, box, picture

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
                                       FrankaKinematics())
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


def test_a_camera_that_writes_over_its_last_picture_is_not_taken_for_one_that_stands_still(
        worked_on):
    class OneBuffer(Copies):
        def capture(self, ctx):
            return self.frame

    frame = Copies().capture(Context())
    looked_twice(OneBuffer(frame), change=lambda: frame.rgb.fill(90))
    assert len(worked_on) == 2
