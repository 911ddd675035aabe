# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A door whose latch must be turned first."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from replan_agent_contact.joint import Joint, Jointed, JointKind
from replan_agent_contact.latched import in_the_way, moved_along, moves_to

from replan_agent import Pose, Scene, SceneObject
from replan_agent.domain.scene import Shape

HINGE = Joint(JointKind.HINGE, (0.0, 0.0, 1.0), (0.5, 0.3, 0.2), 0.0, 0.6, 0.0)
LATCH = Joint(JointKind.HINGE, (1.0, 0.0, 0.0), (0.5, -0.1, 0.2), -1.5, 0.1, 0.0, ())
DOOR = Jointed('door', Shape.BOX, (0.04, 0.44, 0.4), Pose((0.5, 0.1, 0.2)), movable=False,
               joint=HINGE, handle='handle', part_of='frame', latch='latch')
LEVER = Jointed('latch', Shape.BOX, (0.1, 0.05, 0.05), Pose((0.47, -0.1, 0.2)), movable=False,
                joint=LATCH, handle='handle', part_of='door')
HANDLE = SceneObject('handle', Shape.CYLINDER, (0.03, 0.03, 0.1),
                     Pose.from_rpy(0.42, -0.03, 0.2, roll=math.pi / 2), movable=False)
SCENE = Scene('s', 0.0, (DOOR, LEVER, HANDLE), 'test')


def test_the_latch_is_turned_then_the_part_is_moved_then_the_latch_goes_back():
    turn, move, back = next(iter(moves_to(SCENE, DOOR, 0.6)))
    assert [m.part.name for m in (turn, move, back)] == ['latch', 'door', 'latch']
    assert turn.by == pytest.approx(-0.95 * 1.5) and back.by == -turn.by and move.by == 0.6
    assert move.scene.get('door').pose == DOOR.pose
    assert move.scene.get('handle').position[2] > 0.2 + 0.06 or (
        move.scene.get('handle').position[2] < 0.2 - 0.06)  # its bar stands on end


def test_the_hand_is_at_the_handle_where_it_began_turned_with_the_part():
    moves, at = next(iter(moves_to(SCENE, DOOR, 0.6))), HANDLE.pose
    for move in moves:
        at = move.part.joint.moved(at, move.by)
    assert at.distance_to(HINGE.moved(HANDLE.pose, 0.6)) < 1e-9


def test_a_latch_is_not_turned_to_where_it_turns_only_a_little():
    assert all(turn.by < 0 for turn, *_ in moves_to(SCENE, DOOR, 0.6))


def test_a_part_without_a_latch_is_only_moved():
    (move,), = moves_to(SCENE, replace(DOOR, latch=''), 0.6)
    assert (move.part.name, move.by) == ('door', 0.6)


def test_what_hangs_on_a_part_goes_along_and_so_does_its_joint():
    moved = moved_along(SCENE, DOOR, math.pi / 2)
    latch = moved.get('latch')
    assert moved.get('door').joint.state == pytest.approx(math.pi / 2)
    assert latch.joint.axis == pytest.approx((0, 1, 0)) and latch.joint.state == 0.0
    assert latch.joint.point == pytest.approx((0.9, 0.3, 0.2))
    assert latch.position == pytest.approx((0.9, 0.27, 0.2))


def test_the_latch_of_a_part_is_not_in_its_way():
    assert in_the_way(SCENE, DOOR, 0.6) is None
    cube = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.6, -0.02, 0.2)))
    scene = replace(SCENE, objects=(*SCENE.objects, cube))
    assert in_the_way(scene, DOOR, 0.6).blockers == ('cube',)
