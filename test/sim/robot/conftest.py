# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm in a world of a few objects, and a way to move it about."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from replan_agent.arms.franka_ik import AnalyticIK
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.timing import time_joint_move
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec
from replan_agent.robot.mujoco.world import World


@dataclass
class Bench:
    """A world, its robot, and moves by tool pose."""

    world: World
    robot: MujocoRobot

    def thing(self, name: str) -> SceneObject:
        return next(o for o in self.world.true_objects() if o.name == name)

    def trajectory(self, goal: FloatArray, scale: float = 0.5) -> JointTrajectory:
        start = self.robot.state().joints
        return time_joint_move(start, goal, self.robot.limits, scale, scale)

    def joints_above(self, x: float, y: float, z: float, yaw: float = 0.0) -> FloatArray:
        """Joints that put the tool there, pointing down, closing along `yaw`."""
        target = Pose.from_rpy(x, y, z, roll=math.pi, yaw=yaw - math.pi / 2).matrix()
        arm = self.world.arm.kinematics
        joints = AnalyticIK(arm.limits).solve_nearest(target, self.robot.state().joints)
        assert joints is not None
        return joints

    def go(self, x: float, y: float, z: float, yaw: float = 0.0) -> None:
        joints = self.joints_above(x, y, z, yaw)
        result = self.robot.execute(self.trajectory(joints), Context())
        assert result.success, result.detail

    def grasp(self, name: str, force: float = 30.0) -> CommandResult:
        """Grasp it from above across its own x axis, and lift it by 15 cm."""
        target = self.thing(name)
        x, y, z = target.position
        self.go(x, y, z + 0.15, target.pose.yaw)
        self.go(x, y, z, target.pose.yaw)
        result = self.robot.grasp(force, Context())
        self.go(x, y, z + 0.15, target.pose.yaw)
        return result

    def tool_to(self, name: str) -> FloatArray:
        """T_tcp_object as it really is."""
        arm = self.world.arm.kinematics
        T_base_tcp = arm.forward(self.robot.state().joints)
        return np.linalg.inv(T_base_tcp) @ self.thing(name).pose.matrix()


@pytest.fixture
def make_bench() -> Callable[..., Bench]:
    def make(*objects: ObjectSpec, model: str = 'panda') -> Bench:
        world = World(SceneSpec('bench', objects=objects), arm_named(model))
        return Bench(world, MujocoRobot(world))

    return make


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()


@pytest.fixture
def thing() -> Callable[..., ObjectSpec]:
    """A red object; by default a 40 mm cube in front of the arm."""

    def make(name: str = 'cube', shape: Shape = Shape.BOX,
             size: tuple[float, float, float] = (0.04, 0.04, 0.04),
             position: tuple[float, float, float | None] = (0.5, 0.1, None),
             **rest: object) -> ObjectSpec:
        return ObjectSpec(name, shape, size, Colour.named('red'), position, **rest)

    return make
