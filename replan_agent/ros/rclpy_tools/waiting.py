# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Waiting for answers of other nodes without spinning: another thread completes the futures."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.callback_groups import CallbackGroup, ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer

from replan_agent.domain.context import Context

POLL_S = 0.02


def finished(future: Any, timeout_s: float) -> bool:
    """True if the future is done in time."""
    return first_finished([future], timeout_s, Context()) is not None


def first_finished(futures: Sequence[Any], timeout_s: float, ctx: Context) -> Any | None:
    """A future that is done in time, or None; raises as soon as the context ends."""
    done = threading.Event()
    for future in futures:
        future._set_executor = lambda executor: None  # it would call back later, as a task
        future.add_done_callback(lambda _: done.set())
    holds_in_time(done.is_set, timeout_s, ctx, done.wait)
    return next((future for future in futures if future.done()), None)


def holds_in_time(condition: Callable[[], bool], timeout_s: float, ctx: Context,
                  pause: Callable[[float], Any] = time.sleep) -> bool:
    """True if the condition becomes true in time; raises as soon as the context ends."""
    until = time.monotonic() + timeout_s
    while not condition():
        ctx.check()
        if time.monotonic() >= until:
            return False
        pause(POLL_S)
    return True


def every(node: Node, period_s: float, callback: Callable[[], None],
          group: CallbackGroup | None = None) -> Timer:
    """Call back every `period_s` of wall time: robot time may stand still."""
    return node.create_timer(period_s, callback, group or ReentrantCallbackGroup(),
                             clock=Clock(clock_type=ClockType.STEADY_TIME))
