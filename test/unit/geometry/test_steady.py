# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stays on what, how a tilted thing settles, and what is near."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hand_scenes import BOWL, ball, cube, plate, scene, thing

from replan_agent.domain.goal import Goal
from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.geometry.falls import settled, settling_shift
from replan_agent.geometry.judging import judge
from replan_agent.geometry.room.free_place import packed_top
from replan_agent.geometry.towers import why_unsteady

CUBE = cube('red_cube', 0.5, 0.0)


def bar(name: str, x: float, y: float, yaw: float = 0.0) -> SceneObject:
    return thing(name, x, y, size=(0.03, 0.30, 0.03), yaw=yaw)


def turned(lower: SceneObject, roll_deg: float) -> SceneObject:
    return replace(lower, pose=Pose.from_rpy(*lower.position, roll=math.radians(roll_deg)))


@pytest.mark.parametrize(('upper', 'lower', 'why'), [
    (BOWL, CUBE, '160 mm long'), (CUBE, ball('lemon', 0.5, 0.0), 'is a ball'),
    (bar('long_bar', 0.4, 0.0), CUBE, '300 mm long'),
    (CUBE, turned(thing('can', 0.5, 0.0, Shape.CYLINDER, (0.04, 0.04, 0.1)), 90), 'on its side'),
    (CUBE, turned(plate('plate', 0.5, 0.0), 9), 'leans by 9 degrees'),
    (None, thing('thin_bar', 0.5, 0.0, size=(0.01, 0.1, 0.02)), 'less than 20 mm wide')])
def test_what_would_not_stay_is_said_with_the_reason(upper, lower, why) -> None:
    assert why in why_unsteady(upper, lower)


def test_a_box_on_its_side_is_as_good_a_support_as_a_standing_one() -> None:
    assert why_unsteady(CUBE, turned(cube('box', 0.5, 0.0, 0.06), 90)) == ''


def test_nothing_stands_on_a_mug_whose_top_is_a_rim() -> None:
    box = np.array(list(np.ndindex(2, 2, 2))) - 0.5
    sides = [Piece.around(box * size + offset) for size, offset in (
        ((0.08, 0.008, 0.08), (0, 0.036, 0)), ((0.08, 0.008, 0.08), (0, -0.036, 0)),
        ((0.008, 0.08, 0.08), (0.036, 0, 0)), ((0.008, 0.08, 0.08), (-0.036, 0, 0)))]
    mug = SceneObject('mug', Shape.IRREGULAR, (0.08, 0.08, 0.08), Pose((0.5, 0.0, 0.04)),
                      pieces=tuple(sides))
    assert 'not flat' in why_unsteady(CUBE, mug)


@pytest.mark.parametrize(('upper', 'lower'), [
    (CUBE, plate('white_plate', 0.5, 0.0)), (CUBE, cube('small_cube', 0.5, 0.0, 0.03)),
    (BOWL, plate('white_plate', 0.5, 0.0)), (ball('lemon', 0.4, 0.1), CUBE)])
def test_what_stays_has_no_objection(upper, lower) -> None:
    assert why_unsteady(upper, lower) == ''


def test_a_bowl_that_hangs_by_its_rim_settles_towards_the_side_that_touches_first() -> None:
    tilted = replace(BOWL, pose=Pose.from_rpy(0.5, 0.3, 0.1, pitch=math.radians(29)))
    dx, dy = settling_shift(tilted)
    assert abs(dy) < 1e-9 and 0.015 < abs(dx) < 0.03
    assert settled(tilted).pose.rotation[2, 2] == pytest.approx(1.0)
    assert settling_shift(BOWL) == (0.0, 0.0)


def test_a_bowl_that_leans_does_not_stand_there() -> None:
    leans = replace(BOWL, pose=Pose.from_rpy(0.5, 0.3, 0.04, pitch=math.radians(25)))
    goal = Goal('at', 'bowl', position=(0.5, 0.3))
    assert judge(goal, scene(BOWL)) is True
    assert judge(goal, scene(leans)) is False


def test_the_lower_of_two_bowls_is_not_in_the_one_that_leans_in_it() -> None:
    lower = SceneObject('dish', Shape.BOWL, (0.09, 0.09, 0.042), Pose((0.5, 0.2, 0.021)))
    leans = SceneObject('bowl', Shape.BOWL, (0.107, 0.107, 0.051),
                        Pose.from_rpy(0.5, 0.2, 0.06, pitch=math.radians(16)))
    assert judge(Goal('in', 'dish', 'bowl'), scene(lower, leans)) is False
    assert judge(Goal('on', 'bowl', 'dish'), scene(lower, leans)) is None
    assert judge(Goal('on', 'bowl', 'far'), scene(lower, leans, bar('far', 0.9, -0.4))) is False


def test_near_is_the_gap_between_the_outlines() -> None:
    beside, ahead = bar('a_bar', 0.5, 0.0), bar('b_bar', 0.7, 0.0)
    near = Goal('near', 'b_bar', 'a_bar')
    assert judge(near, scene(beside, ahead)) is False  # 17 cm of free table between them
    assert judge(near, scene(beside, bar('b_bar', 0.58, 0.0))) is True
    assert judge(near, scene(beside, bar('b_bar', 0.5, 0.35))) is True  # end to end, 5 cm


def test_two_small_things_are_near_only_if_little_table_is_between_them() -> None:
    near = Goal('near', 'b_cube', 'a_cube')
    first = cube('a_cube', 0.5, 0.0, 0.02)
    assert judge(near, scene(first, cube('b_cube', 0.57, 0.0, 0.02))) is True
    assert judge(near, scene(first, cube('b_cube', 0.60, 0.0, 0.02))) is False


def test_two_things_get_room_side_by_side_on_a_plate() -> None:
    white, first, second = plate('white_plate', 0.58, 0.2), cube('a', 0.4, 0), cube('b', 0.4, 0.1)
    at = packed_top(first, white, scene(white, second))
    assert at is not None
    put = replace(first, pose=Pose((*at, white.top_z + 0.02)))
    other = packed_top(second, white, scene(white, put))
    assert other is not None and float(np.hypot(*np.subtract(at, other))) > 0.065
