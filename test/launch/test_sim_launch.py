# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""launch/sim.launch.py starts the graph, which carries out a task and ends in order.

Needs `launch`, `launch_ros` and `launch_testing`, and the packages installed (colcon build). Run
it with  pytest test/launch  or  launch_test test/launch/test_sim_launch.py
"""

from __future__ import annotations

import threading
import unittest
from pathlib import Path
from typing import Any

import pytest

# Our own folder launch/ imports as an empty package: ask for what only the real one has.
pytest.importorskip('launch.actions', reason='launch is not installed: source a ROS 2 workspace')
pytest.importorskip('launch_testing', reason='launch_testing is not installed')

import launch_testing.actions  # noqa: E402
import launch_testing.asserts  # noqa: E402
import rclpy  # noqa: E402
from launch.actions import IncludeLaunchDescription  # noqa: E402
from launch.launch_description_sources import PythonLaunchDescriptionSource  # noqa: E402
from rclpy.action import ActionClient  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from replan_agent_interfaces.action import ExecuteTask  # noqa: E402

import launch  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 90.0


@pytest.mark.launch_test
def generate_test_description() -> launch.LaunchDescription:
    arguments = {'params_file': str(ROOT / 'config' / 'ros_sim.yaml'), 'scene': 'tabletop'}
    return launch.LaunchDescription([
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(ROOT / 'launch' / 'sim.launch.py')),
            launch_arguments=arguments.items()),
        launch_testing.actions.ReadyToTest(),
    ])


class TestTheGraph(unittest.TestCase):
    """While it runs."""

    def setUp(self) -> None:
        rclpy.init()
        self.node = rclpy.create_node('launch_test')
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self.executor.spin, daemon=True)
        self.thread.start()

    def tearDown(self) -> None:
        self.executor.shutdown()
        self.thread.join(5)
        self.node.destroy_node()
        rclpy.try_shutdown()

    def test_a_task_succeeds_with_feedback(self) -> None:
        client = ActionClient(self.node, ExecuteTask, 'execute_task')
        self.assertTrue(client.wait_for_server(WAIT_S), 'no agent')
        until = threading.Event()
        while {'sim_node', 'skill_node'} - set(self.node.get_node_names()):
            self.assertFalse(until.wait(0.1))
        states: list[int] = []
        handle = _finished(client.send_goal_async(
            ExecuteTask.Goal(task='pick up the red cube'),
            lambda message: states.append(message.feedback.state)))
        result = _finished(handle.get_result_async()).result
        self.assertTrue(result.success, result.final_detail)
        self.assertEqual(result.final_reason, ExecuteTask.Result.FINAL_PLAN_COMPLETE)
        self.assertEqual(states[0], ExecuteTask.Feedback.STATE_PERCEIVING)
        self.assertEqual(states[-1], ExecuteTask.Feedback.STATE_SUCCEEDED)


def _finished(future: Any) -> Any:
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    assert done.wait(WAIT_S), 'no answer'
    return future.result()


@launch_testing.post_shutdown_test()
class TestTheEnd(unittest.TestCase):
    """After it was interrupted."""

    def test_every_process_ended_in_order(self, proc_info: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
