# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Signs of life of a node, and those who hear them."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from replan_agent_interfaces.msg import Heartbeat
from std_msgs.msg import Header
from unique_identifier_msgs.msg import UUID

from .qos import HEARTBEAT
from .waiting import every


class Heart:
    """Beats every `period_s` of wall time. `beat` also at the start and the end of a command."""

    def __init__(self, node: Node, topic: str, period_s: float,
                 commanding: Callable[[], bool] = lambda: False) -> None:
        self._clock, self._commanding = node.get_clock(), commanding
        self._process = UUID(uuid=list(uuid.uuid4().bytes))
        self._publisher = node.create_publisher(Heartbeat, topic, HEARTBEAT)
        self._one_beat = threading.Lock()  # an older state must not be sent last
        every(node, period_s, self.beat)

    def beat(self) -> None:
        with self._one_beat:
            self._publisher.publish(Heartbeat(
                header=Header(stamp=self._clock.now().to_msg()), process=self._process,
                commanding=self._commanding()))


def hear(node: Node, topic: str, on_beat: Callable[[Heartbeat], None]) -> None:
    """Call back for each beat on a topic."""
    node.create_subscription(Heartbeat, topic, on_beat, HEARTBEAT,
                             callback_group=MutuallyExclusiveCallbackGroup())
