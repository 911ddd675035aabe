# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a container has room: by the outlines and heights of what is in it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.piece import Piece, box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.geometry.judging import is_inside
from replan_agent.geometry.outlines import gap_m, parts
from replan_agent.geometry.room.container_room import Room, does_not_fit, no_room_left
from replan_agent.geometry.room.hand_parts import hand_parts
from replan_agent.geometry.room.height_cells import heights_at
from replan_agent.geometry.support import in_own_frame

BOWL = SceneObject('bowl', Shape.BOWL, (0.18, 0.18, 0.055), Pose((0.5, 0.0, 0.0275)))
BIN = SceneObject('bin', Shape.BIN, (0.2, 0.2, 0.07), Pose.from_rpy(0.5, 0.0, 0.035, yaw=0.3))
RED = SceneObject('red', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.3, 0.3, 0.02)))


def block(side: float, height: float = 0.1, x: float = 0.5, shape: Shape = Shape.BOX,
          ) -> SceneObject:
    pose = Pose.from_rpy(x, 0.0, 0.01 + height / 2, yaw=BIN.pose.yaw)
    return SceneObject('blue', shape, (side, side, height), pose)


def hammer(length: float, head: float) -> SceneObject:
    handle = box_piece((length, 0.02, 0.02))
    across = Piece.around(box_piece((0.02, head, 0.02)).corners + (length / 2 - 0.01, 0, 0))
    return SceneObject('hammer', Shape.IRREGULAR, (length, head, 0.02),
                       Pose.from_rpy(0.3, 0.3, 0.01, yaw=1.0), pieces=(handle, across))


@pytest.mark.parametrize(('container', 'inside', 'full'), [
    (BOWL, block(0.11), True),
    (BOWL, block(0.06), False),
    (BOWL, block(0.11, x=0.47), False),  # at the side it leaves room on the other one
    (BOWL, block(0.11, height=0.02), False),  # something may lie on it, below the rim
    (BIN, block(0.17), True),
    (BIN, block(0.13, shape=Shape.CYLINDER), False),  # there is room in the corners
    (BIN, block(0.17, height=0.03), False),  # on it, with the centre below the rim
    (BIN, block(0.17, height=0.05), True),  # not as a tower above the rim
])
def test_a_container_is_full_if_nothing_fits_beside_or_on_what_is_in_it(container, inside, full):
    scene = Scene('s', 0.0, (container, inside, RED), 'fake')
    assert (Room(container, scene, ['red']).place(RED) is None) is full


def test_things_are_heaped_in_a_bowl_until_the_next_one_would_stand_above_the_rim():
    """Two cubes lie in a small bowl, though not side by side on its floor; ten do not."""
    bowl = SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.055), Pose((0.5, 0.0, 0.0275)))
    middle = SceneObject('cube', Shape.BOX, (0.04,) * 3, Pose((0.5, 0.0, 0.026)))
    things = [middle]
    while (place := Room(bowl, Scene('s', 0.0, (bowl, *things), 'fake')).place(RED)) is not None:
        put = place.of(RED)
        assert is_inside(put, bowl) and place.release_z >= place.rest_z
        things.append(replace(put, name=f'cube{len(things)}'))
        assert len(things) < 10
    assert len(things) >= 3


@pytest.mark.parametrize(('length', 'fits'), [(0.18, True), (0.3, False)])
def test_a_long_thing_leans_over_the_rim_of_a_bowl_but_does_not_lie_across_it(length, fits):
    bar = SceneObject('bar', Shape.BOX, (length, 0.02, 0.02), Pose((0.3, 0.3, 0.01)))
    assert (does_not_fit(bar, BOWL) == '') is fits


@pytest.mark.parametrize(('shape', 'height', 'fits'), [
    (Shape.SPHERE, 0.06, True), (Shape.CYLINDER, 0.1, True), (Shape.BOX, 0.06, False)])
def test_what_is_round_rests_on_the_slope_of_a_small_bowl_in_its_middle(shape, height, fits):
    """Of 76 mm inside: 60 mm across, and 85 mm from corner to corner."""
    bowl = SceneObject('bowl', Shape.BOWL, (0.09, 0.09, 0.04), Pose((0.5, -0.2, 0.02)))
    thing = SceneObject('thing', shape, (0.06, 0.06, height), Pose((0.45, 0.1, height / 2)))
    beside = replace(RED, pose=Pose((0.5, -0.13, 0.02)))
    put = Room(bowl, Scene('s', 0.0, (bowl, thing, beside), 'fake'), ['thing']).place(thing)
    assert (does_not_fit(thing, bowl) == '') is fits is (put is not None)
    assert put is None or is_inside(put.of(thing), bowl) and put.rest_z < 0.023


@pytest.mark.parametrize('yaw', [0.0, 0.3, 0.9])
def test_a_thing_that_is_too_long_for_the_floor_of_a_bowl_hangs_in_its_middle(yaw):
    pose = Pose.from_rpy(0.3, 0.3, 0.015, yaw=yaw)
    bar = SceneObject('bar', Shape.BOX, (0.135, 0.03, 0.03), pose)
    put = next(Room(BOWL).places(bar)).of(bar)
    assert is_inside(put, BOWL) and put.position[2] < BOWL.top_z
    assert math.dist(put.position[:2], BOWL.position[:2]) < 0.005


def test_the_bin_around_a_bowl_takes_no_room_in_it():
    around = replace(BIN, size=(0.3, 0.3, 0.07))
    assert Room(BOWL, Scene('s', 0.0, (BOWL, around, RED), 'fake')).place(RED) is not None


