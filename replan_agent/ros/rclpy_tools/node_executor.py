# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""rclpy's MultiThreadedExecutor, with a short list of what it waits for."""

from __future__ import annotations

import time
from typing import Any

from rclpy.executors import MultiThreadedExecutor

try:
    from rclpy.event_handler import EventHandler
except ImportError:  # Humble
    from rclpy.qos_event import QoSEventHandler as EventHandler

EVENTS_S = 1.0


class NodeExecutor(MultiThreadedExecutor):
    """Before each wait, an executor lists everything that it waits for. This one lists less.

    It looks for the events of topics once a second only. Each publisher and each subscription has
    two of them, such as a quality of service that does not fit, which rclpy logs. They are a third
    of the list, and take most of the time.
    """

    _events_at = 0.0  # monotonic
    _events_listed = False  # by the list of this turn

    def can_execute(self, entity: Any) -> bool:
        if isinstance(entity, EventHandler):
            if time.monotonic() < self._events_at:
                return False
            self._events_listed = True
        return bool(super().can_execute(entity))

    def spin_once(self, timeout_sec: float | None = None) -> None:
        super().spin_once(timeout_sec)
        if self._events_listed:
            self._events_listed = False
            self._events_at = time.monotonic() + EVENTS_S
