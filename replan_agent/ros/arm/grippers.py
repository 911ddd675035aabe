"""Commands for a gripper: the two actions of control_msgs; others are in their own packages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from action_msgs.msg import GoalStatus
from control_msgs.action import GripperCommand
from control_msgs.msg import GripperCommand as GripperCommandMsg
from rclpy.node import Node
from sensor_msgs.msg import JointState

from replan_agent.app.build.plugins import GRIPPERS, offered
from replan_agent.arms.arm_model import ArmModel
from replan_agent.ros.rclpy_tools.action_port import ActionPort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

from .arm_interfaces import ArmInterfaces


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


class Gripper(Protocol):
    def __init__(self, node: Node, arm: ArmModel, names: ArmInterfaces,
                 timeouts: Timeouts) -> None: ...

    @staticmethod
    def actions(gripper_action: str) -> tuple[str, ...]:
        """The actions that it may be busy with, from the setting of that name."""

    @property
    def ports(self) -> tuple[ActionPort, ...]: ...

    def move_order(self, width: float) -> Order:
        """Move to `width` (m between the pads)."""

    def grasp_order(self, force: float) -> Order:
        """Close until the fingers stop, then press with `force` (N)."""

    def homing_order(self) -> Order | None:
        """Find the end stops; None if the driver has no such action."""

    def report(self, answer: Any) -> GripperReport: ...


class _OneAction:
    """A gripper of control_msgs: one action moves and grasps, and it has no homing."""

    def __init__(self, node: Node, arm: ArmModel, names: ArmInterfaces, timeouts: Timeouts,
                 action: Any = GripperCommand) -> None:
        self._port = ActionPort(node, action, names.gripper_action_for(arm), 'the gripper',
                                timeouts)
        self._hand = arm.gripper
        self.ports = (self._port,)

    @staticmethod
    def actions(gripper_action: str) -> tuple[str, ...]:
        return (gripper_action,)

    def move_order(self, width: float) -> Order:
        return self._order(self._hand.commanded(width))

    def grasp_order(self, force: float) -> Order:
        return self._order(self._hand.commanded(0.0), float(force))

    def homing_order(self) -> Order | None:
        return None

    def _order(self, position: float, *effort: float) -> Order:
        raise NotImplementedError


class CommandedGripper(_OneAction):
    """control_msgs/GripperCommand; the position is that of a joint of the fingers."""

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


class ParallelGripper(_OneAction):
    """control_msgs/ParallelGripperCommand, as ros2_controllers' gripper controller offers it."""

    def __init__(self, node: Node, arm: ArmModel, names: ArmInterfaces,
                 timeouts: Timeouts) -> None:
        from control_msgs.action import ParallelGripperCommand  # Humble may lack it

        super().__init__(node, arm, names, timeouts, ParallelGripperCommand)
        self._goal, self._joint = ParallelGripperCommand.Goal, arm.finger_names[0]

    def report(self, answer: Any) -> GripperReport:
        result = answer.result
        done = answer.status == GoalStatus.STATUS_SUCCEEDED or result.stalled
        return GripperReport(done, tuple(self._hand.width([position]) for position in
                                         result.state.position), fault=not done)

    def _order(self, position: float, *effort: float) -> Order:
        """Without an effort, the controller uses its configured one."""
        return self._port, self._goal(command=JointState(
            name=[self._joint], position=[position], effort=list(effort)))


def gripper_kind(driver: str) -> type[Gripper]:
    """The kind of gripper that `gripper_driver` names: ours, or that of a driver's package."""
    kinds: dict[str, Any] = {'gripper_command': CommandedGripper,
                             'parallel_gripper': ParallelGripper}
    kind: type[Gripper] = kinds.get(driver) or offered(GRIPPERS, driver)
    return kind