def test_a_full_container_names_what_is_in_it():
    scene = Scene('s', 0.0, (BIN, block(0.17), RED), 'fake')
    assert no_room_left(RED, BIN, scene) == (
        'bin is full: blue leaves no place for red (40 x 40 mm) below the rim')


def test_how_large_a_thing_is_is_not_told_if_its_far_side_is_a_guess():
    piece = replace(box_piece((0.04, 0.04, 0.04)), guessed=True)
    red = replace(RED, shape=Shape.IRREGULAR, pieces=(piece,))
    scene = Scene('s', 0.0, (BIN, block(0.17), red), 'fake')
    assert no_room_left(red, BIN, scene) == (
        'bin is full: blue leaves no place for red below the rim')


def test_things_are_packed_side_by_side_on_the_floor_and_stay_inside():
    things: list[SceneObject] = []
    for k in range(6):
        new = SceneObject(f'cube{k}', Shape.BOX, (0.04, 0.04, 0.04),
                          Pose.from_rpy(0.3, 0.3, 0.02, yaw=0.7 * k))
        place = Room(BIN, Scene('s', 0.0, (BIN, *things), 'fake')).place(new)
        assert place is not None and place.rest_z == pytest.approx(0.006)
        put = place.of(new)
        assert is_inside(put, BIN)
        assert all(gap_m(parts(put), parts(o)) > 0.002 for o in things)
        things.append(put)


def test_a_long_thing_lies_along_the_bin_or_across_its_corners():
    for tool in (hammer(0.17, 0.05), hammer(0.22, 0.03)):
        place = Room(BIN).place(tool)
        assert place is not None
        corners = np.concatenate([part.outline for part in parts(place.of(tool))])
        own = [in_own_frame(BIN, (x, y, 0.0))[:2] for x, y in corners]
        assert np.abs(own).max() <= 0.094


def test_what_does_not_fit_is_said_with_the_numbers():
    assert does_not_fit(RED, BIN) == ''
    assert does_not_fit(hammer(0.3, 0.1), BIN) == (
        'hammer does not fit in bin: as it lies it is 300 x 100 mm, and bin is 186 x 186 mm '
        'inside')


def test_the_hand_stays_clear_of_the_walls():
    """The palm is wider than the bin: a low thing is let go where the hand is above the rim."""
    flat = SceneObject('flat', Shape.BOX, (0.04, 0.04, 0.01), Pose((0.3, 0.3, 0.005)))
    tcp = Pose.from_rpy(0.3, 0.3, 0.01, roll=math.pi)
    places = list(Room(BIN).places(flat, hand_parts(PANDA.hand, tcp, 0.04, 0.02)))
    assert places and all(p.release_z > 0.02 for p in places[:5])
    tall = SceneObject('tall', Shape.BOX, (0.04, 0.04, 0.1), Pose((0.3, 0.3, 0.05)))
    high = hand_parts(PANDA.hand, Pose.from_rpy(0.3, 0.3, 0.08, roll=math.pi), 0.04, 0.02)
    assert next(Room(BIN).places(tall, high)).release_z == pytest.approx(0.006)


def test_the_fingers_have_room_to_open_beside_a_neighbour():
    """Next to a tall neighbour, the thing comes low only where the open fingers pass it."""
    tall = SceneObject('tall', Shape.BOX, (0.04, 0.04, 0.12), Pose((0.5, 0.0, 0.066)))
    scene = Scene('s', 0.0, (BIN, tall), 'fake')
    hand = hand_parts(PANDA.hand, Pose.from_rpy(0.3, 0.3, 0.04, roll=math.pi), 0.04, 0.02)
    for place in list(Room(BIN, scene).places(RED, hand))[:5]:
        if place.release_z < 0.05:
            fingers = [p.placed(place.turn, RED.position, (place.x, place.y)) for p in hand[1:]]
            assert gap_m(fingers, parts(tall)) > 0.0


def test_pieces_count_not_the_box_around_them():
    """A cube fits beside the handle of a hammer, inside its bounding box."""
    tool = hammer(0.16, 0.16)
    laid = Room(BIN).place(tool)
    assert laid is not None
    scene = Scene('s', 0.0, (BIN, laid.of(tool)), 'fake')
    place = Room(BIN, scene).place(RED)
    assert place is not None and place.rest_z == pytest.approx(0.006)
    assert np.isfinite(place.x)


@pytest.mark.parametrize(('count', 'fits'), [(1, True), (2, True), (5, False)])
def test_balls_roll_aside_in_a_bowl_until_they_cover_it(count, fits):
    balls = [SceneObject(f'ball{k}', Shape.SPHERE, (0.05,) * 3,
                         Pose((0.5 + 0.03 * math.cos(1.3 * k), 0.03 * math.sin(1.3 * k), 0.031)))
             for k in range(count)]
    new = SceneObject('new', Shape.SPHERE, (0.05,) * 3, Pose((0.3, 0.3, 0.025)))
    scene = Scene('s', 0.0, (BOWL, *balls), 'fake')
    assert (Room(BOWL, scene).place(new) is not None) is fits


def test_outside_the_map_of_heights_nothing_is_below():
    heights = heights_at(np.zeros((3, 3)), np.array([[0, 0], [0, 2]]), np.array([[0.0, 0.0]]))
    assert heights.tolist() == [[0.0, -math.inf]]
