# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Robot over ros2_control's interfaces: the same for hardware, Gazebo and sim_node.

It never spins: an executor of its node does, with spare threads. Every wait has an end.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.node import Node

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Cancelled, Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.robot.fingers import refused_force, refused_width
from replan_agent.robot.stepped_robot import aborted
from replan_agent.ros.rclpy_tools.action_port import ActionPort, GoalRefused
from replan_agent.ros.rclpy_tools.timeouts import Timeouts
from replan_agent.ros.rclpy_tools.watched_context import WatchedContext

from .arm_interfaces import ArmInterfaces
from .arm_stop import CancelAll, end_all
from .controller_state import ControllerState
from .felt_contact import FeltTouch
from .grippers import GripperReport, Order, gripper_kind
from .joint_states import RobotSilent
from .pacing import pacing
from .seen_arm import SeenArm
from .self_stops import SelfStop, self_stops, stop_in_text
from .standstill import NoStandstill
from .trajectory_goal import follow_goal, motion_result, start_mismatch, verdict

GRIPPER_S = 10.0  # of robot time; a full stroke takes less than one
WALL_FACTOR = 10.0  # a simulation may be this much slower than real time
REACHED_M = 0.002
SETTLE_S = 5.0  # for the driver to send where the fingers came to rest


class RosControlRobot(SeenArm):
    """An arm behind FollowJointTrajectory, a gripper's action and JointState.

    One command at a time; `stop` may come from any thread. A guard needs external torques from the
    driver; without them, contacts are not felt and a warning says so once.

    `refusal` returns why nothing may move (a stop latch): then no command starts. `forbidden`
    returns what is wrong with a trajectory that must not be sent. `on_self_stop` is called if the
    arm stopped itself, unless `may_recover` and the next command clears that. `on_lost` is called
    if the end of a failed command is not confirmed. `on_command` is called at the start and the
    end of each command.
    """

    _given: ArmInterfaces

    def __init__(self, node: Node, arm: ArmModel, base_frame: str = '',
                 interfaces: ArmInterfaces | None = None) -> None:
        super().__init__(node, arm, base_frame, interfaces or ArmInterfaces())
        self._node = node
        self._feed.on_state(self._note_sign_of_life)
        wait_s = self._given.server_timeout
        timeouts = Timeouts(appear_timeout=wait_s, answer_timeout=wait_s,
                            silence_timeout=self._given.driver_silence,
                            stop_timeout=self._given.standstill_timeout)
        action = self._given.trajectory_action
        self._arm = ActionPort(node, FollowJointTrajectory, action, 'the arm', timeouts)
        self._gripper = gripper_kind(self._given.gripper_driver)(node, arm, self._given, timeouts)
        self._controller = ControllerState(node, self._given.controller_manager, action, wait_s)
        self.errors = self_stops(node, arm, self._given, timeouts)
        self._self_stop: SelfStop | None = None  # of the running command
        self.unended = ''  # why the arm may still move after the last command, if it may
        self._cancel_all = CancelAll(node, arm, self._given)
        self._cancel_all.halt = self.errors.halt
        self._touch = FeltTouch(node, self._feed, self.limits, self._given.torques,
                                self._cancel_all)
        self.pacing = pacing(node, arm, self._given)
        self._one_command = threading.Lock()
        self._stop_asked = threading.Event()
        self.refusal: Callable[[], str] = lambda: ''
        self.forbidden: Callable[[JointTrajectory], str] = lambda trajectory: ''
        self.on_self_stop: Callable[[str], object] = lambda why: None
        self.on_lost: Callable[[str], object] = lambda why: None
        self.on_command: Callable[[], object] = lambda: None
        self.may_recover = False

    @property
    def commanding(self) -> bool:
        """True if a command is open: the arm may move."""
        return self._one_command.locked()

    def missing(self, timeout_s: float) -> str:
        """What the driver does not offer after that time, as a sentence; '' if all is there."""
        try:
            self._feed.await_first(timeout_s)
        except RobotSilent as silent:
            return str(silent)
        return self._cancel_all.missing

    def not_ready(self, timeout_s: float) -> str:
        """Why the arm is not ready for a command, as a sentence; '' if it answers and rests."""
        if self._cancel_all.missing:
            return self._cancel_all.missing
        if not self._feed.stands_still(timeout_s):
            return self._feed.no_standstill(timeout_s)
        self.unended = ''
        return ''

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        """Follow a trajectory that starts where the arm is now; returns at standstill."""
        forbidden = self.forbidden(trajectory)
        if forbidden:
            return CommandResult(False, Reason.WORKSPACE_VIOLATION, forbidden,
                                 cause=Cause.WORKSPACE_VIOLATION)
        beyond = self.limits.violation(trajectory)
        if beyond:
            return aborted(f'trajectory refused: {beyond}', Cause.TRAJECTORY_REFUSED)
        problem = self._touch.problem(guard)
        if problem:
            return aborted(problem)
        with self._touch.felt(guard) as contact:
            answer = self.pacing.follow(trajectory, lambda part: self._command(
                (self._arm, follow_goal(part, self._given)), ctx, part.duration, contact, part),
                self.state, ctx, contact, lambda: self.refusal())
            if isinstance(answer, CommandResult):
                return answer
            if contact():
                assert guard is not None
                return guard.ended_by(contact(), self._touch.torque)
        return motion_result(answer)

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        """Open or close to `width` (m between the pads); the final width decides."""
        refused = refused_width(width, self.max_gripper_width)
        if refused:
            return refused
        moved = self._moved(self._gripper.move_order(width), ctx, width)
        if isinstance(moved, CommandResult):
            return moved
        report, found = moved
        if abs(found - width) <= REACHED_M:
            return CommandResult(True)
        return aborted(f'the gripper is at {1e3 * found:.1f} mm, {1e3 * abs(found - width):.1f} '
                        f'mm away from {1e3 * width:.1f} mm{_says(report)}',
                        Cause.CONTROLLER_ERROR if report.fault else Cause.GRIPPER_BLOCKED)

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        """Close until the fingers stop, then keep pressing with `force` (N)."""
        refused = refused_force(force)
        if refused:
            return refused
        moved = self._moved(self._gripper.grasp_order(force), ctx)
        if isinstance(moved, CommandResult):
            return moved
        report, found = moved
        where = f'at {1e3 * found:.1f} mm'
        if report.gripped:
            return CommandResult(True, detail=f'the gripper is {where}')
        return aborted(f'the gripper did not close: it is {where}{_says(report)}')

    def _moved(self, order: Order | None, ctx: Context, *wanted: float
               ) -> tuple[GripperReport, float] | CommandResult:
        """What the gripper says after a command, and how far it is open (m)."""
        if order is None:
            return aborted('there is no gripper (gripper_driver: none, as on fake hardware)')
        answer = self._command(order, ctx, GRIPPER_S)
        if isinstance(answer, CommandResult):
            return answer
        report = self._gripper.report(answer)
        try:
            return report, self._feed.settled_width(wanted or report.widths, SETTLE_S)
        except RobotSilent as silent:
            return aborted(str(silent))

    def home_gripper(self, ctx: Context) -> CommandResult:
        """Let the gripper find its end stops: needed once after power-up, with nothing held."""
        order = self._gripper.homing_order()
        if order is None:
            return aborted('this gripper driver has no homing; gripper_driver franka has it')
        answer = self._command(order, ctx, GRIPPER_S)
        if isinstance(answer, CommandResult):
            return answer
        report = self._gripper.report(answer)
        return CommandResult(True) if report.gripped else aborted(f'homing failed{_says(report)}')

    def stop(self) -> None:
        """End all motion, whoever started it; returns at standstill, or raises NoStandstill."""
        self._stop_asked.set()
        try:
            end_all(self._cancel_all, self._feed, self._given.standstill_timeout)
        finally:
            ended = self._one_command.acquire(timeout=self._given.standstill_timeout)
            if ended:
                self._stop_asked.clear()  # otherwise the running command sees and clears it
                self._one_command.release()
        if not ended:
            raise NoStandstill('a command is still open, and the arm may execute it')

    def give_up(self, at: float) -> None:
        """Wait for nothing after that monotonic time, because this process ends."""
        for port in (self._arm, *self._gripper.ports):
            port.give_up_at = at
        self._feed.give_up(at)

    def close(self) -> None:
        """Do nothing: all commands have ended."""

    def _note_sign_of_life(self) -> None:
        """A driver that sends joint states is alive, also if an action gives no feedback."""
        for port in (self._arm, *self._gripper.ports):
            port.heard = self._feed.arrived

    def _command(self, order: Order, ctx: Context, duration_s: float,
                 contact: Callable[[], str] = lambda: '',
                 trajectory: JointTrajectory | None = None) -> Any:
        """The action's answer at standstill, or a CommandResult if there is no answer.

        Raises Cancelled or DeadlineExceeded, at standstill.
        """
        self.pacing.await_go(ctx, lambda: self.refusal())
        self.clear_if_allowed(ctx)
        try:
            with self._one_command:
                self.on_command()
                self._self_stop = None
                ctx.check()
                answer, unended = (self._refused() or self._unfit(ctx, trajectory)
                                   or self._refused()), ''  # a stop may come during the waits
                if answer is None:
                    self.unended = ''
                    answer = self._send(order, ctx, duration_s, contact)
                    unended = self.unended
                stopped = self._self_stop
        finally:
            self.on_command()
        if stopped and not (self.may_recover and stopped.clearable and stopped.known):
            self.on_self_stop(stopped.sentence)  # without the lock: the callback may call stop
        if unended:
            self.on_lost(unended)
        return answer

    def clear_if_allowed(self, ctx: Context) -> None:
        """Clear what the arm stopped itself for, if the settings allow it; nothing moves."""
        stop = self.errors.stop
        if not (stop and stop.clearable and self.may_recover) or self.refusal():
            return
        self._node.get_logger().warning(f'{stop.sentence}; recovering, as the settings allow')
        problem = self.errors.recover_unasked(ctx)
        if problem:
            self.on_self_stop(f'{stop.sentence}; {problem}')

    def _refused(self) -> CommandResult | None:
        refusal = self.refusal()
        return _stopped(refusal) if refusal else None

    def _unfit(self, ctx: Context, trajectory: JointTrajectory | None) -> CommandResult | None:
        """What is wrong with the arm or the trajectory now; None if nothing."""
        stop = self.errors.stop
        if stop:
            return _stopped(f'{stop.sentence}; nothing moves until a person has looked and '
                            'called recover_error')
        try:
            joints = self.state().joints
        except RobotSilent as silent:
            return aborted(str(silent))
        if trajectory is None:
            return None
        away = start_mismatch(trajectory, joints, self._given.start_tolerance)
        if away:
            return aborted(away, Cause.TRAJECTORY_REFUSED)
        problem = self._controller.problem()
        return aborted(problem) if problem else None

    def _send(self, order: Order, ctx: Context, duration_s: float,
              contact: Callable[[], str]) -> Any:
        """Send the goal and wait for its end, at standstill."""
        port, goal = order
        overdue, paced = self._overdue(duration_s), ''  # why only the pacing ended it

        def interruption() -> str:
            nonlocal paced
            stop = self.errors.stop
            why = (('stop' if self._stop_asked.is_set() else '') or contact()
                   or (stop.sentence if stop else '') or overdue())
            paced = '' if why else self.pacing.look()
            return why or paced

        answer: Any = None
        try:
            answer = port.call(goal, WatchedContext.of(ctx, interruption), lambda _: None)
            self._feed.await_standstill()
        except Cancelled as ended:  # before the goal was sent
            ctx.check()
            if paced and not self._stop_asked.is_set():
                return None
            self._stop_asked.clear()
            return self._stopped_itself(None, '') or _stopped(f'{ended}: the command was not sent')
        except (NodeLost, NoStandstill) as lost:
            wrong = f'{lost}{self._end()}'
            latched = self.refusal()
            if latched:  # the stop is why it ended; a new plan would be refused
                doubt = f'standstill NOT confirmed: {self.unended}' if self.unended else wrong
                return self._stopped_itself(answer, contact(), f'; {wrong}') or _stopped(
                    f'{latched}; {doubt}')
            refused = isinstance(lost, GoalRefused) and port is self._arm
            return self._stopped_itself(answer, contact(), f'; {wrong}') or aborted(
                wrong, Cause.TRAJECTORY_REFUSED if refused else Cause.CONTROLLER_ERROR)
        if self._stop_asked.is_set():
            self._stop_asked.clear()
            return _stopped(f'{self.refusal() or "stop was called"}; the arm stands still')
        stopped = self._stopped_itself(answer, contact())
        if stopped:
            return stopped
        paced = '' if port.others_ended else paced
        if answer.status == GoalStatus.STATUS_CANCELED and not contact() + paced:
            ctx.check()
            late = overdue()
            return aborted(late or f'someone else cancelled the motion{_said(answer)}',
                            Cause.TOOK_TOO_LONG if late else Cause.CONTROLLER_ERROR)
        return answer

    def _end(self) -> str:
        """End a command that may still run; returns a remark if its end is not confirmed."""
        try:
            end_all(self._cancel_all, self._feed, self._given.standstill_timeout)
        except NoStandstill as unended:
            self.unended = str(unended)
            return f'; the arm may still move: {unended}'
        return ''

    def _stopped_itself(self, answer: Any, contact: str, more: str = '') -> CommandResult | None:
        """The result if the arm stopped itself, else None; remembers the stop."""
        text = getattr(getattr(answer, 'result', None), 'error_string', '')
        stop = self.errors.stop or stop_in_text(text)
        if stop is None:
            return None
        if contact and stop.reason is Reason.CONTROLLER_ABORTED:  # what was felt tells why
            stop = replace(stop, reason=Reason.IN_COLLISION, sentence=f'{contact}; '
                           f'{stop.sentence}')
        self._self_stop = stop
        self.errors.note(stop)
        return CommandResult(False, stop.reason, f'{stop.sentence}{_said(answer)}{more}',
                             contact=stop.reason is Reason.IN_COLLISION, cause=stop.cause)

    def _overdue(self, duration_s: float) -> Callable[[], str]:
        """A function that says if a motion takes far too long, in robot time or wall time."""
        late_s = duration_s + self._given.goal_time_tolerance + self._given.server_timeout
        until, seen, spent_s = time.monotonic() + WALL_FACTOR * late_s, self._feed.stamp, 0.0

        def overdue() -> str:
            nonlocal until, seen, spent_s
            share, passed_s = self.pacing.of_driver, self._feed.stamp - seen
            seen, spent_s = seen + passed_s, spent_s + share * passed_s
            until += (1 - share) * passed_s
            if spent_s <= late_s and time.monotonic() < until:
                return ''
            return f'the motion of {duration_s:.1f} s is not over after {late_s:.1f} s'

        return overdue


def _said(answer: Any) -> str:
    """The controller's own text, if it has one."""
    result = getattr(answer, 'result', None)
    text = getattr(result, 'error_string', '')
    return f'; the controller says {verdict(result)}' if text else ''


def _says(report: GripperReport) -> str:
    return f'; the driver says: {report.text}' if report.text else ''


def _stopped(detail: str) -> CommandResult:
    return CommandResult(False, Reason.STOPPED, detail, cause=Cause.STOPPED)
