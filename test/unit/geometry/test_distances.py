# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A distance is the gap between two outlines."""

from __future__ import annotations

import pytest

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.geometry.relations import is_near

SIDE = 0.04


def cube(name: str, y: float) -> SceneObject:
    return SceneObject(name, Shape.BOX, (SIDE, SIDE, SIDE), Pose((0.5, y, SIDE / 2)))


@pytest.mark.parametrize(('gap_m', 'asked_m', 'is_so'), [
    (0.0, 0.01, False), (0.01, 0.01, True), (0.04, 0.05, True), (0.03, 0.05, False)])
def test_things_that_touch_are_at_no_distance(gap_m: float, asked_m: float, is_so: bool) -> None:
    assert is_near(cube('red', 0.0), cube('blue', SIDE + gap_m), distance_m=asked_m) is is_so
