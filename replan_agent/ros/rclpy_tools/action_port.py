# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An action of another node, called from a thread that never spins."""

from __future__ import annotations

import math
import queue
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from replan_agent.domain.context import Cancelled, Context, DeadlineExceeded
from replan_agent.domain.port_errors import NodeLost

from .action_client import SteadyActionClient
from .own_pause import OwnPause
from .timeouts import Timeouts
from .waiting import POLL_S, holds_in_time

RESEND_S = 1.0
LATE_S = 0.7  # after a stop nothing is sent again, but an answer may be late
ASK_AGAIN_S = 5.0  # without feedback: a server that was started again has lost the request
PAUSED_S = 1.0  # a poll that took this much longer than asked: this process did not run
GONE_S = 1.0  # discovery can flicker; a server that is away longer is gone


class GoalRefused(NodeLost):
    """The server is there but does not accept the goal."""


class ActionPort:
    """Sends goals and follows each to its end: a result, a confirmed cancel, or NodeLost.

    A server that was just discovered may miss a goal, or its answer may get lost. With `resend`
    the goal is sent again with the same id: our own servers reject a goal only if they already
    have its id. Servers of other packages may not handle that.
    """

    def __init__(self, node: Node, action_type: Any, name: str, server: str,
                 timeouts: Timeouts, resend: bool = False) -> None:
        self._client = SteadyActionClient(node, action_type, name,
                                          callback_group=MutuallyExclusiveCallbackGroup())
        self._name, self._server, self._log = name, server, node.get_logger()
        self.timeouts, self.resend = timeouts, resend
        self.heard = 0.0  # monotonic time of another sign of life
        self.others_ended = False  # the last goal was over, or cancelled, before our cancel came
        self.give_up_at = math.inf  # this process ends then: no wait goes on, monotonic

    def call(self, goal: Any, ctx: Context, on_feedback: Callable[[Any], None],
             goal_id: UUID | None = None) -> Any:
        """The answer (`.status`, `.result`) to a goal; feedback is passed on in this thread.

        If the context ends, the goal is cancelled, and the answer says how it ended; if it ends
        before the goal is sent, its exception is raised. `goal_id` is for a caller that must know
        it; it is new for each goal.
        """
        self.await_server(ctx)
        ctx.check()  # the last moment: nothing is sent after a stop
        inbox: queue.Queue[Any] = queue.Queue()
        handle = self._send(goal, lambda message: inbox.put(message.feedback),
                            goal_id or UUID(uuid=list(uuid.uuid4().bytes)), ctx)
        answer = _Answer(handle, lambda: inbox.put(None))
        watch = _Watch(self, answer, inbox, on_feedback)
        try:
            watch.until_done(ctx)
        except (Cancelled, DeadlineExceeded):
            self._cancel(handle, answer, watch)
        except NodeLost:
            raise
        except Exception:
            watch.on_feedback = lambda feedback: None
            self._cancel(handle, answer, watch)  # no goal runs on without a caller
            raise
        finally:
            answer.drop()
        ended = answer.result()
        if ended.status == GoalStatus.STATUS_UNKNOWN:
            raise self.lost('does not know the goal: it was started again')
        return ended

    def lost(self, what: str) -> NodeLost:
        return NodeLost(f'{self._server} {what} ({self._name})')

    def is_there(self) -> bool:
        return bool(self._client.server_is_ready())

    def note_pause(self, pause_s: float) -> None:
        """Say that this process did not run: what it did not hear is not the server's fault."""
        self._log.warning(f'this process stood still for {pause_s:.1f} s while it waited for '
                          f'{self._server}; it heard nothing in that time')

    def await_server(self, ctx: Context) -> None:
        """Wait for the server; raises NodeLost if it does not appear."""
        limit = self.timeouts.appear_timeout
        if not holds_in_time(self.is_there, limit, ctx):
            raise self.lost(f'is not there; waited {limit:g} s')

    def _send(self, goal: Any, on_feedback: Callable[[Any], None], goal_id: UUID,
              ctx: Context) -> Any:
        """The handle of the goal that the server got; a goal accepted too late is cancelled."""
        limit = self.timeouts.restart_timeout if self.resend else self.timeouts.answer_timeout
        began = time.monotonic()
        unanswered: list[Any] = []
        while time.monotonic() < min(began + limit, self.give_up_at):
            sent = self._client.send_goal_async(goal, on_feedback, goal_id)
            wait_s = min(RESEND_S, limit) if self.resend else limit
            if self._answered(sent, wait_s) or ctx.over and self._answered(sent, LATE_S):
                handle = sent.result()
                if not handle.accepted and not unanswered:
                    raise GoalRefused(f'{self._server} refused the goal ({self._name})')
                for earlier in unanswered:
                    earlier.cancel()  # drops the request
                return handle
            unanswered.append(sent)
            if ctx.over:
                break
        for sent in unanswered:
            sent.add_done_callback(_cancel_if_accepted)
        raise self.lost(f'does not answer; waited {time.monotonic() - began:.1f} s')

    def _answered(self, sent: Any, timeout_s: float) -> bool:
        done = threading.Event()
        sent.add_done_callback(lambda _: done.set())
        holds_in_time(lambda: done.is_set() or time.monotonic() >= self.give_up_at, timeout_s,
                      Context(), done.wait)
        return done.is_set()

    def _cancel(self, handle: Any, answer: _Answer, watch: _Watch) -> None:
        """Cancel a goal and wait for its end; raises NodeLost if the end is not confirmed."""
        began, asked = time.monotonic(), list[Any]()
        while not answer.done() and time.monotonic() < min(
                began + self.timeouts.stop_timeout, self.give_up_at):
            asked.append(handle.cancel_goal_async())
            watch.until_done(Context(), min(RESEND_S, self.give_up_at - time.monotonic()))
        if not answer.done():
            waited_s = time.monotonic() - began
            raise self.lost(f'did not end a cancelled goal; waited {waited_s:.1f} s')
        holds_in_time(lambda: all(one.done() for one in asked), RESEND_S, Context())
        self.others_ended = not any(not one.done() or one.result().goals_canceling
                                    for one in asked)


