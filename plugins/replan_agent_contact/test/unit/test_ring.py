# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things with a hole, and what goes over or into what."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from replan_agent_contact.ring import Peg, Ring, depth_m, mate_of, peg_around, ring_of

from replan_agent import Pose, SceneObject
from replan_agent.arms.franka import PANDA
from replan_agent.domain.scene import Shape
from replan_agent.geometry.judging import is_inside
from replan_agent.motion.grasping.any_grasps import AnyGrasps

CORNERS = np.array(list(np.ndindex(2, 2, 2))) * 2.0 - 1


def solid(at, half, yaw=0.0):
    return CORNERS * half @ Pose.from_rpy(0, 0, 0, yaw=yaw).rotation.T + at


def wall(angle, far, wide):
    """One of the walls around a hole, `far` (m) from its middle on the inside."""
    out = np.array([math.cos(angle), math.sin(angle), 0.0])
    return solid((far + 0.01) * out, (0.01, wide, 0.01), angle)


SQUARE = [wall(k * math.pi / 2, 0.023, 0.043) for k in range(4)]
OCTAGON = [wall(k * math.pi / 4, 0.031, 0.022) for k in range(8)]
HANDLE = solid((0.06, 0, 0), (0.025, 0.015, 0.01))
POST = SceneObject('post', Shape.BOX, (0.032, 0.032, 0.2), Pose((0.6, 0.1, 0.0)), movable=False)


def nut(walls=SQUARE):
    return ring_of('nut', [*walls, HANDLE])[0]


@pytest.mark.parametrize(('walls', 'wide_m'), [
    (SQUARE, 0.046), (OCTAGON, 2 * 0.031 * math.sqrt(0.5))])
def test_a_nut_has_a_hole_beside_its_handle(walls, wide_m):
    ring, centre = ring_of('nut', [*walls, HANDLE])
    assert ring.hole + centre[:2] == pytest.approx((0, 0), abs=3e-4)
    assert ring.wide_m == pytest.approx(wide_m, abs=4e-4)


@pytest.mark.parametrize('solids', [[HANDLE], SQUARE[:3], [*SQUARE, solid((0, 0, 0), 0.03)]])
def test_what_is_solid_or_open_at_a_side_has_no_hole(solids):
    assert ring_of('thing', solids) is None


@pytest.mark.parametrize('yaw', [0.0, 1.1, 2.6])
@pytest.mark.parametrize('walls', [SQUARE, OCTAGON])
def test_a_nut_that_is_wider_than_the_hand_is_taken_by_its_handle(walls, yaw):
    ring = replace(nut(walls), pose=Pose.from_rpy(0.5, 0.2, 0.01, yaw=yaw))
    found = list(AnyGrasps(PANDA.hand).candidates(ring, None))
    assert found
    for grasp in found:
        off = np.subtract(grasp.tcp.position[:2], ring.hole_xy)
        assert np.linalg.norm(off) > 0.045  # beyond the ring


def test_no_finger_goes_where_a_peg_goes():
    ring = nut()
    in_it = [piece for piece in ring.pieces if (
        piece.planes[:, :3] @ [*ring.hole, 0] + piece.planes[:, 3] < 0).all()]
    assert len(in_it) == 1


def test_where_the_hole_is_goes_with_the_turn_of_the_thing():
    ring = replace(nut(), pose=Pose.from_rpy(0.5, 0.2, 0.0, yaw=math.pi / 2))
    away = math.hypot(*ring.hole)
    assert ring.hole_xy == pytest.approx((0.5, 0.2 - away), abs=1e-3)


@pytest.mark.parametrize('yaw', [0.0, 0.4, math.pi / 2, 2.6])
@pytest.mark.parametrize('walls', [SQUARE, OCTAGON])
def test_a_ring_that_is_over_a_peg_is_in_the_place_around_it(walls, yaw):
    ring = replace(nut(walls), pose=Pose.from_rpy(0, 0, 0.011, yaw=yaw))
    away = np.subtract(POST.position[:2], ring.hole_xy)
    there = replace(ring, pose=ring.pose.moved(*away))
    for thing, is_on in ((there, True), (replace(ring, pose=ring.pose.moved(0.3)), False)):
        peg = peg_around('peg', POST, 0.0, [thing])
        assert is_inside(thing, peg) is is_on and bool(peg.states.now) is is_on


def test_a_hole_goes_over_a_peg_and_a_peg_into_a_hole():
    ring = nut()
    peg = peg_around('peg', POST, 0.0, [ring])
    over = mate_of(ring, peg)
    assert isinstance(peg, Peg) and isinstance(ring, Ring)
    assert (over.peg, over.hole, over.own) == ('peg', 'nut', ring.hole)
    assert over.falls
    assert over.play_m == pytest.approx(0.014, abs=4e-4) and over.deep_m == depth_m(peg)
    assert peg.top_z == pytest.approx(POST.top_z)
    stick = SceneObject('stick', Shape.BOX, (0.01, 0.01, 0.1), Pose((0.5, 0, 0)))
    hole = SceneObject('hole', Shape.BIN, (0.024, 0.024, 0.04), Pose((0.5, 0.2, 0)))
    into = mate_of(stick, hole)
    assert (into.peg, into.hole, into.own) == ('stick', 'hole', (0.0, 0.0))
    assert into.play_m == pytest.approx(0.002) and not into.falls
    assert mate_of(stick, peg) is None  # it has no hole
