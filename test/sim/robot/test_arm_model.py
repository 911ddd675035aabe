# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated arm is the published one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.arm_names import ARM_NAMES
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.pose import FloatArray
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.world import World


@pytest.fixture(scope='module', params=ARM_NAMES)
def world(request: pytest.FixtureRequest) -> World:
    return World(SceneSpec('empty'), arm_named(request.param))


def rotated(axis: str, angle: float, x: float = 0.0, z: float = 0.0) -> FloatArray:
    """A turn about x or z and a shift along x and z."""
    c, s = math.cos(angle), math.sin(angle)
    T = np.eye(4)
    T[:3, :3] = [[1, 0, 0], [0, c, -s], [0, s, c]] if axis == 'x' else [
        [c, -s, 0], [s, c, 0], [0, 0, 1]]
    T[0, 3], T[2, 3] = x, z
    return T


def dh_tool_pose(joints: FloatArray) -> FloatArray:
    """The published chain, multiplied out as Craig writes it."""
    T = np.eye(4)
    for q, a, d, alpha in zip(joints, franka.DH_A, franka.DH_D, franka.DH_ALPHA):
        T = T @ rotated('x', alpha, x=a) @ rotated('z', q, z=d)
    return T @ rotated('z', franka.HAND_YAW, z=franka.FLANGE_M + franka.TCP_M)


def test_the_tool_is_where_the_dh_chain_puts_it(world: World) -> None:
    limits, data = world.arm.limits, mujoco.MjData(world.model)
    tool = data.site(world.arm.frame('hand_tcp'))
    for joints in np.random.default_rng(0).uniform(limits.lower, limits.upper, (200, 7)):
        data.qpos[:7] = joints
        mujoco.mj_kinematics(world.model, data)
        expected = dh_tool_pose(joints)
        assert np.abs(tool.xpos - expected[:3, 3]).max() < 1e-9
        assert np.abs(tool.xmat.reshape(3, 3) - expected[:3, :3]).max() < 1e-9


def test_joints_have_the_published_ranges_and_efforts(world: World) -> None:
    limits = world.arm.limits
    for i, name in enumerate(limits.names):
        joint = world.model.joint(name)
        assert joint.range == pytest.approx([limits.lower[i], limits.upper[i]])
        assert world.model.jnt_actfrcrange[joint.id] == pytest.approx(
            [-limits.effort[i], limits.effort[i]])


def test_links_weigh_what_was_published(world: World) -> None:
    for i, link in enumerate(world.arm.dynamics.links):
        assert world.model.body(world.arm.frame(f'link{i}')).mass[0] == pytest.approx(link.mass)


def test_link_inertias_are_the_published_ones(world: World) -> None:
    for i, link in enumerate(world.arm.dynamics.links):
        xx, yy, zz, xy, xz, yz = link.tensor
        published = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        inertia = np.sort(world.model.body(world.arm.frame(f'link{i}')).inertia)
        assert inertia == pytest.approx(published, rel=1e-3, abs=1e-6)


def test_the_arm_holds_still_at_home_without_sagging(world: World) -> None:
    world.step(1000)
    assert world.data.qpos[:7] == pytest.approx(np.array(franka.HOME), abs=1e-6)


def test_nothing_touches_at_home(world: World) -> None:
    data = mujoco.MjData(world.model)
    mujoco.mj_copyData(data, world.model, world.data)
    mujoco.mj_collision(world.model, data)
    assert data.ncon == 0


def test_looks_touch_nothing_and_wraps_are_not_seen(world: World) -> None:
    model = world.drawn()[0]
    arm = [g for g in range(model.ngeom)
           if model.body(model.geom_bodyid[g]).name.startswith(world.arm.name)]
    for g in arm:
        seen, touches = model.geom_group[g] <= 2, model.geom_contype[g] > 0
        assert seen != touches


def test_another_model_name_is_an_error_that_lists_the_models() -> None:
    with pytest.raises(ValueError, match='panda, fr3'):
        World(SceneSpec('empty'), arm_named('ur5'))
