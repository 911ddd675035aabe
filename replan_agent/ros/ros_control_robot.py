"""The Robot over ros2_control's interfaces: the same for hardware, Gazebo and sim_node.

It never spins: an executor elsewhere does, with threads to spare. Every wait has an end.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from control_msgs.action import FollowJointTrajectory, GripperCommand
from control_msgs.msg import GripperCommand as GripperCommandMsg
from control_msgs.msg import JointTolerance
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from replan_agent.agent.ports import NodeLost
from replan_agent.domain import franka
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot import CommandResult, ContactGuard, RobotState
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointLimits, JointTrajectory

from .action_port import ActionPort
from .arm_conversions import duration_to_msg, trajectory_to_msg
from .arm_interfaces import ArmInterfaces
from .contact_watch import ContactWatch
from .joint_feed import JointFeed, RobotSilent
from .settings import Patience
from .stop_latch import NoStandstill
from .watched_context import WatchedContext

__all__ = ['RobotSilent', 'RosControlRobot']

GRIPPER_S = 10.0  # of robot time; a full stroke takes less than one
WALL_FACTOR = 10.0  # a simulation may be this much slower than real time
REACHED_M = 0.002
CODES = {getattr(FollowJointTrajectory.Result, name): name for name in (
    'SUCCESSFUL', 'INVALID_GOAL', 'INVALID_JOINTS', 'OLD_HEADER_TIMESTAMP',
    'PATH_TOLERANCE_VIOLATED', 'GOAL_TOLERANCE_VIOLATED')}


class RosControlRobot:
    """A Franka behind FollowJointTrajectory, GripperCommand and JointState.

    One command at a time; `stop` may come from any thread. A guard works where the driver tells
    of external torques; where it does not, contacts are not felt and a warning says so, once.
    Set `refusal` to a stop latch's: while it says why nothing may move, no command is begun.
    """

    def __init__(self, node: Node, model: str = 'panda', base_frame: str = '',
                 interfaces: ArmInterfaces | None = None) -> None:
        self._node, self._given = node, interfaces or ArmInterfaces()
        self._limits = franka.limits(model)
        self._base_frame = base_frame or f'{model}_link0'
        fingers = (f'{model}_finger_joint1', f'{model}_finger_joint2')
        self._feed = JointFeed(node, self._limits.names, fingers, self._given)
        self._feed.on_arrival = self._hear
        wait_s = self._given.server_timeout
        patience = Patience(appear_timeout=wait_s, answer_timeout=wait_s,
                            silence_timeout=self._given.driver_silence,
                            stop_timeout=self._given.standstill_timeout)
        actions = (self._given.trajectory_of(model), self._given.gripper_of(model))
        self._arm = ActionPort(node, FollowJointTrajectory, actions[0], 'the arm', patience)
        self._hand = ActionPort(node, GripperCommand, actions[1], 'the gripper', patience)
        self._cancel_all = [
            node.create_client(CancelGoal, f'{name}/_action/cancel_goal',
                               callback_group=ReentrantCallbackGroup()) for name in actions]
        self._one_command = threading.Lock()
        self._stop_asked = threading.Event()
        self._warned = False
        self.refusal: Callable[[], str] = lambda: ''

    @property
    def limits(self) -> JointLimits:
        return self._limits

    @property
    def home(self) -> FloatArray:
        return np.array(franka.HOME)

    @property
    def base_frame(self) -> str:
        return self._base_frame

    @property
    def max_gripper_width(self) -> float:
        return franka.MAX_GRIPPER_WIDTH_M

    def state(self) -> RobotState:
        """The newest state; raises RobotSilent when the driver does not tell a fresh one."""
        return self._feed.state()

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        """Follow a trajectory that starts where the arm is now; returns at standstill."""
        tolerance = self._given.goal_tolerance
        goal = FollowJointTrajectory.Goal(
            trajectory=trajectory_to_msg(trajectory),
            goal_tolerance=[JointTolerance(name=name, position=tolerance)
                            for name in trajectory.names],
            goal_time_tolerance=duration_to_msg(self._given.goal_time_tolerance))
        with self._felt(guard) as contact:
            answer = self._command(self._arm, goal, ctx, trajectory.duration, contact)
            if isinstance(answer, CommandResult):
                return answer
            if contact():
                assert guard is not None
                reason = None if guard.expected else Reason.IN_COLLISION
                return CommandResult(guard.expected, reason, contact(), contact=True)
        return _followed(answer)

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        """Open or close to `width` (m between the pads)."""
        if not 0 <= width <= self.max_gripper_width:
            return _aborted(f'gripper width {width:.4g} m is outside 0 to '
                            f'{self.max_gripper_width:g} m')
        answer = self._grip(width, 0.0, ctx)
        if isinstance(answer, CommandResult):
            return answer
        away = abs(2 * answer.result.position - width)
        if answer.status == GoalStatus.STATUS_SUCCEEDED and away <= REACHED_M:
            return CommandResult(True)
        return _aborted(f'the gripper {_where(answer.result)}, {1e3 * away:.1f} mm away from '
                        f'{1e3 * width:.1f} mm')

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        """Close until the fingers stop, then keep pressing with `force` (N)."""
        if not force > 0:
            return _aborted(f'grasp force {force:g} N must be a positive number')
        answer = self._grip(0.0, force, ctx)
        if isinstance(answer, CommandResult):
            return answer
        if answer.status == GoalStatus.STATUS_SUCCEEDED or answer.result.stalled:
            return CommandResult(True, detail=f'the gripper {_where(answer.result)}')
        return _aborted(f'the gripper did not close: it {_where(answer.result)}')

    def stop(self) -> None:
        """End all motion now, whoever began it; returns at standstill, or raises NoStandstill."""
        self._stop_asked.set()
        try:
            self._cancel_everything()
            self._await_standstill()
        finally:
            if self._one_command.acquire(timeout=self._given.standstill_timeout):
                self._stop_asked.clear()  # else the command that runs sees it, and clears it
                self._one_command.release()

    def close(self) -> None:
        """Nothing of its own is left to end."""

    def _hear(self, arrived: float) -> None:
        """Whoever tells joint states lives, also when an action gives no feedback."""
        self._arm.heard = self._hand.heard = arrived

    def _grip(self, width: float, effort: float, ctx: Context) -> Any:
        command = GripperCommandMsg(position=width / 2, max_effort=float(effort))
        return self._command(self._hand, GripperCommand.Goal(command=command), ctx, GRIPPER_S,
                             lambda: '')

    def _command(self, port: ActionPort, goal: Any, ctx: Context, duration_s: float,
                 contact: Callable[[], str]) -> Any:
        """The action's answer at standstill, or the CommandResult of one that has none.

        Raises Cancelled or DeadlineExceeded, at standstill.
        """
        with self._one_command:
            ctx.check()
            refusal = self.refusal()
            if refusal:
                return CommandResult(False, Reason.STOPPED, refusal)
            try:
                overdue = self._overdue(duration_s)
            except RobotSilent as silent:
                return _aborted(str(silent))

            def interruption() -> str:
                return ('stop' if self._stop_asked.is_set() else '') or contact() or overdue()

            try:
                answer = port.call(goal, WatchedContext.of(ctx, interruption), lambda _: None)
                self._await_standstill()
            except (NodeLost, NoStandstill) as lost:
                self._cancel_everything()
                return _aborted(str(lost))
            if self._stop_asked.is_set():
                self._stop_asked.clear()
                return CommandResult(False, Reason.STOPPED, 'stop was called; the arm stands '
                                                            'still')
            if answer.status == GoalStatus.STATUS_CANCELED and not contact():
                ctx.check()
                return _aborted(overdue() or 'someone else cancelled the motion')
            return answer

    def _overdue(self, duration_s: float) -> Callable[[], str]:
        """Says when a motion takes far longer than planned, in robot time or in wall time."""
        late_s = duration_s + self._given.goal_time_tolerance + self._given.server_timeout
        until = time.monotonic() + WALL_FACTOR * late_s
        began = self.state().stamp

        def overdue() -> str:
            if self._feed.stamp - began <= late_s and time.monotonic() < until:
                return ''
            return f'the motion of {duration_s:.1f} s is not over after {late_s:.1f} s'

        return overdue

    @contextmanager
    def _felt(self, guard: ContactGuard | None) -> Iterator[Callable[[], str]]:
        """Watches the external torques; yields what says which contact was felt, or ''."""
        if guard is None or not self._feed.feels:
            if guard and not self._warned:
                self._warned = True
                self._node.get_logger().warning(
                    f'no external torques on {self._given.external_torques!r}: contacts are '
                    'not felt')
            yield lambda: ''
            return
        watch = ContactWatch(guard, self._feed.state().external_torque, self._limits.names)

        def feel(torque: FloatArray) -> None:
            if watch.feel(torque):
                self._cancel_everything()  # at once: the thread that waits looks less often

        end = self._feed.on_torques(feel)
        try:
            yield lambda: watch.contact
        finally:
            end()

    def _cancel_everything(self) -> None:
        """Ask both servers to cancel all goals; the zero id means all of them."""
        for client in self._cancel_all:
            if client.service_is_ready():
                client.call_async(CancelGoal.Request())

    def _await_standstill(self) -> None:
        speed, limit = self._given.standstill_speed, self._given.standstill_timeout
        if not self._feed.await_next(limit, lambda s: bool(np.abs(s.velocities).max() < speed)):
            raise NoStandstill(f'no standstill (all joints below {speed:g} rad/s) was seen on '
                               f'{self._given.joint_states} within {limit:g} s')


def _followed(answer: Any) -> CommandResult:
    result = answer.result
    if answer.status == GoalStatus.STATUS_SUCCEEDED:
        return CommandResult(True)
    text = result.error_string
    touched = text.startswith('unexpected contact')
    reason = (Reason.STOPPED if text.startswith('stopped') else
              Reason.IN_COLLISION if touched else Reason.CONTROLLER_ABORTED)
    code = CODES.get(result.error_code, 'error')
    detail = f'the controller ended the motion: {code} ({result.error_code}): {text or "no text"}'
    return CommandResult(False, reason, detail, contact=touched)


def _where(result: Any) -> str:
    how = 'stalled' if result.stalled else 'is'
    return f'{how} at {2e3 * result.position:.1f} mm, pressing with {result.effort:.0f} N'


def _aborted(detail: str) -> CommandResult:
    return CommandResult(False, Reason.CONTROLLER_ABORTED, detail)
