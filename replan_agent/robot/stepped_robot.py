# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm in a simulator that stands still unless it is stepped, behind the Robot protocol.

What every such arm does is here: one command at a time, refusing wrong trajectories, following
the others, braking, stopping, contacts. A simulator adds how it is stepped and what it reads.
"""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CommandResult, ContactGuard, RobotState
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointLimits, JointTrajectory

from .contact import ContactWatch
from .sampling import Samples, brake, sample

CHECK_S = 0.02  # between checks of the context and the tracking error
START_TOLERANCE = 0.05  # rad between the arm and a trajectory's start
TRACKING_TOLERANCE = 0.1  # rad between the arm and its command; free motion stays far below
GOAL_TOLERANCE = 0.01  # rad
STANDSTILL = 0.005  # rad/s
SETTLE_S = 0.5

Interruption = Callable[[], Exception | None]


class Stopped(Exception):
    """stop() was called while a command ran."""


class SteppedGripper(Protocol):
    """A parallel gripper that steps the simulator while it moves.

    `move` and `grasp` ask `interruption` often. They return what it gave, if it gave one.
    """

    @property
    def width(self) -> float: ...

    @property
    def force(self) -> float: ...

    def move(self, width: float, interruption: Interruption) -> CommandResult | Exception: ...

    def grasp(self, force: float, interruption: Interruption) -> CommandResult | Exception: ...


class SteppedRobot(ABC):
    """Commands step the simulator until they are done. They sense only encoders and motors.

    Only one command runs at a time. Another thread may call `stop`. `step_s` is the time between
    two commands to the servos, `period_s` that of `_rest`.
    """

    def __init__(self, limits: JointLimits, gripper: SteppedGripper, base_frame: str,
                 step_s: float, period_s: float) -> None:
        self.limits, self._gripper, self.base_frame = limits, gripper, base_frame
        self._step, self._period = step_s, period_s
        self._check_steps = max(1, round(CHECK_S / step_s))
        self._one_command = threading.Lock()
        self._commander: int | None = None
        self._stop_asked = threading.Event()

    @property
    @abstractmethod
    def home(self) -> FloatArray: ...

    @property
    @abstractmethod
    def max_gripper_width(self) -> float: ...

    @abstractmethod
    def _time(self) -> float: ...

    @abstractmethod
    def _joints(self) -> FloatArray:
        """The joint angles (rad) now. It may be a view."""

    @abstractmethod
    def _speeds(self) -> FloatArray:
        """The joint velocities (rad/s) now. It may be a view."""

    @abstractmethod
    def _felt(self) -> FloatArray:
        """The external torque (N·m) now."""

    @abstractmethod
    def _follow(self, samples: Samples, watch: ContactWatch | None = None) -> str:
        """Command each sample for one step. Returns the contact that ended it, or ''."""

    @abstractmethod
    def _aim(self, joints: FloatArray) -> None:
        """Set the servos' target."""

    @abstractmethod
    def _rest(self) -> None:
        """Let one period pass; the servos' targets stay."""

    def state(self) -> RobotState:
        """The current readings of the encoders, the torque sensors and the gripper's motor."""
        return RobotState(stamp=self._time(), joints=self._joints().copy(),
                          velocities=self._speeds().copy(), gripper_width=self._gripper.width,
                          gripper_force=self._gripper.force, external_torque=self._felt().copy())

    def execute(self, trajectory: JointTrajectory, ctx: Context,
                guard: ContactGuard | None = None) -> CommandResult:
        """Follow a trajectory that starts where the arm is now. Returns at standstill.

        With a guard, it also ends at a contact: the arm then stays where it touched.
        """
        with self._command():
            refusal = self._refusal(trajectory)
            if refusal:
                return aborted(f'trajectory refused: {refusal}', Cause.TRAJECTORY_REFUSED)
            # A command acts for a whole step, so it should meet the middle of that step.
            times = np.arange(0.5, np.ceil(trajectory.duration / self._step)) * self._step
            q, qd, qdd = sample(trajectory, times)
            watch = ContactWatch(guard, self._felt(), self.limits) if guard else None
            for first in range(0, len(times), self._check_steps):
                interruption = self._interruption(ctx)
                if interruption:
                    self._follow(brake(trajectory, first * self._step, self.limits, self._step))
                    self._await_standstill()
                    return self._interrupted(interruption)
                now = slice(first, first + self._check_steps)
                contact = self._follow((q[now], qd[now], qdd[now]), watch)
                if contact and watch:
                    self._hold_here()
                    return watch.guard.ended_by(contact, watch.felt)
                blind = self._unreadable('angle', self._joints())
                if blind:
                    self._brake_blindly(trajectory, (first + self._check_steps) * self._step)
                    return aborted(blind)
                deaf = self._deaf(watch)
                lost = deaf or self._tracking_error(q[now][-1])
                if lost:
                    self._hold_here()
                    return aborted(lost) if deaf else aborted(lost, Cause.HELD_UP)
            return self._arrive(trajectory.end, watch)

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        """Open or close to `width` (m between the pads)."""
        with self._command():
            return self._finished(self._gripper.move(width, lambda: self._interruption(ctx)))

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        """Close until the fingers stop, then keep pressing with `force` (N), if it can."""
        with self._command():
            return self._finished(self._gripper.grasp(force, lambda: self._interruption(ctx)))

    def pass_time(self, seconds: float, ctx: Context) -> None:
        """Let this much robot time pass, with the arm where it is. Raises what `ctx` raises."""
        with self._command():
            for _ in range(round(seconds / self._period)):
                ctx.check()
                self._rest()

    def stop(self) -> None:
        """End all motion now. Returns at standstill.

        A command that runs in another thread brakes and answers `stopped`. If a listener of the
        world calls this inside a command, it returns at once and the command does the same.
        """
        self._stop_asked.set()
        if self._commander == threading.get_ident():
            return
        with self._one_command:
            self._await_standstill()
            self._stop_asked.clear()

    @contextmanager
    def _command(self) -> Iterator[None]:
        with self._one_command:
            self._commander = threading.get_ident()
            try:
                yield
            finally:
                self._commander = None

    def _interruption(self, ctx: Context) -> Exception | None:
        """Why the running command should end early, or None."""
        return Stopped() if self._stop_asked.is_set() else ctx.over

    def _interrupted(self, interruption: Exception) -> CommandResult:
        if not isinstance(interruption, Stopped):
            raise interruption
        self._stop_asked.clear()
        return CommandResult(False, Reason.STOPPED, 'stop was called; the arm stands still',
                             cause=Cause.STOPPED)

    def _finished(self, outcome: CommandResult | Exception) -> CommandResult:
        if isinstance(outcome, CommandResult):
            return outcome
        self._await_standstill()
        return self._interrupted(outcome)

    def _refusal(self, trajectory: JointTrajectory) -> str:
        """Why this trajectory must not be followed, or ''."""
        beyond = self.limits.violation(trajectory)
        if beyond:
            return beyond
        away = np.abs(trajectory.start - self._joints())
        i = int(away.argmax())
        if not away[i] <= START_TOLERANCE:  # also if it is no number
            return (f'it starts {away[i]:.3f} rad away from where {self.limits.names[i]} is '
                    f'(at most {START_TOLERANCE:g} rad)')
        return ''

    def _unreadable(self, what: str, values: FloatArray) -> str:
        """A sentence if a reading of a joint is no number, or ''."""
        if math.isfinite(sum(values.tolist())):  # of a few numbers quicker than numpy
            return ''
        name = self.limits.names[int(np.isfinite(values).argmin())]
        return f'the {what} of {name} is no finite number; the arm was stopped'

    def _deaf(self, watch: ContactWatch | None) -> str:
        """A sentence if a contact that is watched for could not be felt, or ''."""
        return self._unreadable('torque', self._felt()) if watch else ''

    def _tracking_error(self, wanted: FloatArray) -> str:
        """A sentence if the arm is far from where it should be, or ''."""
        error = np.abs(self._joints() - wanted)
        i = int(error.argmax())
        if error[i] <= TRACKING_TOLERANCE:
            return ''
        return (f'{self.limits.names[i]} is {error[i]:.3f} rad off its trajectory (at most '
                f'{TRACKING_TOLERANCE:g} rad): something is in the way; the arm was stopped')

    def _brake_blindly(self, trajectory: JointTrajectory, at: float) -> None:
        """Come to rest along the path from moment `at`, without knowing where the arm is."""
        samples = brake(trajectory, min(at, trajectory.duration), self.limits, self._step)
        self._follow(samples)
        self._aim(samples[0][-1])
        self._await_standstill()

    def _hold_here(self) -> None:
        if np.isfinite(self._joints()).all():  # else the last target stays: nobody knows a better
            self._aim(self.limits.clamp(self._joints()))
        self._await_standstill()

    def _await_standstill(self, enough: Callable[[], bool] = lambda: True) -> None:
        """Step until the arm stands still and `enough` holds, at most for SETTLE_S."""
        for _ in range(round(SETTLE_S / self._period)):
            self._rest()
            if np.abs(self._speeds()).max() < STANDSTILL and enough():
                return

    def _arrive(self, goal: FloatArray, watch: ContactWatch | None) -> CommandResult:
        """Wait for the arm to settle at `goal`. What it feels there is a contact, too."""
        self._aim(goal)
        self._await_standstill(lambda: bool(np.abs(self._joints() - goal).max() < GOAL_TOLERANCE))
        unknown = self._unreadable('angle', self._joints()) or self._deaf(watch)
        if unknown:
            return aborted(unknown)
        contact = watch.contact(self._felt()) if watch else ''
        if contact and watch:
            self._hold_here()
            return watch.guard.ended_by(contact, watch.felt)
        error = np.abs(self._joints() - goal)
        i = int(error.argmax())
        if error[i] <= GOAL_TOLERANCE:
            return CommandResult(True)
        return replace(aborted(
            f'{self.limits.names[i]} settled {error[i]:.3f} rad away from its goal '
            f'(at most {GOAL_TOLERANCE:g} rad)', Cause.HELD_UP), short_of_goal=True)


def aborted(detail: str, cause: Cause = Cause.CONTROLLER_ERROR) -> CommandResult:
    return CommandResult(False, Reason.CONTROLLER_ABORTED, detail, cause=cause)
