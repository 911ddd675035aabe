# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stands on a flat thing is seen on it: the plate goes on below the cube that hides it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.pose import Pose
from replan_agent.geometry.judging import judge, supports

from .synthetic import box, cylinder, perception, picture
from .test_colour_depth import seen

PLATE = box(0.5, 0.0, (0.14, 0.14, 0.008), colour='blue')


@pytest.mark.parametrize('thing', [
    box(0.5, 0.0, bottom=0.008), box(0.52, -0.03, yaw=0.4, bottom=0.008),
    cylinder(0.5, 0.01, colour='red', bottom=0.008)], ids=['middle', 'turned', 'round'])
def test_a_thing_on_a_thin_plate_is_on_it_and_not_on_the_table(thing):
    scene = seen(PLATE, thing)
    (red,) = (o for o in scene.movable() if o.colour == 'red')
    assert red.bottom_z == pytest.approx(0.008, abs=0.002)
    assert red.size == pytest.approx(thing.size, abs=0.003)
    assert [o.colour for o in supports(red, scene)] == ['blue']
    assert judge(Goal(Predicate.ON, red.name, 'table'), scene) is False


def test_a_thing_beside_a_thin_plate_stands_on_the_table():
    scene = seen(PLATE, box(0.5, 0.1))
    assert judge(Goal(Predicate.ON, 'red_cube', 'table'), scene) is True


def test_each_of_three_slabs_is_seen_on_the_next_one():
    slabs = [box(0.5, 0.0, (long, wide, 0.008), colour=colour, bottom=0.008 * level)
             for level, (colour, long, wide) in enumerate((
                 ('red', 0.14, 0.09), ('green', 0.11, 0.06), ('blue', 0.08, 0.03)))]
    scene = seen(*slabs)
    below = {o.colour: [s.colour or s.name for s in supports(o, scene)] for o in scene.movable()}
    assert below == {'red': ['table'], 'green': ['red'], 'blue': ['green']}


@pytest.mark.parametrize(('plate', 'cube'), [
    (box(0.45, 0.1, (0.1, 0.1, 0.01), colour='blue'), box(0.45, 0.1, bottom=0.01)),
    (box(0.45, 0.1, (0.08, 0.12, 0.012), 0.3, 'blue'), box(0.45, 0.1, (0.05,) * 3, bottom=0.012)),
    (box(0.55, -0.1, (0.12, 0.12, 0.02), 0.6, 'blue'), box(0.55, -0.1, yaw=0.2, bottom=0.02)),
], ids=['plate', 'long plate', 'thick plate'])
def test_a_plate_below_a_cube_is_a_box_as_wide_as_it_is(plate, cube):
    found = seen(plate, cube).get('blue_box')
    assert found is not None and found.position == pytest.approx(plate.position, abs=0.003)
    assert sorted(found.size) == pytest.approx(sorted(plate.size), abs=0.004)


@pytest.mark.parametrize(('side', 'wider', 'thick'), [
    (0.04, 0.01, 0.008), (0.04, 0.005, 0.02), (0.05, 0.005, 0.012)])
def test_a_cube_whose_top_a_wider_plate_hides_reaches_up_to_the_plate(side, wider, thick):
    plate = box(0.5, 0.0, (side + wider, side + wider, thick), colour='blue', bottom=side)
    found = seen(box(0.5, 0.0, (side,) * 3), plate).get('red_cube')
    assert found is not None and found.top_z == pytest.approx(side, abs=0.003)


def test_a_lying_can_that_is_put_on_a_box_and_looks_like_a_bar_there_is_the_same():
    can = replace(cylinder(0.45, 0.1, 0.04, 0.1),
                  pose=Pose.from_rpy(0.45, 0.1, 0.02, pitch=math.pi / 2, yaw=0.4))
    below = box(0.55, -0.1, (0.05, 0.05, 0.1), colour='purple')
    bar = box(0.55, -0.1, (0.1, 0.036, 0.038), 0.4, 'green', bottom=0.1)
    eyes = perception(picture(can, below), picture(below, bar))
    assert eyes.observe(Context()).get('green_cylinder') is not None
    found = eyes.observe(Context()).get('green_cylinder')
    assert found is not None and found.position == pytest.approx(bar.position, abs=0.006)
