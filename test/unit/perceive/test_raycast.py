# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Expected depth against distances worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.perceive.camera.raycast import MISS_M, expected_depth, misfit

ORIGIN = np.array([0.0, 0.0, 1.0])
DOWN = np.array([[0.0, 0.0, -1.0]])


def solid(shape, size, pose):
    return SceneObject('', shape, size, pose)


@pytest.mark.parametrize(('thing', 'distance'), [
    (solid(Shape.BOX, (0.2, 0.2, 0.4), Pose((0, 0, 0.2))), 0.6),
    (solid(Shape.BOX, (0.2, 0.2, 0.2), Pose.from_rpy(0, 0, 0, roll=math.pi / 4)),
     1 - 0.1 * math.sqrt(2)),
    (solid(Shape.SPHERE, (0.2, 0.2, 0.2), Pose((0, 0, 0.3))), 0.6),
    (solid(Shape.CYLINDER, (0.1, 0.1, 0.5), Pose((0, 0, 0.25))), 0.5),
    (solid(Shape.CYLINDER, (0.1, 0.1, 0.5), Pose.from_rpy(0, 0, 0.05, pitch=math.pi / 2)), 0.9),
], ids=['box', 'tilted box', 'ball', 'upright cylinder', 'lying cylinder'])
def test_the_depth_is_that_of_the_near_surface(thing, distance):
    assert expected_depth(thing, ORIGIN, DOWN)[0] == pytest.approx(distance)


def test_a_ray_beside_the_solid_never_meets_it():
    ball = solid(Shape.SPHERE, (0.2, 0.2, 0.2), Pose((0.11, 0, 0)))
    assert np.isinf(expected_depth(ball, ORIGIN, DOWN)[0])


def test_what_is_behind_the_camera_is_not_seen():
    box = solid(Shape.BOX, (0.2, 0.2, 0.2), Pose((0, 0, 2.0)))
    assert np.isinf(expected_depth(box, ORIGIN, DOWN)[0])


def test_a_pixel_that_the_solid_misses_counts_no_more_than_the_limit():
    box = solid(Shape.BOX, (0.2, 0.2, 0.2), Pose((5, 0, 0)))
    assert misfit(box, ORIGIN, DOWN, np.array([0.9])) == pytest.approx(MISS_M)
