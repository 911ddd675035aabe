# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A strip of a container's wall that its fit has left over is no thing of its own."""

from __future__ import annotations

import pytest

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.perceive.camera.whole_things import is_strip_of_wall

BIN = SceneObject('bin', Shape.BIN, (0.30, 0.20, 0.1), Pose((0.47, -0.32, 0.05)), 'grey')


def bar(y: float, colour: str = 'grey', width: float = 0.02, height: float = 0.03) -> SceneObject:
    return SceneObject('bar', Shape.BOX, (0.2, width, height), Pose((0.45, y, height / 2)), colour)


@pytest.mark.parametrize(('thing', 'is_strip'), [
    (bar(-0.205), True),
    (bar(-0.205, colour='red'), False),
    (bar(-0.32), False),  # in the middle of the bin
    (bar(-0.10), False),
    (bar(-0.205, width=0.06, height=0.06), False),
    (bar(-0.205, height=0.2), False),  # higher than the wall
])
def test_a_strip_has_the_colour_and_the_place_of_the_wall(thing, is_strip):
    assert is_strip_of_wall(thing, BIN) is is_strip
