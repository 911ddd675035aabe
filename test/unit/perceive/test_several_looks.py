# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several looks at one table: what each shows of the same thing is put together."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraError
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.perceive.camera import one_look
from replan_agent.perceive.camera.fitting import Fitted
from replan_agent.perceive.camera.irregular import irregular_thing
from replan_agent.perceive.camera.view import View
from replan_agent.perceive.looks import eyes
from replan_agent.perceive.looks.colour_depth import ColourDepthPerception
from replan_agent.perceive.looks.fusing import NOT_IN_PICTURE, fused
from replan_agent.perceive.looks.in_hand import inside

from .synthetic import Frames, StillRobot, box, camera_pose, cylinder, picture

LEFT = camera_pose((0.45, 0.5, 0.5), (0.5, 0.0, 0.0))
BACK = camera_pose((0.1, 0.0, 0.5), (0.5, 0.0, 0.0))
RIGHT = camera_pose((0.45, -0.5, 0.5), (0.5, 0.0, 0.0))


def looks(things, *poses, robot=None, fixed=True):
    """Perception whose hand sees these things from one pose after the other."""
    camera = Frames(picture(*things)) if fixed else None
    hand = Frames(*(picture(*things, pose=pose) for pose in poses))
    return ColourDepthPerception(camera, robot or StillRobot(), PANDA, hand)


def observed(perception, times):
    for _ in range(times):
        scene = perception.observe(Context())
    return scene


def things_in(scene):
    return {o.name: o for o in scene.objects if o.shape is not Shape.TABLE}


def test_shapes_that_all_looks_agree_on_stay_shapes():
    true = box(0.5, 0.1, yaw=0.4), cylinder(0.45, -0.15)
    found = things_in(observed(looks(true, LEFT, BACK, RIGHT), 3))
    assert set(found) == {'red_cube', 'green_cylinder'}
    assert found['red_cube'].size == pytest.approx((0.04,) * 3, abs=0.002)
    assert math.dist(found['red_cube'].position, true[0].position) < 0.002


def test_the_back_of_an_irregular_thing_is_known_after_looking_from_there():
    """A tall plate hides a low one behind it from the fixed camera."""
    plates = (box(0.5, 0.0, (0.03, 0.12, 0.07)), box(0.46, -0.02, (0.05, 0.04, 0.03)))
    hidden = np.array([[0.44, -0.03, 0.015], [0.44, -0.01, 0.015]])
    one, = things_in(looks(plates, LEFT, robot=StillRobot(width=0.04)).observe(Context())).values()
    assert not inside(one, hidden, 0.0).any(), 'a half-closed gripper may hold something'
    several, = things_in(observed(looks(plates, LEFT, BACK, RIGHT), 3)).values()
    assert several.shape is Shape.IRREGULAR and inside(several, hidden, 0.0).all()


def test_a_thing_that_only_the_hand_sees_is_in_the_scene():
    wall = box(0.7, 0.15, (0.02, 0.4, 0.3), colour='grey', shape=Shape.WALL)
    scene = looks((wall, box(0.55, 0.05)), BACK).observe(Context())
    assert 'red_cube' in things_in(scene)


def test_a_thing_that_was_taken_away_is_not_kept_from_an_earlier_look():
    cube, other = box(0.5, 0.1), cylinder(0.45, -0.15)
    camera = Frames(picture(cube, other), picture(other))
    hand = Frames(picture(cube, other, pose=LEFT), picture(other, pose=RIGHT))
    seen = ColourDepthPerception(camera, StillRobot(), PANDA, hand)
    assert set(things_in(seen.observe(Context()))) == {'red_cube', 'green_cylinder'}
    assert set(things_in(seen.observe(Context()))) == {'green_cylinder'}


def test_a_thing_that_was_moved_is_only_where_it_is_now():
    before, after = box(0.5, 0.1), box(0.515, 0.1)
    camera = Frames(picture(before), picture(after))
    hand = Frames(picture(before, pose=LEFT), picture(after, pose=RIGHT))
    seen = ColourDepthPerception(camera, StillRobot(), PANDA, hand)
    cube = things_in(observed(seen, 2))['red_cube']
    assert cube.size == pytest.approx((0.04,) * 3, abs=0.002)
    assert math.dist(cube.position, after.position) < 0.002


def test_the_camera_in_the_hand_is_enough():
    scene = observed(looks((box(0.5, 0.1),), LEFT, RIGHT, fixed=False), 2)
    assert set(things_in(scene)) == {'red_cube'} and not scene.warnings
    assert scene.table is not None and scene.table.size[1] > 0.8  # as wide as both looks


