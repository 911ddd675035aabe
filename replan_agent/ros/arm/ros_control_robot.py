"""The Robot over ros2_control's interfaces: the same for hardware, Gazebo and sim_node.

It never spins: an executor elsewhere does, with threads to spare. Every wait has an end.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.node import Node

from replan_agent.agent.ports import NodeLost
from replan_agent.domain import franka
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CommandResult, ContactGuard, RobotState
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointLimits, JointTrajectory
from replan_agent.ros.rclpy_tools.action_port import ActionPort, GoalRefused
from replan_agent.ros.rclpy_tools.timeouts import Timeouts
from replan_agent.ros.rclpy_tools.watched_context import WatchedContext

from .arm_interfaces import ArmInterfaces
from .arm_stop import CancelAll, end_all
from .controller_state import ControllerState
from .felt_contact import Touch
from .franka_errors import FrankaErrors, SelfStop, stop_in_text
from .grippers import Order, Told, make_gripper
from .joint_states import JointFeed, RobotSilent
from .standstill import NoStandstill
from .trajectory_goal import elsewhere, follow_goal, followed, verdict

__all__ = ['RobotSilent', 'RosControlRobot']

GRIPPER_S = 10.0  # of robot time; a full stroke takes less than one
WALL_FACTOR = 10.0  # a simulation may be this much slower than real time
REACHED_M = 0.002
SETTLE_S = 5.0  # for the driver to tell where the fingers came to rest


class RosControlRobot:
    """A Franka behind FollowJointTrajectory, a gripper's action and JointState.

    One command at a time; `stop` may come from any thread. A guard works where the driver tells
    of external torques; where it does not, contacts are not felt and a warning says so, once.

    Set `refusal` to a stop latch's: while it says why nothing may move, no command is begun.
    `forbidden` says what is wrong with a trajectory that must not be sent. `on_self_stop` is told
    when the arm stopped itself; `may_recover`: clear such an error before the next command.
    `on_lost` is told when nobody confirms that a command that went wrong has ended.
    """

    def __init__(self, node: Node, model: str = 'panda', base_frame: str = '',
                 interfaces: ArmInterfaces | None = None) -> None:
        self._node, self._given = node, interfaces or ArmInterfaces()
        self._limits = franka.limits(model)
        self._base_frame = base_frame or f'{model}_link0'
        self._feed = JointFeed(node, self._limits.names, franka.finger_names(model), self._given)
        self._feed.on_arrival = self._hear
        wait_s = self._given.server_timeout
        timeouts = Timeouts(appear_timeout=wait_s, answer_timeout=wait_s,
                            silence_timeout=self._given.driver_silence,
                            stop_timeout=self._given.standstill_timeout)
        self._arm = ActionPort(node, FollowJointTrajectory, self._given.trajectory_of(model),
                               'the arm', timeouts)
        self._gripper = make_gripper(node, model, self._given, timeouts)
        self._controller = ControllerState(node, self._given.controller_manager,
                                           self._given.trajectory_of(model), wait_s)
        self.franka = FrankaErrors(node, self._given, timeouts)
        self._self_stop: SelfStop | None = None  # of the command that is under way
        self._unended = ''  # why it may still be
        self._cancel_all = CancelAll(node, model, self._given)
        self._touch = Touch(node, self._feed, self._limits.names, self._given.external_torques,
                            self._cancel_all)
        self._one_command = threading.Lock()
        self._stop_asked = threading.Event()
        self.refusal: Callable[[], str] = lambda: ''
        self.forbidden: Callable[[JointTrajectory], str] = lambda trajectory: ''
        self.on_self_stop: Callable[[str], None] = lambda why: None
        self.on_lost: Callable[[str], object] = lambda why: None
        self.may_recover = False

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

    @property
    def state_age_s(self) -> float:
        """How long ago the driver told the newest state; infinite before the first."""
        return self._feed.age_s

    def await_driver(self, timeout_s: float) -> None:
        """Return when the driver has told a first state; raises RobotSilent without one."""
        self._feed.await_first(timeout_s)

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        """Follow a trajectory that starts where the arm is now; returns at standstill."""
        forbidden = self.forbidden(trajectory)
        if forbidden:
            return CommandResult(False, Reason.WORKSPACE_VIOLATION, forbidden,
                                 cause=Cause.WORKSPACE_VIOLATION)
        deaf = self._touch.deaf(guard)
        if deaf:
            return _aborted(deaf)
        goal = follow_goal(trajectory, self._given)
        with self._touch.felt(guard) as contact:
            answer = self._command((self._arm, goal), ctx, trajectory.duration, contact,
                                   trajectory)
            if isinstance(answer, CommandResult):
                return answer
            if contact():
                assert guard is not None
                return guard.ended_by(contact())
        return followed(answer)

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        """Open or close to `width` (m between the pads); where they are at the end decides."""
        if not 0 <= width <= self.max_gripper_width:
            return _aborted(f'gripper width {width:.4g} m is outside 0 to '
                            f'{self.max_gripper_width:g} m')
        answer = self._command(self._gripper.moving(width), ctx, GRIPPER_S)
        if isinstance(answer, CommandResult):
            return answer
        told = self._gripper.told(answer)
        try:
            found = self._feed.settled_width((width,), SETTLE_S)
        except RobotSilent as silent:
            return _aborted(str(silent))
        if abs(found - width) <= REACHED_M:
            return CommandResult(True)
        return _aborted(f'the gripper is at {1e3 * found:.1f} mm, {1e3 * abs(found - width):.1f} '
                        f'mm away from {1e3 * width:.1f} mm{_says(told)}',
                        Cause.GRIPPER_BLOCKED)

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        """Close until the fingers stop, then keep pressing with `force` (N)."""
        if not force > 0:
            return _aborted(f'grasp force {force:g} N must be a positive number')
        answer = self._command(self._gripper.grasping(force), ctx, GRIPPER_S)
        if isinstance(answer, CommandResult):
            return answer
        told = self._gripper.told(answer)
        try:
            where = f'at {1e3 * self._feed.settled_width(told.widths, SETTLE_S):.1f} mm'
        except RobotSilent as silent:
            return _aborted(str(silent))
        if told.gripped:
            return CommandResult(True, detail=f'the gripper is {where}')
        return _aborted(f'the gripper did not close: it is {where}{_says(told)}')

    def home_gripper(self, ctx: Context) -> CommandResult:
        """Let the gripper find its end stops: needed once after power-up, with nothing held."""
        order = self._gripper.homing()
        if order is None:
            return _aborted('this gripper driver has no homing; gripper_driver franka has')
        answer = self._command(order, ctx, GRIPPER_S)
        if isinstance(answer, CommandResult):
            return answer
        told = self._gripper.told(answer)
        return CommandResult(True) if told.gripped else _aborted(f'homing failed{_says(told)}')

    def stop(self) -> None:
        """End all motion now, whoever began it; returns at standstill, or raises NoStandstill."""
        self._stop_asked.set()
        try:
            self._cancel_all()
            self._feed.await_standstill()
        finally:
            ended = self._one_command.acquire(timeout=self._given.standstill_timeout)
            if ended:
                self._stop_asked.clear()  # else the command that runs sees it, and clears it
                self._one_command.release()
        if not ended:
            raise NoStandstill('a command is still open, and the arm may take it up')

    def close(self) -> None:
        """Nothing of its own is left to end."""

    def _hear(self, arrived: float) -> None:
        """Whoever tells joint states lives, also when an action gives no feedback."""
        for port in (self._arm, *self._gripper.ports):
            port.heard = arrived

    def _command(self, order: Order, ctx: Context, duration_s: float,
                 contact: Callable[[], str] = lambda: '',
                 trajectory: JointTrajectory | None = None) -> Any:
        """The action's answer at standstill, or the CommandResult of one that has none.

        Raises Cancelled or DeadlineExceeded, at standstill.
        """
        with self._one_command:
            self._self_stop, self._unended = None, ''
            ctx.check()
            refused = self._unready(ctx, trajectory)
            answer = refused or self._sent(order, ctx, duration_s, contact)
            stopped, unended = self._self_stop, self._unended
        if stopped:  # no lock is held: whoever is told may stop us
            self.on_self_stop(stopped.sentence)
        if unended:
            self.on_lost(unended)
        return answer

    def _unready(self, ctx: Context, trajectory: JointTrajectory | None) -> CommandResult | None:
        """Why a command must not begin now, from fresh states; None when it may."""
        refusal = self.refusal()
        if refusal:
            return _stopped(refusal)
        stop = self.franka.stop
        if stop and self.may_recover and stop.clearable:
            self._node.get_logger().warning(f'{stop.sentence}; recovering, as the settings allow')
            problem = self.franka.recover(ctx)
            stop = None if not problem else stop
        if stop:
            return _stopped(f'{stop.sentence}; nothing moves before a person has looked and '
                            'called recover_error')
        try:
            joints = self.state().joints
        except RobotSilent as silent:
            return _aborted(str(silent))
        if trajectory is None:
            return None
        away = elsewhere(trajectory, joints, self._given.start_tolerance)
        if away:
            return _aborted(away, Cause.TRAJECTORY_REFUSED)
        problem = self._controller.problem()
        return _aborted(problem) if problem else None

    def _sent(self, order: Order, ctx: Context, duration_s: float,
              contact: Callable[[], str]) -> Any:
        """Sends the goal and sees it to its end, at standstill."""
        port, goal = order
        overdue = self._overdue(duration_s)

        def interruption() -> str:
            stop = self.franka.stop
            return (('stop' if self._stop_asked.is_set() else '') or contact()
                    or (stop.sentence if stop else '') or overdue())

        answer: Any = None
        try:
            answer = port.call(goal, WatchedContext.of(ctx, interruption), lambda _: None)
            self._feed.await_standstill()
        except (NodeLost, NoStandstill) as lost:
            wrong = f'{lost}{self._end()}'
            refused = isinstance(lost, GoalRefused) and port is self._arm
            return self._stopped_itself(answer, f'; {wrong}') or _aborted(
                wrong, Cause.TRAJECTORY_REFUSED if refused else Cause.CONTROLLER_ERROR)
        if self._stop_asked.is_set():
            self._stop_asked.clear()
            return _stopped('stop was called; the arm stands still')
        stopped = self._stopped_itself(answer)
        if stopped:
            return stopped
        if answer.status == GoalStatus.STATUS_CANCELED and not contact():
            ctx.check()
            late = overdue()
            return _aborted(late or f'someone else cancelled the motion{_said(answer)}',
                            Cause.TOOK_TOO_LONG if late else Cause.CONTROLLER_ERROR)
        return answer

    def _end(self) -> str:
        """Ends what may still be under way; a remark when nobody confirms that it has ended."""
        try:
            end_all(self._cancel_all, self._feed, self._given.standstill_timeout)
        except NoStandstill as unended:
            self._unended = str(unended)
            return f'; the arm may still move: {unended}'
        return ''

    def _stopped_itself(self, answer: Any, more: str = '') -> CommandResult | None:
        """What is to be said when the arm ended the motion by itself; remembers that it did."""
        text = getattr(getattr(answer, 'result', None), 'error_string', '')
        stop = self.franka.stop or stop_in_text(text)
        if stop is None:
            return None
        self._self_stop = stop
        return CommandResult(False, stop.reason, f'{stop.sentence}{_said(answer)}{more}',
                             contact=stop.reason is Reason.IN_COLLISION, cause=stop.cause)

    def _overdue(self, duration_s: float) -> Callable[[], str]:
        """Says when a motion takes far longer than planned, in robot time or in wall time."""
        late_s = duration_s + self._given.goal_time_tolerance + self._given.server_timeout
        until = time.monotonic() + WALL_FACTOR * late_s
        began = self._feed.stamp

        def overdue() -> str:
            if self._feed.stamp - began <= late_s and time.monotonic() < until:
                return ''
            return f'the motion of {duration_s:.1f} s is not over after {late_s:.1f} s'

        return overdue


def _said(answer: Any) -> str:
    """The controller's own words, where it has any."""
    result = getattr(answer, 'result', None)
    text = getattr(result, 'error_string', '')
    return f'; the controller says {verdict(result)}' if text else ''


def _says(told: Told) -> str:
    return f'; the driver says: {told.text}' if told.text else ''


def _stopped(detail: str) -> CommandResult:
    return CommandResult(False, Reason.STOPPED, detail, cause=Cause.STOPPED)


def _aborted(detail: str, cause: Cause = Cause.CONTROLLER_ERROR) -> CommandResult:
    return CommandResult(False, Reason.CONTROLLER_ABORTED, detail, cause=cause)
