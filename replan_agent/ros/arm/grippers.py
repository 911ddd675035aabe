"""Commands for a gripper: the two actions of control_msgs, and those of Franka's driver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from action_msgs.msg import GoalStatus
from control_msgs.action import GripperCommand
from control_msgs.msg import GripperCommand as GripperCommandMsg
from rclpy.node import Node
from sensor_msgs.msg import JointState

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import ConfigError
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
        self.ports = (self._port,)

    def homing_order(self) -> Order | None:
        return None


class CommandedGripper(_OneAction):
    """control_msgs/GripperCommand; the position is that of one finger."""

    def move_order(self, width: float) -> Order:
        return self._order(width, 0.0)

    def grasp_order(self, force: float) -> Order:
        return self._order(0.0, force)

    def report(self, answer: Any) -> GripperReport:
        """franka_gripper reports the whole width, other drivers the position of one finger."""
        result = answer.result
        done = answer.status == GoalStatus.STATUS_SUCCEEDED or result.stalled
        text = ('' if done else 'it neither stalled nor succeeded; for franka_gripper set '
                'gripper_driver to franka')
        return GripperReport(done, (2 * result.position, result.position), text, not done)

    def _order(self, width: float, effort: float) -> Order:
        command = GripperCommandMsg(position=width / 2, max_effort=float(effort))
        return self._port, GripperCommand.Goal(command=command)


class ParallelGripper(_OneAction):
    """control_msgs/ParallelGripperCommand, as ros2_controllers' gripper controller offers it."""

    def __init__(self, node: Node, arm: ArmModel, names: ArmInterfaces,
                 timeouts: Timeouts) -> None:
        from control_msgs.action import ParallelGripperCommand  # Humble may lack it

        super().__init__(node, arm, names, timeouts, ParallelGripperCommand)
        self._goal, self._joint = ParallelGripperCommand.Goal, arm.finger_names[0]

    def move_order(self, width: float) -> Order:
        return self._order(width)

    def grasp_order(self, force: float) -> Order:
        return self._order(0.0, float(force))

    def report(self, answer: Any) -> GripperReport:
        result = answer.result
        done = answer.status == GoalStatus.STATUS_SUCCEEDED or result.stalled
        return GripperReport(done, tuple(2 * position for position in result.state.position),
                             fault=not done)

    def _order(self, width: float, *effort: float) -> Order:
        """Without an effort, the controller uses its configured one."""
        return self._port, self._goal(command=JointState(
            name=[self._joint], position=[width / 2], effort=list(effort)))


class FrankaGripper:
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
                           in zip(self._kinds, names.gripper_actions_for(arm)))

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


def make_gripper(node: Node, arm: ArmModel, names: ArmInterfaces, timeouts: Timeouts) -> Gripper:
    """The gripper that `gripper_driver` names."""
    kinds: dict[str, Any] = {'gripper_command': CommandedGripper, 'franka': FrankaGripper,
                             'parallel_gripper': ParallelGripper}
    made: Gripper = kinds[names.gripper_driver](node, arm, names, timeouts)
    return made
