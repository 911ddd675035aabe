"""rclpy's MultiThreadedExecutor, with short lists of what it waits for, and fewer of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from rclpy.executors import MultiThreadedExecutor
from rclpy.task import Task

try:
    from rclpy.event_handler import EventHandler
except ImportError:  # Humble
    from rclpy.qos_event import QoSEventHandler as EventHandler

EVENTS_S = 1.0


class NodeExecutor(MultiThreadedExecutor):
    """Before each wait, an executor lists everything that it waits for. This one does so less.

    It looks for the events of topics once a second only. Each publisher and each subscription has
    two of them, such as a quality of service that does not fit, which rclpy logs. They are a third
    of the list, and take most of the time.

    It takes a message before it hands the callback to a thread. rclpy does so in that thread, and
    lists everything again after the message is taken, and after the callback. Here only a callback
    that held up others of its group leads to a new list. Callbacks are functions: a coroutine that
    waits is not resumed.
    """

    _events_at = 0.0  # monotonic
    _events_listed = False  # by the list of this turn
    _left_out = False  # a list lacks something, because a callback of its group ran

    def can_execute(self, entity: Any) -> bool:
        if isinstance(entity, EventHandler):
            if time.monotonic() < self._events_at:
                return False
            self._events_listed = True
        if super().can_execute(entity):
            return True
        self._left_out = True
        return bool(super().can_execute(entity))  # the callback may have ended before it could see

    def spin_once(self, timeout_sec: float | None = None) -> None:
        super().spin_once(timeout_sec)
        if self._events_listed:
            self._events_listed = False
            self._events_at = time.monotonic() + EVENTS_S

    def _make_handler(self, entity: Any, node: Any, take: Callable[[Any], Any],
                      *others: Any) -> Any:
        if others or not hasattr(self, '_tasks'):  # Humble; releases after Jazzy
            return super()._make_handler(entity, node, take, *others)
        group = entity.callback_group
        if not group.beginning_execution(entity):
            return Task(lambda: None)
        callback = take(entity)

        async def handler() -> None:
            try:
                if callback is not None:
                    await callback()
            finally:
                group.ending_execution(entity)
                if self._left_out:
                    self._left_out = False
                    self.wake()

        return Task(handler, executor=self)