class _Answer:
    """The answer to a goal: to the first request for its result, or to a later one."""

    def __init__(self, handle: Any, on_done: Callable[[], None]) -> None:
        self._handle, self._on_done = handle, on_done
        self._asked: list[Any] = []
        self.ask()

    def ask(self) -> None:
        """Ask for the result. A server that was started again has lost earlier requests."""
        self._asked.append(self._handle.get_result_async())
        self._asked[-1].add_done_callback(lambda _: self._on_done())
        self.asked = time.monotonic()

    def done(self) -> bool:
        return any(future.done() for future in self._asked)

    def result(self) -> Any:
        return next(future for future in self._asked if future.done()).result()

    def drop(self) -> None:
        """Drop requests without an answer. rclpy warns of those that come later."""
        if self.done():
            holds_in_time(lambda: all(one.done() for one in self._asked), RESEND_S, Context())
        waiting = [future for future in self._asked if not future.done()]
        self._asked = [future for future in self._asked if future not in waiting]
        for future in waiting:
            future.cancel()


def _cancel_if_accepted(sent: Any) -> None:
    """Cancel a goal that was accepted after we gave up: it must not start."""
    handle = None if sent.exception() else sent.result()
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()


class _Watch:
    """Waits for the end of a goal while its server shows signs of life."""

    def __init__(self, port: ActionPort, answer: _Answer, inbox: queue.Queue[Any],
                 on_feedback: Callable[[Any], None]) -> None:
        self._port, self._answer, self._inbox = port, answer, inbox
        self.on_feedback = on_feedback
        self._heard = self._seen = time.monotonic()

    def until_done(self, ctx: Context, timeout_s: float = float('inf')) -> None:
        until = time.monotonic() + timeout_s
        self._pause = OwnPause(POLL_S, PAUSED_S)
        while not self._answer.done() and time.monotonic() < until:
            ctx.check()
            try:
                feedback = self._inbox.get(timeout=POLL_S)
            except queue.Empty:
                feedback = None
            self._leave_out_pause()
            if feedback is None:
                if not self._answer.done():
                    self._check_alive()
                continue
            self._heard = time.monotonic()
            self.on_feedback(feedback)
        while not self._inbox.empty():
            feedback = self._inbox.get()
            if feedback is not None:
                self.on_feedback(feedback)

    def _leave_out_pause(self) -> None:
        """Time in which this process did not run does not count as silence of the server."""
        pause_s = self._pause.look()
        if pause_s:
            self._heard, self._seen = self._heard + pause_s, self._seen + pause_s
            self._port.note_pause(pause_s)

    def _check_alive(self) -> None:
        now = time.monotonic()
        if self._port.is_there():
            self._seen = now
        if now - self._seen > GONE_S:
            raise self._port.lost(f'has gone; waited {now - self._seen:.1f} s')
        silent_s = now - max(self._heard, self._port.heard)
        if silent_s > self._port.timeouts.silence_timeout:
            raise self._port.lost(f'fell silent; waited {silent_s:.1f} s')
        if self._port.resend and now - max(self._heard, self._answer.asked) > ASK_AGAIN_S:
            self._answer.ask()
