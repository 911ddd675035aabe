# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An action server that runs a few goals at once; each ends in exactly one terminal state.

A goal that cannot run is accepted and aborted at once, with a result that says why: a rejected
goal could not carry a reason.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rclpy.action import CancelResponse, GoalResponse
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node

from replan_agent.domain.context import CancelToken

from .action_server import SteadyActionServer
from .waiting import every

CANCEL_SEEN_S = 2.0  # rclpy reports a cancel before it changes the goal's state
PULSE_S = 0.2
LATE_S = 4.0  # launch kills a process after ten


@dataclass
class GoalCall:
    """One goal: its request, and the means to end it and to report progress."""

    handle: Any
    cancel: CancelToken = field(default_factory=CancelToken)
    started: float = field(default_factory=time.monotonic)
    note: str = ''  # the current activity, for signs of life
    is_ended_by_us: bool = False  # no caller cancelled it
    waited: Any = None  # what `on_wait` kept, if others had to end before it ran

    @property
    def request(self) -> Any:
        return self.handle.request

    @property
    def goal_id(self) -> str:
        return bytes(self.handle.goal_id.uuid).hex()

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.started

    def publish(self, feedback: Any) -> None:
        self.handle.publish_feedback(feedback)


Answer = tuple[Any, bool]  # the result, and whether it is a success


