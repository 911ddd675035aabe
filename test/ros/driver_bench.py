# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot on the protocols of a real Franka, with a stand-in for its drivers, in one process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from fake_driver import FakeDriver
from rig import WAIT_S, until

from replan_agent.domain.context import Context
from replan_agent.motion.timing import time_joint_move
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.ros_control_robot import RosControlRobot

NAMES = ArmInterfaces(
    joint_states='franka/joint_states', finger_states='franka_gripper/joint_states',
    gripper_action='franka_gripper/gripper_action', gripper_driver='franka',
    franka_state='franka_robot_state_broadcaster/robot_state', external_torques='none',
    server_timeout=20.0, driver_silence=30.0, standstill_timeout=20.0)


class DriverBench:
    """A stand-in for the drivers of an arm, and robots that command it."""

    def __init__(self, driver: FakeDriver, robots: dict[str, RosControlRobot]) -> None:
        self.driver, self.robots = driver, robots
        self.robot = robots['franka']

    def motion(self, angle: float = 0.3) -> Any:
        start = self.driver.joints.copy()
        until(lambda: np.allclose(self.robot.state().joints, start))
        goal = start.copy()
        goal[0] += angle
        return time_joint_move(start, goal, self.robot.limits, 0.1, 0.1)

    def execute(self) -> Any:
        return self.robot.execute(self.motion(), Context())

    def while_it_moves(self, act: Callable[[], None]) -> threading.Thread:
        self.driver.hold, self.driver.ending = True, None
        self.driver.moving.clear()

        def run() -> None:
            assert self.driver.moving.wait(WAIT_S)
            act()

        thread = threading.Thread(target=run)
        thread.start()
        return thread
