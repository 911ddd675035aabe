# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whatever sizes perception reports, the twin and the collision checker can be built."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replan_agent.app.build.twin import build_twin
from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import PANDA
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.geometry.buildable import with_buildable_things
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

extent = st.one_of(st.floats(0, 0.4), st.sampled_from([0.0, 1e-9, 1e-5, 0.001, 0.006, 0.012]))
ARM = ArmSnapshot(franka.HOME, Pose(PANDA.home_tcp), 0.08, True)


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    shapes = [shape for shape in Shape if shape is not Shape.IRREGULAR]
    things = []
    for number in range(draw(st.integers(1, 3))):
        shape = draw(st.sampled_from(shapes[:-1] if number else shapes))
        pose = Pose.from_rpy(0.5, 0.3 * number, draw(st.floats(0, 0.2)), draw(st.floats(-3, 3)),
                             0.0, draw(st.floats(-3, 3)))
        size = (draw(extent), draw(extent), draw(extent))
        things.append(SceneObject(f'thing_{number}', shape, size, pose,
                                  movable=shape is not Shape.WALL))
    return Scene('s', 0.0, tuple(things), 'camera', ARM)


@settings(max_examples=40, deadline=None)
@given(scenes())
def test_the_twin_and_the_checker_of_any_sizes_can_be_built(scene: Scene) -> None:
    build_twin(scene, PANDA)
    checker = MujocoCollisionChecker(PANDA)
    checker.use(MotionRequest(scene))
    assert math.isfinite(checker.clearance(np.array(franka.HOME)))


@pytest.mark.parametrize(('shape', 'size'), [
    (Shape.WALL, (0.3, 0.0, 0.2)), (Shape.BIN, (0.1, 0.1, 0.004)), (Shape.BIN, (0.01, 0.1, 0.1)),
    (Shape.BOWL, (0.1, 0.1, 0.001)), (Shape.CYLINDER, (0.05, 0.05, 0.0)),
])  # fmt: skip
def test_what_cannot_be_built_is_irregular_with_a_warning(shape, size) -> None:
    thing = SceneObject('it', shape, size, Pose((0.5, 0.0, 0.1)), movable=False)
    seen = with_buildable_things(Scene('s', 0.0, (thing,), 'camera'))
    assert seen.objects[0].shape is Shape.IRREGULAR and not seen.objects[0].movable
    assert all(s >= before for s, before in zip(seen.objects[0].size, size))
    assert shape.value in seen.warnings[0]


def test_what_can_be_built_stays_as_it_is() -> None:
    thing = SceneObject('it', Shape.BIN, (0.2, 0.1, 0.05), Pose((0.5, 0.0, 0.1)))
    scene = Scene('s', 0.0, (thing,), 'camera')
    assert with_buildable_things(scene) is scene
