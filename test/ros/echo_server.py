# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An action server that answers every task at once or slowly: for tests of the types, not of us.

As a script it serves until it is interrupted:  python3 echo_server.py
"""

from __future__ import annotations

import threading

import rclpy
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from replan_agent_interfaces.action import ExecuteTask

from replan_agent.agent.task_progress import Progress, State
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.ros.messages.call_messages import order_from_msg, task_result_to_msg
from replan_agent.ros.messages.message_fields import MessageError
from replan_agent.ros.messages.message_table import to_msg

STEPS = 5


class EchoServer(Node):
    """Succeeds after STEPS feedbacks; a task called 'wait' goes on until it is cancelled."""

    def __init__(self) -> None:
        super().__init__('echo_server')
        self._tick = threading.Event()  # never set: a sleep
        self.server = ActionServer(
            self, ExecuteTask, 'execute_task', self._execute,
            callback_group=ReentrantCallbackGroup(), goal_callback=self._accept,
            cancel_callback=lambda _: CancelResponse.ACCEPT)

    def _accept(self, goal: ExecuteTask.Goal) -> GoalResponse:
        try:
            order_from_msg(goal)
        except MessageError:
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _execute(self, handle):  # type: ignore[no-untyped-def]
        task = handle.request.task
        count = 0
        while count < STEPS or task == 'wait':
            if handle.is_cancel_requested:
                handle.canceled()
                return self._result(task, FinalReason.CANCELLED, f'after {count} feedbacks')
            handle.publish_feedback(to_msg(
                Progress(State.EXECUTING, plan_version=1, step_idx=count)))
            count += 1
            self._tick.wait(0.02)
        handle.succeed()
        return self._result(task, FinalReason.PLAN_COMPLETE, 'done')

    def _result(self, task: str, reason: FinalReason, detail: str) -> ExecuteTask.Result:
        return task_result_to_msg(TaskResult(
            task, reason is FinalReason.PLAN_COMPLETE, reason, detail, 0, 0, (), (), (), (),
            None, 'echo', 'none', 0, 0))


def main() -> None:
    rclpy.init()
    node = EchoServer()
    executor = MultiThreadedExecutor(2)
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
