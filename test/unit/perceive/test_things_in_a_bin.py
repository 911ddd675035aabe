# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things in a bin whose walls hide parts of them: what they are and where they stand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.context import Context
from replan_agent.domain.scene import Shape
from replan_agent.perceive.camera.one_look import look
from replan_agent.perceive.camera.view import View
from replan_agent.perceive.camera.whole_things import is_part_of_wall
from replan_agent.perceive.looks.tracks import Tracks

from .synthetic import box, cylinder, perception, picture, yaw_error

X, Y, FLOOR_M, WALL_M = 0.48, -0.32, 0.006, 0.065
FLOOR = box(X, Y, (0.28, 0.22, FLOOR_M), colour='grey')
FAR, NEAR = (box(X + side * 0.137, Y, (0.006, 0.22, WALL_M), colour='grey') for side in (-1, 1))
RIGHT, LEFT = (box(X, Y + side * 0.107, (0.28, 0.006, WALL_M), colour='grey') for side in (-1, 1))
BIN = (FLOOR, FAR, NEAR, RIGHT, LEFT)


def seen(*things):
    return perception(picture(*BIN, *things)).observe(Context())


@pytest.mark.parametrize('cube', [
    box(0.575, -0.284, (0.036,) * 3, math.radians(47), 'green', bottom=FLOOR_M),
    box(0.564, -0.383, (0.038,) * 3, math.radians(14), 'cyan', bottom=FLOOR_M),
    box(0.411, -0.256, (0.034,) * 3, math.radians(45), 'orange', bottom=FLOOR_M),
    box(0.436, -0.270, (0.037,) * 3, math.radians(81), 'blue', bottom=FLOOR_M),
], ids=['both near walls', 'near wall', 'left wall, two sides unseen', 'left wall'])
def test_a_cube_whose_near_corner_is_behind_a_wall_is_still_that_cube(cube):
    found = seen(cube).get(f'{cube.colour}_cube')
    assert found is not None
    assert found.position == pytest.approx(cube.position, abs=0.003)
    assert found.size == pytest.approx(cube.size, abs=0.004)
    assert yaw_error(found, cube) < 4


@pytest.mark.parametrize('things', [
    (box(0.406, -0.285, (0.036,) * 3, 0.02, 'blue', bottom=FLOOR_M),
     cylinder(0.404, -0.343, 0.042, 0.062, 'blue', FLOOR_M)),
    (box(0.457, -0.256, (0.039,) * 3, math.radians(56), 'blue', bottom=FLOOR_M),
     cylinder(0.418, -0.312, 0.033, 0.061, 'blue', FLOOR_M)),
    (box(0.460, -0.334, (0.040,) * 3, math.radians(43), 'blue', bottom=FLOOR_M),
     cylinder(0.493, -0.290, 0.038, 0.063, 'blue', FLOOR_M)),
], ids=['side by side', 'cube in front', 'cylinder in front'])
def test_a_cube_and_a_cylinder_of_one_colour_that_meet_in_the_picture_are_two(things):
    scene = seen(*things)
    for name, thing in zip(('blue_cube', 'blue_cylinder'), things):
        assert scene.get(name) is not None, scene.names()
        assert scene.get(name).position == pytest.approx(thing.position, abs=0.004)


def test_a_thing_of_any_shape_stands_on_the_floor_of_its_bin_too():
    angle = (box(0.46, -0.33, (0.09, 0.02, 0.03), bottom=FLOOR_M),
             box(0.425, -0.30, (0.02, 0.05, 0.03), bottom=FLOOR_M))
    found = seen(*angle).get('red_thing')
    assert found is not None and found.shape is Shape.IRREGULAR
    assert found.bottom_z == pytest.approx(FLOOR_M, abs=0.001)


@pytest.mark.parametrize('noise_m', [0.0, 0.001])
@pytest.mark.parametrize('colour', ['grey', 'black', 'white'])
@pytest.mark.parametrize('thing', [
    box(0.46, -0.33, (0.04,) * 3, 0.4, bottom=FLOOR_M),
    box(0.42, -0.30, (0.05, 0.07, 0.012), 0.2, bottom=FLOOR_M),
    cylinder(0.45, -0.28, 0.045, 0.05, bottom=FLOOR_M),
], ids=['cube', 'plate', 'can'])
def test_what_is_as_colourless_as_its_bin_is_seen_in_it(thing, colour, noise_m):
    thing = replace(thing, colour=colour)
    scene = perception(picture(*BIN, thing, depth_noise=noise_m)).observe(Context())
    found = [o for o in scene.objects if o.shape not in (Shape.TABLE, Shape.BIN)]
    assert [o.colour for o in found] == [colour] and scene.get('bin') is not None
    assert found[0].position == pytest.approx(thing.position, abs=0.006)


def bin_of(x, y, width, length, height, colour='grey'):
    return (box(x, y, (width, length, FLOOR_M), colour=colour), *(
        box(x + side * (width - 0.006) / 2, y, (0.006, length, height), colour=colour)
        for side in (-1, 1)), *(
        box(x, y + side * (length - 0.006) / 2, (width, 0.006, height), colour=colour)
        for side in (-1, 1)))


@pytest.mark.parametrize('size', [(0.16, 0.16, 0.12), (0.1, 0.16, 0.14), (0.12, 0.12, 0.16),
                                  (0.18, 0.11, 0.1)])
@pytest.mark.parametrize('noise_m', [0.0, 0.001])
def test_a_bin_whose_walls_hide_its_floor_is_a_bin_and_may_hide_things(size, noise_m):
    found = perception(picture(*bin_of(0.5, -0.2, *size, 'blue'), depth_noise=noise_m)).observe(
        Context()).get('bin')
    assert found is not None and sorted(found.size) == pytest.approx(sorted(size), abs=0.006)
    assert found.inside_hidden


