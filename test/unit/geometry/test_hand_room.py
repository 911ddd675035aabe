# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The hand needs room too where a thing is put down."""

from __future__ import annotations

import math
from dataclasses import replace

from replan_agent.arms.franka import PANDA
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.geometry.room.free_place import has_room
from replan_agent.geometry.room.hand_room import fits_between_pads, hand_can_put

TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0, -0.02)), movable=False)
STAPLER = SceneObject('stapler', Shape.BOX, (0.12, 0.03, 0.05),
                      Pose.from_rpy(0.45, 0.12, 0.025, yaw=0.6))
POT = SceneObject('pot', Shape.CYLINDER, (0.07, 0.07, 0.10), Pose((0.42, -0.22, 0.05)))
NEAR, FARTHER = (0.42, -0.109), (0.42, -0.059)


def scene(*things: SceneObject, **more) -> Scene:
    return Scene('s', 0.0, (TABLE, *things), 'fake', hand=PANDA.hand, **more)


def test_a_thing_may_fit_beside_a_tall_one_where_the_palm_does_not():
    beside = scene(STAPLER, POT)
    assert has_room(STAPLER, (*NEAR, 0.004), beside, 'table')
    assert not hand_can_put(STAPLER, NEAR, beside)
    assert hand_can_put(STAPLER, FARTHER, beside)


def test_the_palm_passes_over_a_low_one():
    low = replace(POT, size=(0.07, 0.07, 0.03), pose=Pose((0.42, -0.22, 0.015)))
    assert hand_can_put(STAPLER, NEAR, scene(STAPLER, low))


def test_the_grasp_at_hand_decides():
    """Held across its ends it could be turned so that the palm is beside the pot's row."""
    held = replace(STAPLER, size=(0.06, 0.03, 0.05), pose=Pose((0.45, 0.12, 0.2)))
    place, turns = (0.42, -0.13), (0.0,)

    def closing(yaw: float) -> Scene:
        tcp = Pose.from_rpy(*held.position, roll=math.pi, yaw=yaw + math.pi / 2)
        return scene(held, POT, held='stapler', arm=ArmSnapshot((0.0,) * 7, tcp, 0.06, False))

    assert hand_can_put(held, place, closing(0.0), turns)
    assert not hand_can_put(held, place, closing(math.pi / 2), turns)


def test_the_pads_need_a_little_play():
    assert fits_between_pads(0.07, PANDA.hand) and not fits_between_pads(0.076, PANDA.hand)
