# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far things extend, and what is in the way of something that is put down."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.piece import Piece, box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.execute.spots import spots_on
from replan_agent.geometry.outlines import gap_m, parts, placed
from replan_agent.geometry.room.free_place import (
    fan,
    free_places,
    free_tops,
    is_on_top,
    occupants,
    stands_on,
)
from replan_agent.geometry.support import half_extent_along


def thing(name: str, x: float = 0.0, y: float = 0.0, z: float = 0.02, shape: Shape = Shape.BOX,
          size: tuple[float, float, float] = (0.04, 0.04, 0.04), **turned: float) -> SceneObject:
    return SceneObject(name, shape, size, Pose.from_rpy(x, y, z, **turned))


@pytest.mark.parametrize(('item', 'along_x'), [
    (thing('box', size=(0.04, 0.10, 0.02)), 0.02),
    (thing('box', size=(0.04, 0.10, 0.02), yaw=math.pi / 2), 0.05),
    (thing('box', yaw=math.pi / 4), 0.02 * math.sqrt(2)),
    (thing('can', shape=Shape.CYLINDER, size=(0.05, 0.05, 0.12), yaw=0.3), 0.025),
    (thing('can', shape=Shape.CYLINDER, size=(0.05, 0.05, 0.12), pitch=math.pi / 2), 0.06),
    (thing('ball', shape=Shape.SPHERE, size=(0.06, 0.06, 0.06), pitch=0.7), 0.03),
])
def test_the_extent_along_a_direction_follows_the_pose(item, along_x):
    assert half_extent_along(item, 0.0) == pytest.approx(along_x)
    assert half_extent_along(item, math.pi) == pytest.approx(along_x)


def test_a_point_near_the_edge_is_not_on_top():
    table = thing('table', z=-0.02, shape=Shape.TABLE, size=(1.0, 0.6, 0.04))
    assert is_on_top(table, (0.45, 0.0), 0.04) and not is_on_top(table, (0.47, 0.0), 0.04)


@pytest.mark.parametrize(('other', 'in_the_way'), [
    (thing('near', 0.06), True), (thing('far', 0.07), False),
    (thing('turned', 0.07, yaw=math.pi / 4), True),  # by its corner
    (thing('can', 0.07, shape=Shape.CYLINDER, yaw=math.pi / 4), False),  # round is round
    (thing('flat', 0.03, z=0.0005, size=(0.04, 0.04, 0.001)), False),
    (thing('sheet', 0.03, z=0.001, size=(0.04, 0.04, 0.002)), True),  # it would lie on that
    (thing('lamp', 0.0, z=0.08), False),
])
def test_what_is_near_and_at_that_height_is_in_the_way(other, in_the_way):
    held = thing('held', 0.5)
    scene = Scene('s', 0.0, (held, other), 'test')
    assert bool(occupants(held, (0.0, 0.0, 0.004), scene)) is in_the_way
    assert occupants(held, (0.0, 0.0, 0.004), scene, support=other.name) == []


def test_a_long_thing_has_room_beside_another_one_along_it():
    bar, other = thing('bar', 0.5, size=(0.02, 0.2, 0.02)), thing('other', size=(0.02, 0.2, 0.02))
    scene = Scene('s', 0.0, (bar, other), 'test')
    assert not occupants(bar, (0.05, 0.0, 0.004), scene)
    assert occupants(bar, (0.05, 0.0, 0.004), scene, turn=math.pi / 2)


def test_free_places_are_within_reach_and_outside_the_circles_that_others_need():
    table = thing('table', 0.5, z=-0.02, shape=Shape.TABLE, size=(1.2, 1.2, 0.04))
    cube = thing('cube', 0.5)
    scene = Scene('s', 0.0, (table, cube), 'test', hand=PANDA.hand)
    points = [(0.29, 0.0), (0.31, 0.0), (0.5, 0.09), (0.5, 0.11), (0.73, 0.0), (0.75, 0.0)]
    assert list(free_places(cube, scene, points, (((0.5, 0.0), 0.1),))) == [
        (0.31, 0.0), (0.5, 0.11), (0.73, 0.0)]