def test_a_bin_that_shows_its_floor_hides_little():
    assert not seen().get('bin').inside_hidden


@pytest.mark.parametrize('thing', [
    box(0.5, -0.2, (0.12, 0.14, 0.1)), cylinder(0.5, -0.2, 0.11, 0.1),
    replace(box(0.5, -0.2, (0.11, 0.11, 0.11)), shape=Shape.SPHERE)], ids=['box', 'can', 'ball'])
def test_what_is_as_large_and_solid_is_no_container(thing):
    scene = perception(picture(thing)).observe(Context())
    assert [o.shape for o in scene.objects] == [Shape.TABLE, thing.shape]


@pytest.mark.parametrize('noise_m', [0.0, 0.001, 0.002])
def test_nothing_is_seen_in_an_empty_bin(noise_m):
    scene = perception(picture(*BIN, depth_noise=noise_m)).observe(Context())
    assert scene.names() == ('table', 'bin')


def test_a_black_thing_that_stands_out_of_its_bin_leaves_the_bin_a_bin():
    scene = seen(box(0.46, -0.33, (0.03, 0.04, 0.12), 0.4, 'black', bottom=FLOOR_M))
    assert scene.get('bin') is not None and scene.get('black_bar') is not None, scene.names()


def test_a_corner_of_a_known_bin_that_the_arm_cuts_off_is_no_new_thing():
    links = PANDA, np.array(HOME)
    tracks, corner = Tracks(), (box(0.36, -0.2125, (0.04, 0.006, WALL_M), colour='grey'),
                                box(0.343, -0.23, (0.006, 0.04, WALL_M), colour='grey'))
    cube = box(0.6, 0.1, colour='grey')
    tracks.identify(look(View(picture(*BIN)), *links, 0.08, 0.0).fits)
    fits = look(View(picture(*corner, cube)), *links, 0.08, 0.0).fits
    assert len(fits) > 1
    left = tracks.without_pieces(fits)
    assert [fit.thing.position[:2] for fit in left] == [pytest.approx((0.6, 0.1), abs=0.003)]


def test_what_is_mostly_hidden_in_a_bin_that_was_pushed_went_along_with_it():
    links, tracks = (PANDA, np.array(HOME)), Tracks()
    angle = (box(0.46, -0.33, (0.09, 0.02, 0.03), bottom=FLOOR_M),
             box(0.425, -0.30, (0.02, 0.05, 0.03), bottom=FLOOR_M))
    before = tracks.identify(look(View(picture(*BIN, *angle)), *links, 0.08, 0.0).fits)
    pushed = [replace(o, pose=o.pose.moved(dx=0.03)) for o in (*BIN, angle[1])]
    now = tracks.identify(look(View(picture(*pushed)), *links, 0.08, 0.1).fits,
                          sees_past=lambda thing: False)
    for was, thing in zip(*(sorted(o, key=lambda o: o.name) for o in (before, now))):
        assert thing.name == was.name and thing.size == pytest.approx(was.size, abs=0.003)
        assert np.subtract(thing.position, was.position) == pytest.approx((0.03, 0, 0), abs=0.003)


def test_a_part_of_the_floor_and_a_wall_of_a_known_bin_is_no_new_thing():
    links = PANDA, np.array(HOME)
    tracks = Tracks()
    tracks.identify(look(View(picture(*BIN)), *links, 0.08, 0.0).fits)
    container = next(thing for thing in tracks.known if thing.is_container)
    part = (box(X, Y + 0.055, (0.05, 0.11, FLOOR_M), colour='grey'),
            box(X, Y + 0.107, (0.05, 0.006, WALL_M), colour='grey'))
    (fit,) = look(View(picture(*part)), *links, 0.08, 0.0).fits
    assert is_part_of_wall(fit, container)
    (cube,) = look(View(picture(box(X, Y, bottom=FLOOR_M, colour='grey'))), *links, 0.08, 0.0).fits
    assert not is_part_of_wall(cube, container)


SMALL = tuple(box(X + dx, Y + dy, size, colour='grey') for dx, dy, size in (
    (0.0, 0.0, (0.11, 0.11, FLOOR_M)), (0.0525, 0.0, (0.005, 0.11, 0.06)),
    (-0.0525, 0.0, (0.005, 0.11, 0.06)), (0.0, 0.0525, (0.11, 0.005, 0.06)),
    (0.0, -0.0525, (0.11, 0.005, 0.06))))


def test_a_bin_that_two_things_fill_to_its_rim_is_a_bin_with_two_things():
    full = [box(X + dx, Y, (0.047, 0.094, 0.054), colour=colour, bottom=FLOOR_M)
            for dx, colour in ((-0.0245, 'blue'), (0.0245, 'green'))]
    scene = perception(picture(*SMALL, *full)).observe(Context())
    assert scene.get('bin').size == pytest.approx((0.11, 0.11, 0.06), abs=0.004)
    inside = [o for o in scene.objects if o.colour in ('blue', 'green')]
    assert [o.bottom_z for o in inside] == pytest.approx([FLOOR_M] * 2, abs=0.003)


@pytest.mark.parametrize('bottom', [0.06, 0.0405])
def test_a_box_with_another_on_its_top_or_with_a_flush_lid_is_no_bin(bottom):
    grey, lid = (box(X, Y, size, colour=colour, bottom=low) for size, colour, low in (
        ((0.11, 0.11, 0.06), 'grey', 0.0), ((0.09, 0.09, 0.02), 'blue', bottom)))
    scene = perception(picture(grey, lid)).observe(Context())
    assert scene.get('grey_box') is not None and scene.get('bin') is None
