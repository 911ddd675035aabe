# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An answer that comes while its request is still being sent, with the real rclpy and DDS."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from echo_server import STEPS, EchoServer
from replan_agent_interfaces.action import ExecuteTask
from rig import WAIT_S, finished

from replan_agent.ros.rclpy_tools.action_client import SteadyActionClient
from replan_agent.ros.rclpy_tools.node_process import Spinning

LONG_S = 0.5  # an answer takes a few milliseconds


class SlowToReturn:
    """A client's handle that returns late from one kind of sending: after the answer, if any."""

    def __init__(self, handle: Any, slow: str, answered: threading.Event) -> None:
        self._handle, self._slow, self._answered = handle, slow, answered

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._handle, name)
        return found if name != self._slow else self._then_wait(found)

    def _then_wait(self, send: Any) -> Any:
        def sent(request: Any) -> Any:
            self._answered.clear()
            number = send(request)
            self._answered.wait(LONG_S)
            return number

        return sent


class SlowClient(SteadyActionClient):
    def __init__(self, node: Any, slow: str) -> None:
        self.answered = threading.Event()
        super().__init__(node, ExecuteTask, 'execute_task')
        self._client_handle = SlowToReturn(self._client_handle, slow, self.answered)

    async def execute(self, taken_data: Any) -> None:
        await super().execute(taken_data)
        if {'goal', 'cancel', 'result'} & set(taken_data):
            self.answered.set()


@pytest.mark.parametrize(('slow', 'task'), [('send_goal_request', 'anything'),
                                            ('send_cancel_request', 'wait'),
                                            ('send_result_request', 'anything')])
def test_an_answer_that_is_faster_than_the_note_of_its_request_is_not_lost(ros: Any, slow: str,
                                                                    task: str) -> None:
    caller = ros.create_node('caller')
    client = SlowClient(caller, slow)
    with Spinning([caller, EchoServer()]):
        assert client.wait_for_server(WAIT_S)
        handle = finished(client.send_goal_async(ExecuteTask.Goal(task=task)))
        if task == 'wait':
            assert finished(handle.cancel_goal_async()).goals_canceling
        answer = finished(handle.get_result_async())
    assert answer.status in (GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED)


def test_feedback_that_waits_beside_the_result_comes_first(ros: Any) -> None:
    """The client is slow: all feedback and the result are there when it looks."""
    caller, feedback = ros.create_node('caller'), []
    client = SteadyActionClient(caller, ExecuteTask, 'execute_task')
    with Spinning([EchoServer()]), Spinning([caller]) as slow:
        assert client.wait_for_server(WAIT_S)
        goal = ExecuteTask.Goal(task='anything')
        handle = finished(client.send_goal_async(goal, feedback.append))
        with client._sending:  # nothing is taken
            ended = handle.get_result_async()
            time.sleep(LONG_S)
        finished(ended)
    assert [m.feedback.step_idx for m in feedback] == list(range(STEPS)) and slow.error is None
