# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The real ExecuteTask on the real rclpy and DDS: in one process, and between two."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from echo_server import STEPS, EchoServer
from replan_agent_interfaces.action import ExecuteTask
from rig import ASK_AGAIN_S, WAIT_S, finished, is_finished

from replan_agent.agent.task_progress import Progress
from replan_agent.domain.task_result import TaskResult
from replan_agent.ros.messages.message_table import from_msg
from replan_agent.ros.rclpy_tools.action_client import SteadyActionClient
from replan_agent.ros.rclpy_tools.node_process import Spinning


class Caller:
    """Sends goals from a node of its own."""

    def __init__(self, node: Any) -> None:
        self.client = SteadyActionClient(node, ExecuteTask, 'execute_task')
        self.feedback: list[Any] = []

    def send(self, task: str) -> Any:
        """The handle of a new goal. An answer may be lost between processes that just met."""
        assert self.client.wait_for_server(timeout_sec=WAIT_S), 'the server did not appear'
        sent = self._sent(task)
        return finished(sent if is_finished(sent, ASK_AGAIN_S) else self._sent(task))

    def _sent(self, task: str) -> Any:
        feedback: list[Any] = []
        self.feedback = feedback  # of the newest goal
        return self.client.send_goal_async(
            ExecuteTask.Goal(task=task),
            feedback_callback=lambda m: feedback.append(from_msg(Progress, m.feedback)))


@pytest.fixture(params=['one process', 'two processes'])
def caller(ros: Any, request: pytest.FixtureRequest) -> Iterator[Caller]:
    """A caller of an echo server that is in this process or in another."""
    node = ros.create_node('caller')
    if request.param == 'one process':
        with Spinning([node, EchoServer()]):
            yield Caller(node)
        return
    script = str(Path(__file__).with_name('echo_server.py'))
    server = subprocess.Popen([sys.executable, script])
    with Spinning([node]):
        yield Caller(node)
    server.send_signal(signal.SIGINT)
    try:
        assert server.wait(WAIT_S) == 0, 'the server did not end cleanly'
    finally:
        server.kill()


def test_goals_feedback_results_refusal_and_cancel(caller: Caller) -> None:
    handle = caller.send('put the red cube in the bowl — ✓')
    assert handle.accepted
    answer = finished(handle.get_result_async())
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    result = from_msg(TaskResult, answer.result)
    assert (result.task, result.success) == ('put the red cube in the bowl — ✓', True)
    assert [p.step_idx for p in caller.feedback] == list(range(STEPS))

    assert not caller.send('').accepted

    handle = caller.send('wait')
    cancelled = finished(handle.cancel_goal_async())
    assert len(cancelled.goals_canceling) == 1
    answer = finished(handle.get_result_async())
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert answer.result.final_reason == ExecuteTask.Result.FINAL_CANCELLED
    assert answer.result.error_code == ExecuteTask.Result.CANCELLED
