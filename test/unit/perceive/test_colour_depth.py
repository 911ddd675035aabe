# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""From pixels to things, on pictures drawn exactly: what is measured, and how well."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.context import Context
from replan_agent.domain.piece import box_piece
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraError, CameraFrame
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.perceive.camera.one_look import look as look_at
from replan_agent.perceive.camera.view import View
from replan_agent.perceive.camera.visibility import seen_through_share
from replan_agent.perceive.looks.colour_depth import ColourDepthPerception
from replan_agent.perceive.looks.tracks import Tracks

from .synthetic import (
    Frames,
    K,
    StillRobot,
    ball,
    box,
    camera_pose,
    cylinder,
    perception,
    picture,
    yaw_error,
)

NEAR_M = 0.002


def seen(*things, **how):
    return perception(picture(*things, **how)).observe(Context())


def only(scene):
    things = [o for o in scene.objects if o.shape is not Shape.TABLE]
    assert len(things) == 1, scene.names()
    return things[0]


@pytest.mark.parametrize('thing', [
    box(0.5, 0.1, yaw=0.3), box(0.6, -0.2, (0.024,) * 3, 0.7), box(0.4, 0.2, (0.056,) * 3, -1.2),
    box(0.55, 0.0, (0.024, 0.11, 0.024), 0.9), box(0.5, -0.1, (0.05, 0.07, 0.03), 0.0),
], ids=['cube', 'small cube', 'large cube', 'bar', 'flat box'])
def test_a_box_has_its_place_size_and_yaw(thing):
    found = only(seen(thing))
    assert found.shape is Shape.BOX and found.confidence > 0.9
    assert found.position == pytest.approx(thing.position, abs=NEAR_M)
    assert sorted(found.size) == pytest.approx(sorted(thing.size), abs=2 * NEAR_M)
    assert yaw_error(found, thing) < 3


@pytest.mark.parametrize(('thing', 'name'), [
    (cylinder(0.5, -0.1), 'green_cylinder'), (ball(0.55, 0.1), 'blue_ball'),
])
def test_a_round_thing_has_its_place_and_size(thing, name):
    found = only(seen(thing))
    assert found.name == name and found.shape is thing.shape
    assert found.position == pytest.approx(thing.position, abs=NEAR_M)
    assert found.size == pytest.approx(thing.size, abs=2 * NEAR_M)


def test_the_table_is_found_at_any_height():
    scene = seen(box(0.5, 0.1, bottom=-0.137), table_z=-0.137)
    assert scene.table.top_z == pytest.approx(-0.137, abs=0.001)
    assert scene.get('red_cube').bottom_z == pytest.approx(-0.137, abs=NEAR_M)


def test_what_stands_behind_a_wall_is_seen_whole_if_the_table_is_known():
    """The wall hides the table behind it, and has no depth itself."""
    table = box(0.45, 0.0, (0.5, 0.5, 0.03), colour='wood', bottom=-0.03)
    can = cylinder(0.65, 0.0, 0.05, 0.08)
    hidden = picture(table, can, box(0.69, 0.0, (0.02, 0.5, 0.03), colour='grey'), table_z=-0.75,
                     pose=camera_pose((1.4, 0.0, 0.8)))
    wall = picture(table, can, table_z=-0.75, pose=camera_pose((1.4, 0.0, 0.8))).depth
    frame = replace(hidden, depth=np.where(hidden.depth < wall - 1e-4, 0, hidden.depth))
    parts = Frames(frame), StillRobot(), PANDA
    known = ColourDepthPerception(*parts, table=((0.2, -0.25), (0.7, 0.25))).observe(Context())
    found = known.get('green_cylinder')
    assert found.size[0] == pytest.approx(can.size[0], abs=2 * NEAR_M)
    assert found.position[:2] == pytest.approx(can.position[:2], abs=2 * NEAR_M)
    cut = ColourDepthPerception(*parts).observe(Context()).get('green_cylinder')
    assert cut is None or cut.size[0] < can.size[0] - 0.005


