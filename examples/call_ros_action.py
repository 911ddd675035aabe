# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A task for the agent over ROS 2, from Python. It needs a running graph, for instance:

    ros2 launch replan_agent sim.launch.py
    python3 examples/call_ros_action.py "pick up the red cube"
"""

import sys

try:
    import rclpy
    from rclpy.action import ActionClient
    from rclpy.node import Node
    from replan_agent_interfaces.action import ExecuteTask
except ModuleNotFoundError as error:
    raise SystemExit(
        f'This example needs ROS 2 (no module named {error.name!r}): source your installation and '
        'this workspace, or run it with  tools/ros run python3 examples/call_ros_action.py'
    ) from None

WAIT_S = 60.0


def run(node: Node, task: str) -> ExecuteTask.Result:
    """The result of the task; prints what the agent does meanwhile."""
    client = ActionClient(node, ExecuteTask, 'execute_task')
    if not client.wait_for_server(timeout_sec=WAIT_S):
        raise SystemExit(f'no agent serves execute_task within {WAIT_S:g} s')
    sent = client.send_goal_async(
        ExecuteTask.Goal(task=task),
        lambda message: print(message.feedback.message))
    rclpy.spin_until_future_complete(node, sent)
    ended = sent.result().get_result_async()
    rclpy.spin_until_future_complete(node, ended)
    return ended.result().result


if __name__ == '__main__':
    rclpy.init()
    result = run(Node('example'), sys.argv[1] if len(sys.argv) > 1 else 'pick up the red cube')
    print(result.success, result.final_reason or result.error_msg, result.final_detail)
    rclpy.shutdown()
