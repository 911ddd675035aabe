# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""rclpy's ActionClient, made safe to call from a thread that does not spin."""

from __future__ import annotations

import threading
from typing import Any

from rclpy.action import ActionClient


class CallsBackAtOnce:
    """Its futures have no executor, so they call back in the thread that completes them.

    rclpy has the executor do it as a task, after it has listed all its entities again.
    """

    def add_future(self, future: Any) -> None:
        """Do nothing, where a Waitable tells the executor."""

    remove_future = add_future


class SteadyActionClient(CallsBackAtOnce, ActionClient):
    """Reads no answer while a request is being sent, and hands out feedback before the result.

    rclpy sends a request first and notes its number afterwards. An executor in another thread may
    read the answer in between. It then finds no matching request and drops the answer: the future
    never completes (ros2/rclpy#1123; later releases of Jazzy and Humble have their own lock).
    Also, once a result has arrived, rclpy drops feedback that still waits.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._sending = threading.RLock()
        super().__init__(*args, **kwargs)

    def send_goal_async(self, *args: Any, **kwargs: Any) -> Any:
        with self._sending:
            return super().send_goal_async(*args, **kwargs)

    def _cancel_goal_async(self, *args: Any, **kwargs: Any) -> Any:
        with self._sending:
            return super()._cancel_goal_async(*args, **kwargs)

    def _get_result_async(self, *args: Any, **kwargs: Any) -> Any:
        with self._sending:
            return super()._get_result_async(*args, **kwargs)

    def take_data(self) -> Any:
        with self._sending:
            data = super().take_data()
            if 'result' in data:
                first, kind = data.pop('feedback', None), self._action_type.Impl.FeedbackMessage
                rest = iter(lambda: self._client_handle.take_feedback(kind), None)
                data['earlier'] = [*([first] if first is not None else []), *rest]
            return data

    async def execute(self, taken_data: Any) -> None:
        with self._sending:  # nobody drops a request between the look for it and its answer
            for feedback in taken_data.pop('earlier', ()):
                await super().execute({'feedback': feedback})
            await super().execute(taken_data)

    def _remove_pending_request(self, *args: Any) -> Any:
        with self._sending:
            return super()._remove_pending_request(*args)
