# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The table of failures (test/shared) on RosControlRobot.

The robot commands a stand-in of a Franka's drivers (fake_driver.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import failure_table as table
import pytest
from driver_bench import NAMES, DriverBench
from fake_driver import Codes, FakeDriver
from franka_msgs.msg import FrankaRobotState
from rig import until

from replan_agent.arms.franka import FR3
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.robot_state import CommandResult
from replan_agent.ros.arm.ros_control_robot import RosControlRobot
from replan_agent.ros.rclpy_tools.node_process import Spinning


class Arm(DriverBench):
    """The arm over ROS, and each failure provoked on it."""

    def ended_with(self, code: int) -> CommandResult:
        self.driver.ending = (code, 'for a test')
        return self.execute()

    def blocked_gripper(self) -> CommandResult:
        self.driver.object_m = 0.05
        return self.robot.move_gripper(0.02, Context())

    def collide(self) -> None:
        self.driver.errors = ('cartesian_reflex',)
        self.driver.mode = FrankaRobotState.ROBOT_MODE_REFLEX

    def meanwhile(self, act: Callable[[], None]) -> CommandResult:
        thread = self.while_it_moves(act)
        try:
            return self.execute()
        finally:
            thread.join()

    def stop(self) -> None:
        until(lambda: self.robot.state().velocities.max() > 0.1)
        self.robot.stop()

    def inactive(self) -> CommandResult:
        self.driver.controllers = {'fr3_arm_controller': 'inactive'}
        return self.execute()

    def late(self) -> CommandResult:
        self.driver.hold = True
        moving = self.driver.moving.is_set
        return self.robot.execute(self.motion(), Context(
            deadline=1.0, now=lambda: 2.0 if moving() else 0.0))

    def provoke(self, name: str) -> Callable[[], CommandResult]:
        return {
            'held up': lambda: self.ended_with(Codes.PATH_TOLERANCE_VIOLATED),
            'refused': lambda: self.ended_with(Codes.INVALID_GOAL),
            'gripper blocked': self.blocked_gripper,
            'contact': lambda: self.meanwhile(self.collide),
            'stopped': lambda: self.meanwhile(self.stop),
            'error': self.inactive,
            'too long': self.late,
        }[name]


@pytest.fixture
def arm(ros: Any) -> Iterator[Arm]:
    driver, node = FakeDriver(), ros.create_node('commander')
    robot = RosControlRobot(node, FR3, interfaces=NAMES)
    with Spinning([driver, node]):
        robot.await_driver(20.0)
        yield Arm(driver, {'franka': robot})
        driver.close()


@pytest.mark.parametrize(('failure', 'source'), table.failures_of(table.ROS_ROBOT),
                         ids=table.name_of)
def test_the_failure_of_a_robot_over_ros_is_found(failure: table.Failure, source: str,
                                                  arm: Arm) -> None:
    table.check(failure, table.result_of(arm.provoke(failure.name)), table.planning_scene())


@pytest.mark.parametrize(('code', 'cause'), [
    (Codes.PATH_TOLERANCE_VIOLATED, Cause.HELD_UP),
    (Codes.GOAL_TOLERANCE_VIOLATED, Cause.HELD_UP),
    (Codes.INVALID_GOAL, Cause.TRAJECTORY_REFUSED),
    (Codes.INVALID_JOINTS, Cause.TRAJECTORY_REFUSED),
    (Codes.OLD_HEADER_TIMESTAMP, Cause.TRAJECTORY_REFUSED),
    (-77, Cause.CONTROLLER_ERROR),
])
def test_every_code_of_a_controller_has_its_cause(code: int, cause: Cause, arm: Arm) -> None:
    assert arm.ended_with(code).cause is cause
