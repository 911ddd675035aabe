# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands for a gripper: control_msgs/GripperCommand; others are in packages of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from action_msgs.msg import GoalStatus
from control_msgs.action import GripperCommand
from control_msgs.msg import GripperCommand as GripperCommandMsg
from rclpy.node import Node

from replan_agent.app.build.plugins import GRIPPERS, offered
from replan_agent.arms.arm_model import ArmModel
from replan_agent.ros.rclpy_tools.action_port import ActionPort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

from .arm_interfaces import COMMANDED, NONE, ArmInterfaces


@dataclass(frozen=True)
class GripperReport:
    """What a gripper's driver reports at the end of a command.

    `widths` are possible distances between the pads (m), if reported; `gripped`: the pads press on
    something, or are fully closed; `fault`: the driver itself failed, so the fingers need not have
    met anything.
    """

    gripped: bool
    widths: tuple[float, ...] = ()
    text: str = ''
    fault: bool = False


Order = tuple[ActionPort, Any]  # an action and the goal for it


class Gripper:
    """control_msgs/GripperCommand, whose position is that of a joint of the fingers.

    One action moves and grasps. A gripper of another kind gives its own orders and reports.
    """

    ports: tuple[ActionPort, ...]

    def __init__(self, node: Node, arm: ArmModel, names: ArmInterfaces, timeouts: Timeouts,
                 action: Any = GripperCommand) -> None:
        self._port = ActionPort(node, action, names.of(arm).gripper_action, 'the gripper',
                                timeouts)
        self._hand, self.ports = arm.ros.gripper, (self._port,)

    @staticmethod
    def actions(gripper_action: str) -> tuple[str, ...]:
        """The actions that it may be busy with, from the setting of that name."""
        return (gripper_action,)

    def move_order(self, width: float) -> Order | None:
        """Move to `width` (m between the pads); None without a gripper."""
        return self._order(self._hand.commanded(width))

    def grasp_order(self, force: float) -> Order | None:
        """Close until the fingers stop, then press with `force` (N)."""
        return self._order(self._hand.commanded(0.0), float(force))

    def homing_order(self) -> Order | None:
        """Find the end stops; None if the driver has no such action."""
        return None

    def report(self, answer: Any) -> GripperReport:
        """franka_gripper reports the whole width, other drivers the position of one finger."""
        result = answer.result
        done = answer.status == GoalStatus.STATUS_SUCCEEDED or result.stalled
        text = ('' if done else 'it neither stalled nor succeeded; for franka_gripper set '
                'gripper_driver to franka')
        widths = (self._hand.width([result.position]), result.position)
        return GripperReport(done, widths, text, not done)

    def _order(self, position: float, *effort: float) -> Order:
        return self._port, GripperCommand.Goal(command=GripperCommandMsg(
            position=position, max_effort=sum(effort, 0.0)))


class NoGripper(Gripper):
    """Fake hardware, or an arm without a hand: there is nothing to order."""

    def __init__(self, *_: object) -> None:
        self.ports = ()

    @staticmethod
    def actions(gripper_action: str) -> tuple[str, ...]:
        return ()

    def move_order(self, width: float) -> Order | None:
        return None

    def grasp_order(self, force: float) -> Order | None:
        return None


def gripper_kind(driver: str) -> type[Gripper]:
    """The kind of gripper that `gripper_driver` names: ours, or that of another package."""
    ours = {COMMANDED: Gripper, NONE: NoGripper}
    return ours.get(driver) or cast(type[Gripper], offered(GRIPPERS, driver))
