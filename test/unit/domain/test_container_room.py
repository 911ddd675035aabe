"""When a container is full: by the outlines of what is in it, not by its centre alone."""

from __future__ import annotations

import pytest

from replan_agent.domain.container_room import fillers, room_beside_m
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape

BOWL = SceneObject('bowl', Shape.BOWL, (0.18, 0.18, 0.055), Pose((0.5, 0.0, 0.0275)))
BIN = SceneObject('bin', Shape.BIN, (0.2, 0.2, 0.07), Pose.from_rpy(0.5, 0.0, 0.035, yaw=0.3))
RED = SceneObject('red', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.3, 0.3, 0.02)))


def block(side: float, height: float = 0.1, x: float = 0.5, shape: Shape = Shape.BOX,
          ) -> SceneObject:
    return SceneObject('blue', shape, (side, side, height), Pose((x, 0.0, 0.01 + height / 2)))


@pytest.mark.parametrize(('container', 'inside', 'full'), [
    (BOWL, block(0.11), True),
    (BOWL, block(0.06), False),
    (BOWL, block(0.11, x=0.47), False),  # at the side it leaves room on the other one
    (BOWL, block(0.11, height=0.02), False),  # something may lie on it, below the rim
    (BIN, block(0.17), True),
    (BIN, block(0.13, shape=Shape.CYLINDER), False),  # there is room in the corners
])
def test_a_container_is_full_if_nothing_fits_beside_what_reaches_its_rim(container, inside, full):
    scene = Scene('s', 0.0, (container, inside, RED), 'fake')
    assert fillers(container, RED, scene) == (('blue',) if full else ())


def test_the_room_beside_something_is_its_widest_gap():
    assert room_beside_m(block(0.11), BOWL) == pytest.approx(0.035)
    assert room_beside_m(block(0.11, x=0.47), BOWL) == pytest.approx(0.065)