class GoalServer:
    """Runs goals in threads of their own; `run` blocks and ends if the call is cancelled.

    `refused` builds the result of a goal that does not run. With `sign_of_life` each running goal
    sends feedback five times a second, so that a caller can tell a slow server from a dead one.
    `on_wait` gets each goal that waits and how many are before it, at once and when that changes.
    """

    def __init__(self, node: Node, action_type: Any, name: str, run: Callable[[GoalCall], Answer],
                 refused: Callable[[GoalCall, str], Any], at_once: int = 1, max_waiting: int = 0,
                 sign_of_life: Callable[[GoalCall], Any] | None = None,
                 on_wait: Callable[[GoalCall, int], None] = lambda call, ahead: None) -> None:
        self._node, self._run, self._refused = node, run, refused
        self._at_once, self._max_waiting = at_once, max_waiting
        self._sign_of_life, self._on_wait = sign_of_life, on_wait
        self._lock = threading.Condition()
        self._running: list[GoalCall] = []
        self._waiting: list[GoalCall] = []
        self._closed = ''
        self._cancelled_early: set[str] = set()  # before rclpy reported their acceptance
        self._server = SteadyActionServer(
            node, action_type, name, self._execute, callback_group=ReentrantCallbackGroup(),
            goal_callback=lambda goal: GoalResponse.ACCEPT,
            handle_accepted_callback=self._on_accepted, cancel_callback=self._on_cancel)
        self._pulse = every(node, PULSE_S, self._show_life, MutuallyExclusiveCallbackGroup()
                            ) if sign_of_life else None

    @property
    def running(self) -> tuple[GoalCall, ...]:
        with self._lock:
            return tuple(self._running)

    def tell_lost(self, results: Mapping[str, Any]) -> None:
        """Tell how goals of an earlier process ended, by id; it could not do so itself."""
        self._server.tell_lost(results)

    def close(self, reason: str, timeout_s: float) -> bool:
        """End all goals and accept no more; True if they ended in time."""
        with self._lock:
            self._closed = reason
            waiting, self._waiting = self._waiting, []
        for call in waiting:
            call.is_ended_by_us = True
            call.handle.execute(lambda _, call=call: self._refuse(call, reason))
        # Waits for others have ended then: what runs on is our own work, on a busy machine.
        return self.end(reason, timeout_s) or self.end(reason, LATE_S)

    def end(self, reason: str, timeout_s: float) -> bool:
        """End all goals; True if they ended in time."""
        with self._lock:
            for call in (*self._running, *self._waiting):
                call.is_ended_by_us = True
                call.cancel.cancel(reason)
            return self._lock.wait_for(lambda: not self._running, timeout_s)

    def _on_accepted(self, handle: Any) -> None:
        call = GoalCall(handle)
        with self._lock:
            refusal = self._closed
            if call.goal_id in self._cancelled_early:
                self._cancelled_early.remove(call.goal_id)
                call.cancel.cancel('cancelled by the caller')
                refusal = refusal or 'cancelled before it started'
            if not refusal and len(self._running) < self._at_once:
                self._running.append(call)
                self._wake_pulse()
            elif not refusal and len(self._waiting) < self._max_waiting:
                self._on_wait(call, len(self._running) + len(self._waiting))
                self._waiting.append(call)
                return
            else:
                refusal = refusal or self._busy()
        if refusal:
            handle.execute(lambda _: self._refuse(call, refusal))
        else:
            handle.execute()

    def _busy(self) -> str:
        waiting = f' and {len(self._waiting)} waiting' if self._waiting else ''
        return f'busy: {len(self._running)} running{waiting}, and no more may wait'

    def _on_cancel(self, handle: Any) -> CancelResponse:
        with self._lock:
            call = self._find_call(handle, (*self._running, *self._waiting))
            if call is None:  # rclpy informs the caller of an acceptance before us
                self._cancelled_early.add(GoalCall(handle).goal_id)
                return CancelResponse.ACCEPT
            call.cancel.cancel('cancelled by the caller')
            waited = call in self._waiting
            if waited:
                self._waiting.remove(call)
                self._move_up()
        if waited:
            handle.execute(lambda _: self._refuse(call, 'cancelled while it waited'))
        return CancelResponse.ACCEPT

    def _execute(self, handle: Any) -> Any:
        call = self._find_call(handle, self.running)
        assert call is not None, 'only accepted goals are executed'
        call.started = time.monotonic()
        try:
            result, success = self._run(call)
            self._end(call, success)
            return result
        finally:
            self._start_next(call)

    def _start_next(self, ended: GoalCall) -> None:
        with self._lock:
            self._running.remove(ended)
            following = self._waiting.pop(0) if self._waiting and not self._closed else None
            if following:
                self._running.append(following)
                self._move_up()
            self._lock.notify_all()
        if following:
            following.handle.execute()

    def _move_up(self) -> None:
        for ahead, call in enumerate(self._waiting, len(self._running)):
            self._on_wait(call, ahead)

    def _refuse(self, call: GoalCall, why: str) -> Any:
        result = self._refused(call, why)
        self._end(call, success=False)
        return result

    def _wake_pulse(self) -> None:
        if self._pulse is None:
            return
        self._pulse.reset()
        if self._node.executor is not None:
            self._node.executor.wake()  # it waits without the timer that rested

    def _show_life(self) -> None:
        """Tell the callers of running goals; without one, rest until the next goal.

        Only here, where it cannot be due: an executor ends when it meets a due timer that another
        thread has cancelled.
        """
        assert self._sign_of_life is not None and self._pulse is not None
        with self._lock:
            running = tuple(self._running)
            if not running:
                self._pulse.cancel()
        for call in running:
            call.publish(self._sign_of_life(call))

    @staticmethod
    def _find_call(handle: Any, calls: tuple[GoalCall, ...]) -> GoalCall | None:
        return next((call for call in calls if call.handle is handle), None)

    def _end(self, call: GoalCall, success: bool) -> None:
        """Enter the terminal state; a cancelled goal that did not succeed ends as cancelled.

        One that we ended ourselves is aborted.
        """
        if success:
            call.handle.succeed()
            return
        until = time.monotonic() + CANCEL_SEEN_S
        while (call.cancel.cancelled and not call.is_ended_by_us
               and not call.handle.is_cancel_requested and time.monotonic() < until):
            time.sleep(0.01)
        if call.handle.is_cancel_requested:
            call.handle.canceled()
        else:
            call.handle.abort()