def test_the_floor_around_a_small_table_is_not_the_table():
    table = box(0.45, 0.0, (0.7, 0.7, 0.03), colour='wood', bottom=-0.03)
    scene = seen(table, box(0.5, 0.1), table_z=-0.75)
    assert scene.table.top_z == pytest.approx(0.0, abs=0.001)
    assert scene.names() == ('table', 'red_cube')


def test_a_bare_table_is_a_scene_without_things():
    assert seen().names() == ('table',)


def test_two_cubes_that_touch_and_differ_in_colour_are_two():
    left, right = box(0.5, 0.02), box(0.5, -0.02, colour='blue')
    scene = seen(left, right)
    for name, thing in (('red_cube', left), ('blue_cube', right)):
        assert scene.get(name).position == pytest.approx(thing.position, abs=2 * NEAR_M)


def test_two_cubes_of_one_colour_that_touch_at_an_angle_are_two():
    first, second = box(0.5, 0.03), box(0.5, -0.0185, yaw=math.pi / 4)
    scene = seen(first, second)
    assert scene.names() == ('table', 'red_cube_1', 'red_cube_2')
    assert scene.get('red_cube_1').position == pytest.approx(first.position, abs=0.005)
    assert scene.get('red_cube_2').position == pytest.approx(second.position, abs=0.005)


def test_a_cube_half_hidden_is_still_found_and_less_trusted():
    hidden, in_front = box(0.45, 0.0), box(0.52, 0.04, (0.03, 0.03, 0.06), colour='blue')
    found = seen(hidden, in_front).get('red_cube')
    assert found.position == pytest.approx(hidden.position, abs=0.006)
    assert found.confidence < 0.9


def test_a_known_cube_whose_top_is_hidden_stays_where_it_was():
    """Only a strip of its side is seen. It has not sunk into the table."""
    cube = box(0.45, 0.0, yaw=0.3)
    cover = box(0.585, 0.08, (0.06, 0.06, 0.03), colour='blue', bottom=0.15)
    look = perception(picture(cube), picture(cube, cover))
    look.observe(Context())
    found = look.observe(Context()).get('red_cube')
    assert found.position == pytest.approx(cube.position, abs=0.003)


def test_strips_of_known_things_never_multiply():
    """Stale knowledge at the same place, and a fit that shows one of the things, add nothing."""
    tower = [box(0.45, 0.0, bottom=0.04 * n, colour='red') for n in range(2)]
    tracks = Tracks()
    for n, cube in enumerate((*tower, *tower)):
        tracks.note(replace(cube, name=f'red_cube_{n}'))
    links = PANDA, np.array(HOME)
    (fit,) = look_at(View(picture(*tower)), *links, 0.08, 1.0).fits
    strips = replace(fit, thing=replace(fit.thing, shape=Shape.IRREGULAR,
                                        pieces=(box_piece(fit.thing.size),)))
    for _ in range(4):
        tracks.identify(tracks.told_apart([strips, strips]))
    assert len(tracks.known) == 4


def test_strips_of_two_known_cubes_that_look_like_one_thing_are_still_those_cubes():
    tower = [box(0.45, 0.0, bottom=0.04 * n, colour='red') for n in range(2)]
    known = [replace(cube, name=f'red_cube_{n}') for n, cube in enumerate(tower)]
    tracks = Tracks()
    for cube in known:
        tracks.note(cube)
    links = PANDA, np.array(HOME)
    (fit,) = look_at(View(picture(*tower)), *links, 0.08, 1.0).fits
    strips = replace(fit, thing=replace(fit.thing, shape=Shape.IRREGULAR,
                                        pieces=(box_piece(fit.thing.size),)))
    found = tracks.identify(tracks.told_apart([strips]))
    assert [(o.name, o.pose, o.seen_at) for o in found] == [(o.name, o.pose, 1.0) for o in known]


@pytest.mark.parametrize('changes', [{'colour': 'blue'}, {'seen_at': -100.0}],
                         ids=['another colour', 'seen long ago'])