@pytest.mark.parametrize('turn', [0.0, 0.3])
def test_a_part_that_was_moved_is_as_one_that_was_made_there(turn):
    box = thing('box', 0.1, size=(0.04, 0.10, 0.02), yaw=0.2)
    there = replace(box, pose=Pose.from_rpy(0.4, -0.1, 0.02, yaw=0.2 + turn))
    other = thing('can', 0.42, 0.0, shape=Shape.CYLINDER)
    moved = placed(box, turn, (0.4, -0.1))
    assert gap_m(moved, parts(other)) == pytest.approx(gap_m(parts(there), parts(other)), abs=2e-6)


def test_nothing_is_put_over_the_edge_of_the_table():
    table = thing('table', z=-0.02, shape=Shape.TABLE, size=(1.0, 0.6, 0.04))
    bar = thing('bar', 0.48, 0.0, size=(0.2, 0.02, 0.02))
    scene = Scene('s', 0.0, (table, bar), 'test')
    assert not stands_on(bar, table, (0.45, 0.0))
    assert stands_on(bar, table, (0.45, 0.0), math.pi / 2)
    assert all(x + 0.1 <= 0.5 and abs(y) <= 0.29 for x, y in free_places(
        bar, scene, fan(bar.position[:2])))


def of_boxes(*boxes: tuple[tuple[float, ...], tuple[float, float, float]]) -> SceneObject:
    """A thing of boxes (middle, size) about (0.4, 0)."""
    pieces = tuple(Piece.around(box_piece(size).corners + middle) for middle, size in boxes)
    return SceneObject('it', Shape.IRREGULAR, (0.2, 0.2, 0.04), Pose((0.4, 0.0, 0.02)),
                       pieces=pieces)


@pytest.mark.parametrize(('target', 'middle_at'), [
    (of_boxes(((0, 0, 0), (0.2, 0.2, 0.04))), 0),
    (of_boxes(((-0.07, 0, 0), (0.06, 0.2, 0.04)), ((0, -0.07, 0), (0.2, 0.06, 0.04))), None),
    (of_boxes(((-0.07, 0, 0), (0.06, 0.2, 0.04)), ((0, 0, -0.015), (0.2, 0.2, 0.01))), -1),
    (of_boxes(((-0.095, 0, 0), (0.01, 0.2, 0.04)), ((0, 0, -0.015), (0.2, 0.2, 0.01))), 0),
], ids=['full', 'an L: its middle is beside it', 'lower there', 'a top too small for it'])
def test_the_middle_of_a_thing_of_any_shape_is_a_place_only_on_its_surface(target, middle_at):
    held = thing('held', 0.1)
    found = list(free_tops(held, target, Scene('s', 0.0, (target, held), 'test')))
    spots = [(spot.x, spot.y) for spot in spots_on(held, target,
                                                   Scene('s', 0.0, (target, held), 'test'))]
    assert found == spots and found
    assert (found[middle_at] == (0.4, 0.0)) if middle_at is not None else (0.4, 0.0) not in found


def test_a_plate_has_room_beside_what_is_on_it():
    plate = thing('plate', 0.4, z=0.005, shape=Shape.CYLINDER, size=(0.24, 0.24, 0.01))
    first, held = thing('first', 0.4, z=0.03), thing('held', 0.1)
    x, y = next(free_tops(held, plate, Scene('s', 0.0, (plate, first, held), 'test')))
    assert 0.065 <= math.dist((x, y), (0.4, 0.0)) <= 0.1
    small = thing('small', 0.4, z=0.005, shape=Shape.CYLINDER, size=(0.1, 0.1, 0.01))
    assert not list(free_tops(held, small, Scene('s', 0.0, (small, first, held), 'test')))
