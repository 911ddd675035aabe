"""Commands to the simulated arm: one at a time, in the physics thread, ended by cancel or stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import TimeoutError as NotInTime
from typing import Any

from replan_agent.domain.context import Cancelled, CancelToken, Context, DeadlineExceeded
from replan_agent.domain.robot import CommandResult
from replan_agent.domain.skill import Reason

from .physics import Physics
from .stop_latch import NoStandstill

Command = Callable[[Context], CommandResult]

CANCELLED = 'cancelled by the client'
STANDSTILL_S = 10.0  # wall time that braking may take on a busy machine


class Commands:
    """Runs commands of action goals. Each ends at standstill, whatever ended it.

    `refusal` is why nothing may move now, or ''; `after` is called in the physics thread when a
    command is over, before its goal is.
    """

    def __init__(self, physics: Physics, refusal: Callable[[], str], after: Callable[[], None],
                 timeout_s: float) -> None:
        self._physics, self._refusal, self._after = physics, refusal, after
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._running: tuple[bytes, str, CancelToken] | None = None
        self._cancelled: set[bytes] = set()  # goals, which may not run yet
        self._over = threading.Event()
        self._over.set()

    @property
    def moving(self) -> bool:
        return self._running is not None

    def cancel(self, goal_id: Any) -> None:
        """The goal of this id shall end; it may be running or about to."""
        with self._lock:
            self._cancelled.add(bytes(goal_id.uuid))
            if self._running and self._running[0] == bytes(goal_id.uuid):
                self._running[2].cancel(CANCELLED)

    def stop(self) -> None:
        """End the running command; returns at standstill or raises NoStandstill."""
        with self._lock:
            if self._running:
                self._running[2].cancel('stop was called; the arm stands still')
        if not self._over.wait(STANDSTILL_S):
            raise NoStandstill(f'the simulated arm did not come to rest in {STANDSTILL_S:g} s')

    def run(self, goal_id: Any, what: str, command: Command) -> CommandResult:
        """Do it; raises Cancelled when the goal was cancelled. `what` is named in refusals."""
        token, key = CancelToken(), bytes(goal_id.uuid)
        try:
            return self._begin(key, what, token) or self._finish(command, token)
        except Cancelled:
            refusal = self._refusal()
            if key in self._cancelled and not refusal:
                raise
            return CommandResult(False, Reason.STOPPED, refusal or f'stopped: {token.reason}')
        finally:
            self._end(key)

    def _begin(self, goal_id: bytes, what: str, token: CancelToken) -> CommandResult | None:
        """Claim the arm; the refusal when it cannot be had."""
        with self._lock:
            if self._running:
                return CommandResult(False, Reason.CONTROLLER_ABORTED,
                                     f'refused: the arm is busy with {self._running[1]}')
            refusal = self._refusal()
            if refusal:
                return CommandResult(False, Reason.STOPPED, refusal)
            if goal_id in self._cancelled:
                token.cancel(CANCELLED)
            self._running = (goal_id, what, token)
            self._over.clear()
        return None

    def _end(self, goal_id: bytes) -> None:
        with self._lock:
            self._cancelled.discard(goal_id)
            if self._running and self._running[0] == goal_id:
                self._running = None
                self._over.set()

    def _finish(self, command: Command, token: CancelToken) -> CommandResult:
        ctx = Context(token, time.monotonic() + self._timeout_s)
        future = self._physics.do(lambda: self._do(command, ctx))
        try:
            return future.result(self._timeout_s + STANDSTILL_S)
        except DeadlineExceeded:
            return CommandResult(False, Reason.TIMEOUT, f'not done after {self._timeout_s:g} s of '
                                                        'wall time; the arm was stopped')
        except NotInTime:
            token.cancel('given up')
            return CommandResult(False, Reason.CONTROLLER_ABORTED,
                                 'the physics thread does not answer')

    def _do(self, command: Command, ctx: Context) -> CommandResult:
        ctx.check()
        try:
            return command(ctx)
        finally:
            self._after()