def test_strips_are_not_those_of_known_things_of_another_colour_or_of_long_ago(changes):
    tower = [box(0.45, 0.0, bottom=0.04 * n, colour='red') for n in range(2)]
    tracks = Tracks()
    for n, cube in enumerate(tower):
        tracks.note(replace(cube, name=f'cube_{n}', **changes))
    links = PANDA, np.array(HOME)
    (fit,) = look_at(View(picture(*tower)), *links, 0.08, 1.0).fits
    strips = replace(fit, thing=replace(fit.thing, shape=Shape.IRREGULAR,
                                        pieces=(box_piece(fit.thing.size),)))
    assert tracks.told_apart([strips]) == [strips]


def test_a_low_thing_that_is_clearly_seen_is_not_the_tall_one_that_stood_there():
    """Someone took the tall can and put a low box of its colour there."""
    looks = perception(picture(cylinder(0.5, 0.0, 0.08, 0.09, colour='red')),
                       picture(box(0.5, 0.0, (0.05, 0.04, 0.03))))
    assert looks.observe(Context()).get('red_cylinder').size[2] == pytest.approx(0.09, abs=0.005)
    (now,) = [o for o in looks.observe(Context()).objects if o.movable]
    assert now.top_z == pytest.approx(0.03, abs=0.003)


@pytest.mark.parametrize(('part', 'name'), [
    (box(0.55, 0.0, (0.04, 0.1, 0.05)), 'bowl'),  # the hand hides the rest of it,
    (box(0.7, 0.0, (0.1, 0.1, 0.05), bottom=0.1), 'bowl'),  # or carries it
    (box(0.7, 0.0, (0.1, 0.1, 0.05)), 'red_thing'),
    (box(0.52, 0.0, (0.06, 0.1, 0.05), colour='blue'), 'blue_thing')])
def test_a_bowl_that_is_gone_is_not_another_thing_of_any_shape(part, name):
    tracks = Tracks()
    tracks.note(SceneObject('bowl', Shape.BOWL, (0.14, 0.14, 0.05), Pose((0.5, 0.0, 0.025)),
                            'red'))
    links = PANDA, np.array(HOME)
    (fit,) = look_at(View(picture(part)), *links, 0.08, 1.0).fits
    poor = replace(fit.thing, shape=Shape.IRREGULAR, confidence=0.5,
                   pieces=(box_piece(fit.thing.size),))
    (found,) = tracks.identify([replace(fit, thing=poor)])
    assert found.name == name


@pytest.mark.parametrize('stamp', [30.0, 3600.0])
def test_a_thing_seen_an_hour_later_is_not_as_large_as_the_one_that_stood_there(stamp):
    tracks = Tracks()
    tracks.note(replace(box(0.5, 0.0, (0.1, 0.1, 0.04)), name='red_box'))
    links = PANDA, np.array(HOME)
    (fit,) = look_at(View(picture(box(0.5, 0.0, (0.05, 0.05, 0.04)))), *links, 0.08, stamp).fits
    (found,) = tracks.identify([replace(fit, thing=replace(fit.thing, confidence=0.6))])
    assert max(found.size) == pytest.approx(0.1 if stamp < 60 else 0.05, abs=0.003)


def test_a_thing_that_shows_more_than_the_known_one_has_is_as_large_as_it_is_seen():
    """Someone put a long box where a cube stood, and a part of it is hidden."""
    tracks = Tracks()
    tracks.note(replace(box(0.5, 0.0), name='red_cube'))
    links = PANDA, np.array(HOME)
    (fit,) = look_at(View(picture(box(0.5, 0.0, (0.04, 0.16, 0.04)))), *links, 0.08, 1.0).fits
    (found,) = tracks.identify([replace(fit, thing=replace(fit.thing, confidence=0.6))])
    assert max(found.size) == pytest.approx(0.16, abs=0.005)


def test_a_cube_in_a_bin_stands_on_the_floor_of_the_bin():
    floor = box(0.5, 0.0, (0.28, 0.22, 0.006), colour='grey')
    walls = [box(0.5 + x, y, size, colour='grey') for x, y, size in (
        (-0.137, 0.0, (0.006, 0.22, 0.065)), (0.137, 0.0, (0.006, 0.22, 0.065)),
        (0.0, -0.107, (0.28, 0.006, 0.065)), (0.0, 0.107, (0.28, 0.006, 0.065)))]
    cube = box(0.47, -0.02, (0.036,) * 3, yaw=0.4, bottom=0.006)
    found = seen(floor, *walls, cube).get('red_cube')
    assert found.position == pytest.approx(cube.position, abs=0.002)
    assert found.size == pytest.approx(cube.size, abs=0.002)


