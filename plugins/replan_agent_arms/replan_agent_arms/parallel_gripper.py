# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A gripper behind control_msgs/ParallelGripperCommand, as ros2_controllers offers it."""

from __future__ import annotations

from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.node import Node
from sensor_msgs.msg import JointState

from replan_agent.arms.arm_model import ArmModel
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.grippers import Gripper, GripperReport, Order
from replan_agent.ros.rclpy_tools.timeouts import Timeouts


class ParallelGripper(Gripper):
    """`gripper_driver: parallel_gripper`. The command names the joint."""

    def __init__(self, node: Node, arm: ArmModel, names: ArmInterfaces,
                 timeouts: Timeouts) -> None:
        from control_msgs.action import ParallelGripperCommand  # Humble may lack it

        super().__init__(node, arm, names, timeouts, ParallelGripperCommand)
        self._goal, self._joint = ParallelGripperCommand.Goal, arm.ros.gripper.reads[0]

    def report(self, answer: Any) -> GripperReport:
        result = answer.result
        done = answer.status == GoalStatus.STATUS_SUCCEEDED or result.stalled
        return GripperReport(done, tuple(self._hand.width([position]) for position in
                                         result.state.position), fault=not done)

    def _order(self, position: float, *effort: float) -> Order:
        """Without an effort, the controller uses its configured one."""
        return self._port, self._goal(command=JointState(
            name=[self._joint], position=[position], effort=list(effort)))