def test_without_the_fixed_picture_the_hand_still_sees_and_it_is_said():
    hand = Frames(picture(box(0.5, 0.1), pose=LEFT))
    broken = Frames(CameraError('the cable is out'))
    seen = ColourDepthPerception(broken, StillRobot(), PANDA, hand)
    scene = seen.observe(Context())
    assert 'red_cube' in things_in(scene) and 'the cable is out' in scene.warnings[0]
    hand.frames = [CameraError('so is this one')]
    with pytest.raises(PerceptionError, match='the cable is out.*so is this one'):
        seen.observe(Context())


def test_looks_that_are_a_few_millimetres_apart_are_one_thing():
    """A calibration is never exact."""
    cube = box(0.5, 0.1)
    shifted = picture(cube, pose=LEFT)
    shifted = replace(shifted, T_base_camera=LEFT.moved(dx=0.002, dy=-0.002))
    seen = ColourDepthPerception(Frames(picture(cube)), StillRobot(), PANDA,
                                 Frames(shifted))
    assert set(things_in(seen.observe(Context()))) == {'red_cube'}


def test_a_machine_that_is_slow_to_work_on_a_picture_has_not_lost_its_camera(monkeypatch):
    """The time for a look is over as soon as the first picture is worked on."""
    clock = [0.0]

    def slow_look(*args):
        clock[0] += 60.0
        return one_look.look(*args)

    monkeypatch.setattr(eyes, 'look', slow_look)
    scene = looks([cylinder(0.5, 0.0)], LEFT).observe(Context(deadline=15.0, now=lambda: clock[0]))
    assert clock[0] == 120.0 and len(things_in(scene)) == 1 and not scene.warnings


def hollow_looks(handle_m):
    """One look that shows a mug as a bowl, and one that also shows its handle."""
    turns, heights = np.meshgrid(np.linspace(0, 2 * math.pi, 120), np.linspace(0.002, 0.08, 40))
    body = np.column_stack([0.5 + 0.04 * np.cos(turns.ravel()), 0.04 * np.sin(turns.ravel()),
                            heights.ravel()])
    reach, height = np.meshgrid(np.linspace(0.0, handle_m, 25), np.linspace(0.02, 0.06, 40))
    handle = np.column_stack([0.54 + reach.ravel(), 0.004 * np.cos(1e3 * height.ravel()),
                              height.ravel()])
    every = np.concatenate([body, handle])
    bowl = SceneObject('', Shape.BOWL, (0.08,) * 3, Pose((0.5, 0.0, 0.04)), colour='white',
                       confidence=0.99)
    thing = replace(irregular_thing(every, every[:, 2], 0.0), colour='white', confidence=0.9)
    of = one_look.look(View(picture()), PANDA, np.array(HOME), 0.08, 0.0)
    return [one_look.OneLook(of.picture, (Fitted(each, 0.0, 0.08, True, NOT_IN_PICTURE, points),))
            for each, points in ((bowl, body), (thing, every))]


@pytest.mark.parametrize(('handle_m', 'shape'), [(0.03, Shape.IRREGULAR), (0.002, Shape.BOWL)])
def test_a_mug_whose_handle_another_look_shows_is_no_bowl(handle_m, shape):
    assert [fit.thing.shape for fit in fused(hollow_looks(handle_m), 0.0)] == [shape]


def test_the_arms_of_a_thing_stay_apart_however_many_points_show_it():
    """Where a dense cloud ends, it covers only a part of each cell."""
    x, y, z = (axis.ravel() for axis in np.meshgrid(
        np.arange(0, 0.0751, 0.001), np.arange(0, 0.0751, 0.001), (0.0, 0.015, 0.03)))
    arms = np.column_stack([x, y, z])[(x < 0.034) | (y < 0.034)]
    thing = irregular_thing(arms, arms[:, 2], 0.0)
    assert len(thing.pieces) >= 2 and not inside(thing, np.array([[0.05, 0.05, 0.02]]), 0.0).any()


def test_what_the_main_look_shows_now_is_not_as_old_as_the_better_look_at_it():
    links = PANDA, np.array(HOME)
    cube, cover = box(0.45, 0.0), box(0.52, 0.04, (0.03, 0.03, 0.06), colour='blue')
    now = one_look.look(View(picture(cube, cover)), *links, 0.08, 5.0)
    earlier = one_look.look(View(picture(cube, cover, pose=BACK)), *links, 0.08, 1.0)
    (red,) = (fit for fit in fused([now, earlier], 5.0) if fit.thing.colour == 'red')
    assert red.looks == 2 and red.thing.seen_at == 5.0


def test_a_large_thing_keeps_its_far_parts_in_several_looks():
    tray = (box(0.5, 0.0, (0.3, 0.4, 0.06), colour='black'),
            box(0.5, 0.23, (0.02, 0.06, 0.06), colour='black'))
    (found,) = things_in(looks(tray, BACK).observe(Context())).values()
    assert found.size == pytest.approx((0.46, 0.3, 0.06), abs=0.005)