def test_a_cube_on_another_stands_on_it():
    scene = seen(box(0.5, 0.0, (0.05,) * 3, colour='blue'), box(0.5, 0.0, bottom=0.05))
    assert scene.get('red_cube').bottom_z == pytest.approx(0.05, abs=0.003)
    assert scene.get('red_cube').position[:2] == pytest.approx((0.5, 0.0), abs=0.003)


def test_depth_noise_of_three_millimetres_leaves_a_cube_within_three():
    thing = box(0.5, 0.1, yaw=0.5)
    found = only(seen(thing, depth_noise=0.003))
    assert found.name == 'red_cube'
    assert found.position == pytest.approx(thing.position, abs=0.003)


def test_the_arm_is_not_taken_for_a_thing():
    """A finger-sized grey bar exactly where the encoders say that a finger is."""
    robot = StillRobot()
    finger = box(0.307, 0.047, (0.02, 0.014, 0.05), colour='grey', bottom=0.487 - 0.005)
    frame = picture(finger, pose=camera_pose(look_at=(0.3, 0.0, 0.3)))
    assert perception(frame, robot=robot).observe(Context()).names() == ('table',)
    away = StillRobot(joints=(1.5, *robot.joints[1:]))
    assert len(perception(frame, robot=away).observe(Context()).names()) == 2


def test_names_stay_with_their_things_when_they_change_places():
    first, second = picture(box(0.5, 0.1), box(0.5, -0.1)), picture(box(0.5, 0.1), box(0.4, 0.2))
    look = perception(first, second)
    assert look.observe(Context()).get('red_cube_2').position[1] == pytest.approx(-0.1, abs=0.01)
    after = look.observe(Context())
    assert after.get('red_cube_1').position[1] == pytest.approx(0.1, abs=0.01)
    assert after.get('red_cube_2').position[1] == pytest.approx(0.2, abs=0.01)


def test_a_newcomer_gets_a_number_and_takes_nobodys_name():
    look = perception(picture(box(0.5, -0.1)), picture(box(0.5, -0.1), box(0.5, 0.2)))
    look.observe(Context())
    after = look.observe(Context())
    assert after.get('red_cube').position[1] == pytest.approx(-0.1, abs=0.01)
    assert after.get('red_cube_2').position[1] == pytest.approx(0.2, abs=0.01)


def test_a_thing_behind_another_counts_as_hidden_and_one_taken_away_does_not():
    wall = box(0.6, 0.04, (0.03, 0.2, 0.2), colour='grey')
    look = perception(picture(box(0.5, 0.0)), picture(wall), picture())
    cube = look.observe(Context()).get('red_cube')
    look.observe(Context())
    assert look.is_hidden(cube)
    look.observe(Context())
    assert not look.is_hidden(cube)


@pytest.mark.parametrize(('frame', 'words'), [
    (CameraError('unplugged'), 'unplugged'),
    (CameraFrame(0.0, np.zeros((48, 64, 3), np.uint8), np.zeros((48, 64), np.float32), K,
                 camera_pose()), 'no depth'),
    (picture(pose=camera_pose(look_at=(2.4, 0.95, 1.5))), 'no depth'),
], ids=['no picture', 'black', 'only sky'])
def test_without_a_table_in_sight_there_is_no_scene(frame, words):
    with pytest.raises(PerceptionError, match=words):
        perception(frame).observe(Context())


def test_a_thing_of_less_than_a_centimetre_is_seen():
    thing = box(0.5, 0.07, (0.062, 0.010, 0.0085), 0.4)
    assert only(seen(thing)).position == pytest.approx(thing.position, abs=2 * NEAR_M)


def test_a_flat_thing_that_is_gone_is_seen_through():
    flat = box(0.5, 0.07, (0.085, 0.009, 0.008))
    assert seen_through_share(View(picture()), flat) == 1.0
    assert seen_through_share(View(picture(flat)), flat) == 0.0
