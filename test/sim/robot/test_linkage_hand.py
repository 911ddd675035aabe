# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A hand of links: its fingers follow the width as its map says, and it holds things."""

from __future__ import annotations

import numpy as np
import pytest
from linkage_arm import linkage_arm

from replan_agent.domain.context import Context
from replan_agent.domain.hand_shape import polynomial
from replan_agent.domain.motion_sample import MotionSample
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot, sample_of
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.world import World

ARM, FINGERS = linkage_arm(), ('leftfinger', 'rightfinger')


@pytest.fixture
def linked(make_bench):
    def make(*objects):
        bench = make_bench()
        bench.world = World(SceneSpec('bench', objects=objects), ARM)
        bench.robot = MujocoRobot(bench.world)
        return bench

    return make


def pads(world: World) -> tuple[float, float]:
    """How far apart the pads are, and how far out of the TCP, in the hand (m)."""
    world.refresh_view()
    hand = np.linalg.inv(pose(world, 'hand'))
    left, right = (hand @ pose(world, part) @ [0, 0, 0, 1] for part in FINGERS)
    return left[1] - right[1], left[2] + world.arm.gripper.fingers[1].pads[0].centre[2] - (
        world.arm.hand.tcp_m)


def pose(world: World, part: str) -> np.ndarray:
    T = np.eye(4)
    body = world.data.body(world.arm.frame(part))
    T[:3, :3], T[:3, 3] = body.xmat.reshape(3, 3), body.xpos
    return T


@pytest.mark.parametrize('width', [0.0, 0.02, 0.05, 0.08])
def test_its_pads_are_as_far_apart_as_asked_and_where_the_map_says(linked, width) -> None:
    bench = linked()
    bench.robot.move_gripper(0.04, Context())
    assert bench.robot.move_gripper(width, Context()).success
    assert bench.robot.state().gripper_width == pytest.approx(width, abs=1e-3)
    apart, out = pads(bench.world)
    assert apart == pytest.approx(width, abs=1e-3)
    assert out == pytest.approx(polynomial(ARM.hand.drop, width), abs=1e-3)
    frames = ARM.gripper.frames(bench.robot.state().gripper_width)
    seen = np.linalg.inv(pose(bench.world, 'hand')) @ pose(bench.world, 'rightfinger')
    assert np.allclose(frames['rightfinger'], seen, atol=1e-3)


@pytest.mark.parametrize('force', [15.0, 40.0])
def test_it_lifts_a_cube_with_the_force_asked_for(linked, thing, force) -> None:
    bench = linked(thing())
    assert bench.grasp('cube', force).success
    state, cube = bench.robot.state(), bench.thing('cube')
    assert state.gripper_force == pytest.approx(force, rel=0.05)
    assert state.gripper_width == pytest.approx(0.04, abs=1e-3)
    assert cube.position[2] > 0.15
    sample = sample_of(bench.world)
    assert isinstance(sample, MotionSample) and sample.gripper_m == state.gripper_width
