# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is in the gripper, from its width and where the objects are."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.piece import Piece, box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.perceive.held import held_object
from replan_agent.perceive.looks import in_hand

CUBE = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.2)))


def arm(width: float, x: float = 0.5, yaw: float = 0.0) -> ArmSnapshot:
    tcp = Pose.from_rpy(x, 0.0, 0.2, roll=math.pi, yaw=yaw)
    return ArmSnapshot((0.0,) * 7, tcp, width, at_home=False)


def test_pads_as_far_apart_as_the_object_is_wide_hold_it():
    assert held_object([CUBE], arm(0.0395), PANDA.hand) == 'cube'


@pytest.mark.parametrize('width', [0.0, 0.02, 0.06, 0.08])
def test_pads_at_another_width_hold_nothing(width):
    assert held_object([CUBE], arm(width), PANDA.hand) is None


@pytest.mark.parametrize(('height', 'held'), [(0.1, 'cube'), (0.16, None), (0.2, None)])
def test_pads_on_a_slope_hold_what_hangs_in_the_air_and_not_what_stands(height, held):
    table = SceneObject('table', Shape.BOX, (1.0, 1.0, height), Pose((0.5, 0.0, height / 2)),
                        movable=False)
    assert held_object([table, CUBE], arm(0.02), PANDA.hand) == held
    assert held_object([table, CUBE], arm(0.06), PANDA.hand) is None


def test_pads_that_stand_as_when_they_held_nothing_hold_nothing_between_them():
    """They opened around it again, or never closed: only a change of their width is a grip."""
    before = Scene('before', 0.0, (CUBE,), 'camera', arm(0.0402))
    assert held_object([CUBE], arm(0.04), PANDA.hand, before) is None
    assert held_object([CUBE], arm(0.0395), PANDA.hand, before) == 'cube'
    assert held_object([CUBE], arm(0.04), PANDA.hand, replace(before, held='cube')) == 'cube'


@pytest.mark.parametrize(('height', 'held'), [(0.1, 'cube'), (0.16, None)])
def test_a_look_that_missed_what_is_held_in_the_air_does_not_empty_the_hand(height, held):
    table = SceneObject('table', Shape.BOX, (1.0, 1.0, height), Pose((0.5, 0.0, height / 2)),
                        movable=False)
    missed = Scene('before', 0.0, (table,), 'camera', arm(0.04))
    assert held_object([table, CUBE], arm(0.04), PANDA.hand, missed) == held


def test_closed_pads_hold_not_even_a_thin_plate():
    plate = SceneObject('plate', Shape.BOX, (0.05, 0.004, 0.06), CUBE.pose)
    assert held_object([plate], arm(0.0038), PANDA.hand) == 'plate'
    assert held_object([plate], arm(0.0), PANDA.hand) is None


def test_an_object_away_from_the_tool_centre_point_is_not_held():
    assert held_object([CUBE], arm(0.04, x=0.56), PANDA.hand) is None


def test_a_bar_is_held_across_its_narrow_side():
    bar = SceneObject('bar', Shape.BOX, (0.11, 0.024, 0.024), CUBE.pose)
    assert held_object([bar], arm(0.024), PANDA.hand) == 'bar'
    assert held_object([bar], arm(0.024, yaw=math.pi / 2), PANDA.hand) is None


def test_what_cannot_be_moved_is_never_held():
    table = SceneObject('table', Shape.BOX, (1.0, 0.04, 1.0), CUBE.pose, movable=False)
    assert held_object([table], arm(0.04), PANDA.hand) is None


def _tool(*pieces: Piece) -> SceneObject:
    return SceneObject('tool', Shape.IRREGULAR, (0.12, 0.04, 0.04), CUBE.pose, pieces=pieces)


def _block(size: tuple[float, float, float], y: float) -> Piece:
    return Piece.around(box_piece(size).corners + np.array([0.0, y, 0.0]))


def test_an_irregular_thing_is_held_by_its_width_between_the_pads() -> None:
    bar = _tool(_block((0.12, 0.02, 0.04), 0.0))
    assert held_object([bar], arm(0.02), PANDA.hand) == 'tool'
    assert held_object([bar], arm(0.06), PANDA.hand) is None


def test_two_prongs_between_the_pads_are_held_across_both() -> None:
    prongs = _tool(_block((0.12, 0.01, 0.04), 0.02), _block((0.12, 0.01, 0.04), -0.02))
    assert held_object([prongs], arm(0.05), PANDA.hand) == 'tool'


def test_the_far_wall_of_a_mug_is_not_between_the_pads() -> None:
    walls = _tool(_block((0.04, 0.005, 0.04), 0.0), _block((0.04, 0.005, 0.04), 0.07))
    assert held_object([replace(walls, size=(0.12, 0.15, 0.04))], arm(0.005), PANDA.hand) == 'tool'


@pytest.mark.parametrize('radius', [0.013, 0.02, 0.03])
def test_the_underside_of_a_can_that_lies_in_the_hand_is_below_what_is_seen_of_it(radius):
    angles = np.radians(np.linspace(-35, 110, 60))  # from the level side that faces the camera up
    points = np.array([[along, radius * np.cos(a), radius * np.sin(a)]
                       for a in angles for along in (-0.04, -0.03, 0.03, 0.04)])
    wrong = radius + points[:, 2].min()  # if the lowest seen point were its underside
    assert wrong > 0.004
    off = in_hand._rolled(points - (0.0, 0.0, wrong), np.array([1.0, 0.0, 0.0]), radius)
    assert off == pytest.approx(-wrong, abs=0.0015)
