# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The true objects of the simulation, from its truth topic."""

from __future__ import annotations

import threading
from collections.abc import Callable

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from replan_agent_interfaces.msg import Scene as SceneMsg

from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.ros.messages.message_fields import MessageError, time_from_msg
from replan_agent.ros.messages.message_table import from_msg
from replan_agent.ros.rclpy_tools.qos import LATCHED

TRUTH = 'sim/ground_truth'
TIMEOUT_S = 5.0


class RosTruth:
    """The true objects, not older than `not_before` (robot time, s)."""

    def __init__(self, node: Node, not_before: Callable[[], float]) -> None:
        self._not_before = not_before
        self._changed = threading.Condition()
        self._last: SceneMsg | None = None
        node.create_subscription(SceneMsg, TRUTH, self._keep, LATCHED,
                                 callback_group=MutuallyExclusiveCallbackGroup())

    def __call__(self) -> tuple[SceneObject, ...]:
        """The objects; raises PerceptionError if nothing new comes in time."""
        since = self._not_before()
        with self._changed:
            if not self._changed.wait_for(lambda: self._is_from(since), TIMEOUT_S):
                raise PerceptionError(f'nothing new enough on {TRUTH} within '
                                      f'{TIMEOUT_S:g} s')
            last = self._last
        try:
            return from_msg(Scene, last).objects
        except MessageError as error:
            raise PerceptionError(f'{TRUTH}: {error}') from error

    def _keep(self, scene: SceneMsg) -> None:
        with self._changed:
            self._last = scene
            self._changed.notify_all()

    def _is_from(self, since: float) -> bool:
        return self._last is not None and time_from_msg(self._last.header.stamp) >= since
