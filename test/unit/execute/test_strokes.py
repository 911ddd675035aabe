# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the fingers start a stroke."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.execute.strokes import STAND_OFF_M, Stroke, plan_stroke, strokes
from replan_agent.motion.motion_protocols import MotionOutcome

HAND = PANDA.hand


@pytest.mark.parametrize(('direction', 'half_m'), [((1.0, 0.0), 0.10), ((0.0, 1.0), 0.03)],
                         ids=['along its axis', 'across its axis'])
def test_the_fingers_start_beside_a_can_that_lies(direction, half_m):
    """20 cm long and 6 cm across, with its axis along x."""
    can = SceneObject('can', Shape.CYLINDER, (0.06, 0.06, 0.20),
                      Pose.from_rpy(0.5, 0.0, 0.03, pitch=math.pi / 2))
    upright = next(strokes(can, np.array(direction), 0.08, 0.1, HAND))
    off = math.dist(upright.behind.position[:2], can.position[:2])
    assert off == pytest.approx(half_m + STAND_OFF_M + HAND.half_finger_m)


def test_the_next_strokes_have_the_hand_turned_by_a_quarter_and_push_off_the_middle():
    cube = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.02)))
    upright, turned, left, right, *_, leaning = strokes(
        cube, np.array((0.0, 1.0)), 0.08, 0.1, HAND)
    between = upright.behind.matrix()[:3, 0] @ turned.behind.matrix()[:3, 0]
    assert between == pytest.approx(0.0, abs=1e-9)
    assert turned.behind.position[1] == pytest.approx(-0.02 - STAND_OFF_M - HAND.finger_m)
    assert (upright.leans, turned.leans, leaning.leans) == (False, False, True)
    assert [s.behind.position[0] - 0.5 for s in (turned, left, right)] == pytest.approx(
        [0.0, -0.012, 0.012])  # off the middle, but on the cube


def test_beside_a_wall_the_turned_hand_leans_to_either_side_with_its_tips_behind_the_thing():
    cube = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.02)))
    sideways = [*strokes(cube, np.array((0.0, 1.0)), 0.08, 0.1, HAND)][4:8]
    for stroke, degrees in zip(sideways, (25, -25, 45, -45)):
        x, y, z = stroke.behind.matrix()[:3, 2]  # where the fingers point
        assert (x, y, z) == pytest.approx((-math.sin(math.radians(degrees)), 0.0,
                                           -math.cos(math.radians(degrees))), abs=1e-9)
        assert stroke.behind.position[0] == pytest.approx(0.5)
        assert (stroke.above.position[0] - 0.5) * degrees > 0  # the hand is on the other side


@pytest.mark.parametrize(('reason', 'leaning'), [(Reason.UNREACHABLE, 3),
                                                 (Reason.IN_COLLISION, 0)])
def test_a_turned_hand_is_always_tried_and_a_leaning_one_only_for_more_reach(
        monkeypatch, reason, leaning):
    tried: list[Stroke] = []

    def fails(call, pushes, stroke, start):
        tried.append(stroke)
        return MotionOutcome(None, reason, 'no')

    monkeypatch.setattr('replan_agent.execute.strokes._approach', fails)
    cube = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.02)))
    result = plan_stroke(None, strokes(cube, np.array((0.0, 1.0)), 0.08, 0.1, HAND), ['cube'],
                         np.zeros(7))
    assert result.reason is reason
    assert [stroke.leans for stroke in tried] == [*[False] * 8, *[True] * leaning]
