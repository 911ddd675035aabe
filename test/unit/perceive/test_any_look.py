# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whatever a camera shows: a scene that can be planned in, or a failed look. Nothing else."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replan_agent.app.build.twin import build_twin
from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Context
from replan_agent.domain.piece import LEAST_M, Piece
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.geometry.buildable import with_buildable_things
from replan_agent.motion.grasping.any_grasps import AnyGrasps
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

from .synthetic import RGB, SIZE, StillRobot, perception, picture

pytestmark = pytest.mark.fuzz

few = settings(max_examples=max(10, settings().max_examples // 10))  # each takes a second
EDGES_M = (0.0, 1e-6, 0.001, 0.006, 0.009, 0.012)
lengths = st.one_of(st.floats(0.001, 0.25), st.sampled_from(EDGES_M))
# A real driver writes 0 or nan for "no depth"; the rest is damage.
BAD_DEPTHS = (0.0, math.nan, math.inf, -1.0, 1e-6, 0.3, 0.9, 50.0)


@st.composite
def solids(draw: st.DrawFn) -> SceneObject:
    """Something on the table, in it or above it, of any size and turned anyhow."""
    shape = draw(st.sampled_from((Shape.BOX, Shape.CYLINDER, Shape.SPHERE, Shape.BOWL,
                                  Shape.BIN)))
    size = (draw(lengths), draw(lengths), draw(lengths))
    if shape in (Shape.SPHERE, Shape.CYLINDER, Shape.BOWL):
        size = (size[0], size[0], size[0] if shape is Shape.SPHERE else size[2])
    tilt = draw(st.sampled_from((0.0, 0.0, 0.6, math.pi / 2)))
    pose = Pose.from_rpy(draw(st.floats(0.2, 0.8)), draw(st.floats(-0.4, 0.4)),
                         size[2] / 2 + draw(st.sampled_from((0.0, 0.0, -0.01, 0.05, 0.2))),
                         pitch=tilt, yaw=draw(st.floats(-3, 3)))
    return SceneObject('', shape, size, pose, draw(st.sampled_from(tuple(RGB))))


@st.composite
def frames(draw: st.DrawFn) -> CameraFrame:
    """A picture of some solids, with patches of bad depth and of any colour."""
    with np.errstate(all='ignore'):
        frame = picture(*draw(st.lists(solids(), max_size=4)),
                        depth_noise=draw(st.sampled_from((0.0, 0.0, 0.002, 0.01))))
    rgb, depth = frame.rgb.copy(), frame.depth.copy()
    for _ in range(draw(st.integers(0, 3))):
        row, column = draw(st.integers(0, SIZE[0] - 2)), draw(st.integers(0, SIZE[1] - 2))
        patch = np.s_[row:row + draw(st.integers(1, 200)), column:column + draw(
            st.integers(1, 200))]
        if draw(st.booleans()):
            depth[patch] = draw(st.sampled_from(BAD_DEPTHS))
        else:
            depth[patch] += draw(st.floats(-0.2, 0.2))
        rgb[patch] = draw(st.sampled_from(tuple(RGB.values())))
    return CameraFrame(frame.stamp, rgb, depth, frame.intrinsics, frame.T_base_camera)


def check_usable(scene: Scene) -> None:
    """Everything that a task does with a scene before the arm moves."""
    assert all(math.isfinite(v) for o in scene.objects for v in (*o.size, *o.position))
    assert len(set(scene.names())) == len(scene.objects)
    buildable = with_buildable_things(scene)
    for before, after in zip(scene.objects, buildable.objects):
        if after is not before:
            assert after.shape is Shape.IRREGULAR
            assert any(before.name in warning for warning in buildable.warnings)
    build_twin(scene, PANDA)
    checker = MujocoCollisionChecker(PANDA)
    checker.use(MotionRequest(scene))
    assert math.isfinite(checker.clearance(np.array(franka.HOME)))
    for thing in buildable.objects:
        if thing.movable:
            for grasp in AnyGrasps(PANDA.hand).candidates(thing, buildable):
                assert 0 < grasp.opening <= PANDA.hand.max_width_m
    again = Scene.from_dict(json.loads(json.dumps(scene.as_dict(), allow_nan=False)))
    assert [(o.name, [p.guessed for p in o.pieces]) for o in again.objects] == [
        (o.name, [p.guessed for p in o.pieces]) for o in scene.objects]


@few
@given(st.lists(frames(), min_size=1, max_size=2), st.floats(0, 0.08))
def test_any_pictures_give_scenes_that_can_be_planned_in_or_failed_looks(shown, width):
    eyes = perception(*shown, robot=StillRobot(width=width))
    for _ in shown:
        try:
            scene = eyes.observe(Context())
        except PerceptionError:
            continue
        check_usable(scene)


@given(st.lists(st.tuples(*[st.floats(-0.2, 0.2)] * 3), min_size=1, max_size=30),
       st.sampled_from((1.0, 1e-3, 1e-7)))
def test_any_cloud_becomes_a_piece_that_can_be_built(points, scale):
    cloud = np.array(points) * scale
    piece = Piece.around(cloud)
    assert piece.volume > 0 and np.ptp(piece.corners, axis=0).max() >= LEAST_M / 2
    size = tuple(float(v) for v in np.maximum(np.ptp(piece.corners, axis=0), LEAST_M))
    thing = SceneObject('it', Shape.IRREGULAR, size, Pose((0.5, 0.0, 0.3)), pieces=(piece,))
    check_usable(Scene('s', 0.0, (thing,), 'camera'))
