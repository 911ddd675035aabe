"""A cancel that comes before the server knows of its goal, with the real rclpy and DDS."""

from __future__ import annotations

import threading
from typing import Any

from action_msgs.msg import GoalStatus
from replan_agent_interfaces.action import ExecuteTask
from rig import WAIT_S, finished

from replan_agent.ros.rclpy_tools.action_client import SteadyActionClient
from replan_agent.ros.rclpy_tools.goal_server import GoalServer
from replan_agent.ros.rclpy_tools.node_process import Spinning


class LateToKnow(GoalServer):
    """Hears of an acceptance only after the cancel, which rclpy allows."""

    def __init__(self, *args: Any) -> None:
        self.cancel_came = threading.Event()
        super().__init__(*args)

    def _on_accepted(self, handle: Any) -> None:
        assert self.cancel_came.wait(WAIT_S)
        super()._on_accepted(handle)

    def _on_cancel(self, handle: Any) -> Any:
        answer = super()._on_cancel(handle)
        self.cancel_came.set()
        return answer


def test_a_goal_that_is_cancelled_before_it_is_known_never_starts(ros: Any) -> None:
    caller, host, ran = ros.create_node('caller'), ros.create_node('host'), []
    server = LateToKnow(host, ExecuteTask, 'execute_task',
                        lambda call: (ran.append(call), (ExecuteTask.Result(), True))[1],
                        lambda call, why: ExecuteTask.Result(error_msg=why))
    client = SteadyActionClient(caller, ExecuteTask, 'execute_task')
    with Spinning([caller, host]):
        assert client.wait_for_server(WAIT_S)
        handle = finished(client.send_goal_async(ExecuteTask.Goal(task='anything')))
        finished(handle.cancel_goal_async())
        answer = finished(handle.get_result_async())
    assert answer.status == GoalStatus.STATUS_CANCELED and not ran and not server.running
    assert answer.result.error_msg == 'cancelled before it started'
