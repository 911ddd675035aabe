# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The gripper behind the actions of franka_gripper."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import ConfigError
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.grippers import Gripper, GripperReport, Order
from replan_agent.ros.rclpy_tools.action_port import ActionPort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts


class FrankaGripper(Gripper):
    """franka_msgs Move, Grasp and Homing, as franka_gripper offers them."""

    def __init__(self, node: Node, arm: ArmModel, names: ArmInterfaces,
                 timeouts: Timeouts) -> None:
        try:
            from franka_msgs.action import Grasp, Homing, Move
        except ImportError as error:
            raise ConfigError('gripper_driver: franka needs franka_msgs, which is part of '
                              'franka_ros2: colcon build --packages-up-to franka_msgs; or set '
                              'gripper_driver to gripper_command') from error
        self._kinds = (Move, Grasp, Homing)
        self._speed = names.gripper_speed
        self._any_width_m = arm.hand.max_width_m  # a grasp may end there; the caller judges it
        self.ports = tuple(ActionPort(node, kind, name, 'the gripper', timeouts) for kind, name
                           in zip(self._kinds, self.actions(names.of(arm).gripper_action)))

    @staticmethod
    def actions(gripper_action: str) -> tuple[str, ...]:
        driver = gripper_action.rsplit('/', 1)[0]
        return tuple(f'{driver}/{name}' for name in ('move', 'grasp', 'homing'))

    def move_order(self, width: float) -> Order:
        return self.ports[0], self._kinds[0].Goal(width=float(width), speed=self._speed)

    def grasp_order(self, force: float) -> Order:
        goal = self._kinds[1].Goal(width=0.0, speed=self._speed, force=float(force))
        goal.epsilon.inner = goal.epsilon.outer = self._any_width_m
        return self.ports[1], goal

    def homing_order(self) -> Order | None:
        return self.ports[2], self._kinds[2].Goal()

    def report(self, answer: Any) -> GripperReport:
        """Fingers that stop on something end a move without success, and without an error."""
        result = answer.result
        return GripperReport(bool(result.success), text=result.error,
                             fault=not result.success and bool(result.error))
