# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""rclpy's ActionServer, with results that are kept in wall time, also those of a lost process."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any

from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from rclpy.action import ActionServer
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import qos_profile_action_status_default
from rclpy.task import Task
from unique_identifier_msgs.msg import UUID

from .action_client import CallsBackAtOnce

# How long a result is kept. By default rclpy keeps every trajectory in memory for 15 minutes.
# Humble counts from the start of a goal (ros2/rcl#1103): it must be long.
RESULT_KEPT_S = 900 if os.environ.get('ROS_DISTRO') == 'humble' else 60


class SteadyActionServer(CallsBackAtOnce, ActionServer):
    """Keeps a result for RESULT_KEPT_S of wall time, and runs each goal in a thread of its own.

    rclpy counts in the node's time. If that is the time of a simulation, it may jump or run fast,
    and a client that asks a moment later gets an empty result with status 0 (unknown).

    rclpy gives a goal to the executor as a task, which holds one of its threads.
    """

    def __init__(self, node: Node, action_type: Any, name: str, *args: Any, **kwargs: Any) -> None:
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)  # rcl keeps a pointer to it
        self._lost: dict[bytes, Any] = {}
        super().__init__(_WithClock(node, self._steady), action_type, name, *args,
                         result_timeout=RESULT_KEPT_S, **kwargs)
        self._node = node  # stamps are in its time
        self._status_topic = f'{name}/_action/status'

    def tell_lost(self, results: Mapping[str, Any]) -> None:
        """Tell the goals of an earlier process that died, by id: they count as aborted.

        Their clients wait for answers that never come. They see the status on the action's status
        topic (`goal_handle.status`), and get the result if they ask for it again.
        """
        if not results:
            return
        self._lost |= {bytes.fromhex(goal_id): result for goal_id, result in results.items()}
        self._lost_status = self._node.create_publisher(
            GoalStatusArray, self._status_topic, qos_profile_action_status_default)
        self._lost_status.publish(GoalStatusArray(status_list=[
            GoalStatus(goal_info=GoalInfo(goal_id=UUID(uuid=list(goal_id))),
                       status=GoalStatus.STATUS_ABORTED) for goal_id in self._lost]))

    def notify_execute(self, goal_handle: Any, execute_callback: Any) -> None:
        goal = Task(self._execute_goal, (execute_callback or self._execute_callback, goal_handle))

        def run() -> None:
            goal()
            if goal.exception() is not None:
                self._logger.error(f'a goal ended without a result: {goal.exception()!r}')

        threading.Thread(target=run, name='goal', daemon=True).start()

    def _send_result_response(self, request_header: Any, future: Any) -> None:
        try:
            super()._send_result_response(request_header, future)
        except Exception as error:  # noqa: BLE001 a caller must not wait for ever
            self._logger.error(f'the result of a goal cannot be sent: {error!r}')
            self._handle.send_result_response(
                request_header, self._action_type.Impl.GetResultService.Response(
                    status=GoalStatus.STATUS_ABORTED))

    async def _execute_get_result_request(self, request_header_and_message: Any) -> None:
        header, request = request_header_and_message
        result = self._lost.get(bytes(request.goal_id.uuid))
        if result is None:
            await super()._execute_get_result_request(request_header_and_message)
            return
        response = self._action_type.Impl.GetResultService.Response()
        response.status, response.result = GoalStatus.STATUS_ABORTED, result
        self._handle.send_result_response(header, response)


class _WithClock:
    """A node with another clock, for the constructor of ActionServer."""

    def __init__(self, node: Node, clock: Clock) -> None:
        self._node, self._clock = node, clock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)

    def get_clock(self) -> Clock:
        return self._clock
