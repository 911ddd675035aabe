"""How far things extend, and what is in the way of something that is put down."""

from __future__ import annotations

import math

import pytest

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.standing_room import is_on_top, occupants
from replan_agent.domain.support import half_extent_along


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
    (thing('near', 0.07), True), (thing('far', 0.08), False),
    (thing('flat', 0.03, z=0.001, size=(0.04, 0.04, 0.002)), False),
    (thing('lamp', 0.0, z=0.08), False),
])
def test_what_is_near_and_at_that_height_is_in_the_way(other, in_the_way):
    held = thing('held', 0.5)
    scene = Scene('s', 0.0, (held, other), 'test')
    assert bool(occupants(held, (0.0, 0.0, 0.004), scene)) is in_the_way
    assert occupants(held, (0.0, 0.0, 0.004), scene, support=other.name) == []
