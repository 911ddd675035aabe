# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands to the simulated arm: one at a time, in the physics thread, ended by cancel or stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import TimeoutError as NotInTime

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Cancelled, CancelToken, Context, DeadlineExceeded
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.skill import Reason
from replan_agent.ros.arm.standstill import NoStandstill
from replan_agent.ros.rclpy_tools.watched_context import WatchedContext

from .physics import Physics

Command = Callable[[Context], CommandResult]

STANDSTILL_S = 10.0  # wall time that braking may take on a busy machine


class Commands:
    """Runs commands of arm and gripper. Each ends at standstill, whatever ended it.

    `refusal` returns why nothing may move now, or ''; `after` is called in the physics thread at
    the end of a command, before its caller gets the result.
    """

    def __init__(self, physics: Physics, refusal: Callable[[], str], after: Callable[[], None],
                 timeout_s: float) -> None:
        self._physics, self._refusal, self._after = physics, refusal, after
        self._timeout_s = timeout_s
        self._state = threading.Condition()
        self._running = ''  # name of the running command
        self._stopped = ''  # why it should end
        self._cancel = CancelToken()  # of the running or the last command

    @property
    def moving(self) -> bool:
        return bool(self._running)

    def await_cancel(self, seconds: float) -> None:
        """Sleep for `seconds`, or until the running command is cancelled."""
        self._cancel.wait(seconds)

    def stop(self) -> None:
        """End the running command; returns at standstill or raises NoStandstill."""
        with self._state:
            if self._running:
                self._stopped = 'stopped: stop was called; the arm stands still'
            if not self._state.wait_for(lambda: not self._running, STANDSTILL_S):
                raise NoStandstill(f'the simulated arm did not come to rest in {STANDSTILL_S:g} s')

    def interrupt(self, why: str) -> None:
        """Let the running command end at its next control period; `why` is in its result."""
        with self._state:
            if self._running:
                self._stopped = why

    def run(self, what: str, command: Command, cancel: CancelToken) -> CommandResult:
        """Run a command; raises Cancelled if `cancel` ended it. `what` is its name in refusals."""
        with self._state:
            if self._running:
                return CommandResult(False, Reason.CONTROLLER_ABORTED,
                                     f'refused: the arm is busy with {self._running}',
                                     cause=Cause.TRAJECTORY_REFUSED)
            refusal = self._refusal()
            if refusal:
                return CommandResult(False, Reason.STOPPED, refusal, cause=Cause.STOPPED)
            self._running, self._stopped, self._cancel = what, '', cancel
        try:
            return self._finish(command, cancel)
        finally:
            with self._state:
                self._running = ''
                self._state.notify_all()

    def _finish(self, command: Command, cancel: CancelToken) -> CommandResult:
        ctx = WatchedContext.of(Context(cancel).within(self._timeout_s), lambda: self._stopped)
        future = self._physics.do(lambda: self._do(command, ctx))
        try:
            return future.result(self._timeout_s + STANDSTILL_S)
        except Cancelled:
            if cancel.cancelled:
                raise
            return CommandResult(False, Reason.STOPPED, self._refusal() or self._stopped,
                                 cause=Cause.STOPPED)
        except DeadlineExceeded:
            return CommandResult(False, Reason.TIMEOUT, f'not done after {self._timeout_s:g} s of '
                                 'wall time; the arm was stopped', cause=Cause.TOOK_TOO_LONG)
        except NotInTime:
            return CommandResult(False, Reason.CONTROLLER_ABORTED,
                                 'the physics thread does not answer',
                                 cause=Cause.CONTROLLER_ERROR)

    def _do(self, command: Command, ctx: Context) -> CommandResult:
        ctx.check()
        try:
            return command(ctx)
        finally:
            self._after()
