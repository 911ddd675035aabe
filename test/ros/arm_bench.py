# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A simulated arm behind ROS, and a robot that commands it through ROS alone, in one process."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from rclpy.parameter import Parameter
from replan_agent_sim.sim_node import SimNode
from replan_agent_sim.truth_topic import RosTruth
from rig import WAIT_S, finished

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_ik import AnalyticIK
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.timing import time_joint_move
from replan_agent.robot.mujoco.scene.scene_spec import CameraSpec, Colour, ObjectSpec, SceneSpec
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.ros_control_robot import RosControlRobot
from replan_agent.ros.rclpy_tools.node_process import Spinning

PATIENT = ArmInterfaces(server_timeout=20.0, driver_silence=30.0, standstill_timeout=20.0)
CUBE = ObjectSpec('cube', Shape.BOX, (0.04, 0.04, 0.04), Colour.named('red'), (0.5, 0.1, None))
SCENE = SceneSpec('bench', objects=(CUBE,), camera=CameraSpec(size=(160, 120)))


class ArmBench:
    """`sim` is the arm; `robot` and `truth` use only its topics and actions."""

    def __init__(self, ros: Any, interfaces: ArmInterfaces = PATIENT, **parameters: Any) -> None:
        self.sim = SimNode(SCENE, parameter_overrides=overrides(**parameters))
        self.node = ros.create_node('commander')
        self.robot = RosControlRobot(self.node, PANDA, interfaces=interfaces)
        self.truth = RosTruth(self.node, lambda: self.robot.state().stamp)
        self._spinning = Spinning([self.sim, self.node])
        self._spinning.__enter__()

    def close(self) -> None:
        self._spinning.__exit__()

    def cube(self) -> SceneObject:
        return next(thing for thing in self.truth() if thing.name == 'cube')

    def trajectory(self, goal: FloatArray, scale: float = 0.5) -> JointTrajectory:
        return time_joint_move(self.robot.state().joints, goal, self.robot.limits, scale, scale)

    def turn(self, angle: float, scale: float = 0.5) -> JointTrajectory:
        """A turn about the base, from the current joints."""
        goal = self.robot.state().joints.copy()
        goal[0] += angle
        return self.trajectory(goal, scale)

    def above(self, x: float, y: float, z: float) -> FloatArray:
        """Joints with the tool there, pointing down."""
        target = Pose.from_rpy(x, y, z, roll=math.pi, yaw=-math.pi / 2).matrix()
        joints = AnalyticIK(self.robot.limits).solve_nearest(target, self.robot.state().joints)
        assert joints is not None
        return joints

    def go(self, x: float, y: float, z: float, scale: float = 0.5,
           guard: ContactGuard | None = None) -> CommandResult:
        return self.robot.execute(self.trajectory(self.above(x, y, z), scale), Context(), guard)

    def during_motion(self, act: Callable[[], None]) -> threading.Thread:
        """Runs `act` once the simulated arm moves."""
        moving = threading.Event()

        def look() -> None:
            if self.speed() > 0.1:
                moving.set()

        end = self.sim.world.on_step(look, every_s=0.02)

        def run() -> None:
            assert moving.wait(WAIT_S), 'the arm did not move'
            end()
            act()

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def speed(self) -> float:
        """Of the fastest joint of the simulated arm, as it really is (rad/s)."""
        return float(np.abs(self.sim.world.data.qvel[:7]).max())


def overrides(**parameters: Any) -> list[Parameter]:
    """Parameters of a node; two underscores stand for the dot of a group."""
    return [Parameter(name.replace('__', '.'), value=value) for name, value in parameters.items()]


def ask(node: Any, kind: Any, name: str) -> Any:
    """The answer of a service without arguments."""
    client = node.create_client(kind, name)
    assert client.wait_for_service(timeout_sec=WAIT_S), f'no service {name}'
    return finished(client.call_async(kind.Request()))
