# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A topic that is listened to for a while: how often it came, and the last message."""

from __future__ import annotations

import time
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data

NANOSECONDS = 1e9


class Heard:
    """Counts messages and keeps the last one."""

    def __init__(self, node: Node, kind: Any, topic: str,
                 qos: QoSProfile = qos_profile_sensor_data) -> None:
        self.topic, self._node = topic, node
        self.last: Any = None
        self.names: set[str] = set()  # of joints, in all messages
        self.late_s = 0.0  # how far the last stamp is from this machine's time
        self._times: list[float] = []
        node.create_subscription(kind, topic, self._keep, qos,
                                 callback_group=MutuallyExclusiveCallbackGroup())

    def _keep(self, message: Any) -> None:
        self.last = message
        self.names |= set(getattr(message, 'name', ()))
        self._times.append(time.monotonic())
        stamp = message.header.stamp
        now = self._node.get_clock().now().nanoseconds
        self.late_s = (now - stamp.sec * NANOSECONDS - stamp.nanosec) / NANOSECONDS

    def listen_again(self) -> None:
        """Forget how often it came until now; the last message of a latched topic stays."""
        self._times, self.names = [], set()

    @property
    def rate(self) -> float:
        """Messages a second, from the first one until now; 0 if fewer than two came."""
        times = self._times
        return (len(times) - 1) / (time.monotonic() - times[0]) if len(times) > 1 else 0.0
