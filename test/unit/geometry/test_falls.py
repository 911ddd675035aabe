# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What fell, toppled or is gone is read from two looks."""

from __future__ import annotations

import math

import pytest

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.geometry.falls import falls, toppled


def can(z: float = 0.035, roll: float = 0.0, seen_at: float = 5.0) -> SceneObject:
    return SceneObject('can', Shape.CYLINDER, (0.04, 0.04, 0.07),
                       Pose.from_rpy(0.4, 0.0, z, roll=roll), seen_at=seen_at)


def look(*things: SceneObject) -> Scene:
    return Scene('s', 5.0, things, 'test')


def test_a_thing_that_stays_did_not_fall():
    assert falls(look(can()), look(can(0.034))) == []


def test_a_lower_thing_fell():
    assert falls(look(can()), look(can(-0.7))) == [
        'can fell: it is 735 mm lower than before']


def test_a_short_can_on_its_side_toppled_although_it_is_hardly_lower():
    assert falls(look(can()), look(can(0.02, math.pi / 2))) == ['can toppled']


def test_a_thing_that_was_seen_and_is_gone_is_named():
    assert falls(look(can()), look()) == ['can is not seen any more']


def test_a_thing_that_was_only_remembered_is_not_missed():
    assert falls(look(can(seen_at=1.0)), look()) == []


def test_an_excepted_thing_is_not_named():
    assert falls(look(can()), look(), except_for=['can']) == []


LYING = (0.02, math.pi / 2)
BIN = SceneObject('bin', Shape.BIN, (0.2, 0.2, 0.1), Pose((0.4, 0.0, 0.05)), movable=False)


def test_what_stood_and_lies_now_toppled():
    assert toppled(look(can()), look(can(*LYING))) == ('can',)


def test_what_was_stood_up_did_not_topple():
    assert toppled(look(can(*LYING)), look(can())) == ()


def test_in_a_container_a_thing_may_lie():
    assert toppled(look(can(), BIN), look(can(*LYING), BIN)) == ()


def seen_box(*size: float) -> SceneObject:
    """As a camera sees it: upright, however it lies."""
    return SceneObject('pack', Shape.BOX, size, Pose((0.4, 0.0, size[2] / 2)), seen_at=5.0)


@pytest.mark.parametrize(('now', 'is_over'), [
    ((0.07, 0.041, 0.049), True),
    ((0.05, 0.04, 0.055), False),   # of another size: measured badly, or another thing
    ((0.04, 0.05, 0.07), False)])   # turned about the vertical
def test_a_box_that_a_camera_sees_as_low_as_it_was_wide_toppled(now, is_over):
    before, after = look(seen_box(0.05, 0.04, 0.07)), look(seen_box(*now))
    assert toppled(before, after) == (('pack',) if is_over else ())
    assert falls(before, after) == (['pack toppled'] if is_over else [])
