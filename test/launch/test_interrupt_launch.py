# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C on launch/sim.launch.py while the arm moves: it stands, and the record says so.

Needs `launch`, `launch_ros` and `launch_testing`, and the packages installed (colcon build). Run
it with  pytest test/launch  or  launch_test test/launch/test_interrupt_launch.py
"""

from __future__ import annotations

import json
import tempfile
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
import yaml  # noqa: E402
from launch.actions import IncludeLaunchDescription  # noqa: E402
from launch.launch_description_sources import PythonLaunchDescriptionSource  # noqa: E402
from rclpy.action import ActionClient  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from replan_agent_interfaces.action import ExecuteTask  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

import launch  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(tempfile.mkdtemp(prefix='replan_agent_launch_'))
WAIT_S = 180.0
MOVING = 0.02  # rad/s


@pytest.mark.launch_test
def generate_test_description() -> launch.LaunchDescription:
    settings = yaml.safe_load((ROOT / 'config' / 'ros_sim.yaml').read_text('utf-8'))
    values = settings['/**']['ros__parameters']
    values['realtime_factor'] = 1.0  # the motion would go on for long after the signal
    values['motion'] |= {'max_velocity_scaling_factor': 0.05,
                         'max_acceleration_scaling_factor': 0.05}
    values['timeouts']['appear_timeout'] = 120.0  # a busy machine starts the nodes slowly
    values['tasks']['runs'] = str(FOLDER / 'runs')
    file = FOLDER / 'slow.yaml'
    file.write_text(yaml.safe_dump(settings), 'utf-8')
    return launch.LaunchDescription([
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(ROOT / 'launch' / 'sim.launch.py')),
            launch_arguments=[('params_file', str(file))]),
        launch_testing.actions.ReadyToTest(),
    ])


class TestTheGraph(unittest.TestCase):
    """While it runs."""

    def test_a_task_moves_the_arm(self) -> None:
        rclpy.init()
        node, moves = rclpy.create_node('launch_test'), threading.Event()

        def on_joints(message: JointState) -> None:
            if max(map(abs, message.velocity), default=0.0) > MOVING:
                moves.set()

        node.create_subscription(JointState, 'joint_states', on_joints, 10)
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        thread = threading.Thread(target=executor.spin, daemon=True)
        thread.start()
        client = ActionClient(node, ExecuteTask, 'execute_task')
        self.assertTrue(client.wait_for_server(WAIT_S), 'no agent')
        client.send_goal_async(ExecuteTask.Goal(task='pick up the red cube'))
        self.assertTrue(moves.wait(WAIT_S), 'the arm does not move')
        executor.shutdown()
        thread.join(5)
        node.destroy_node()
        rclpy.try_shutdown()


@launch_testing.post_shutdown_test()
class TestTheEnd(unittest.TestCase):
    """After it was interrupted in the motion."""

    def test_every_process_ended_in_order(self, proc_info: Any, proc_output: Any) -> None:
        launch_testing.asserts.assertExitCodes(proc_info)
        said = ''.join(output.text.decode(errors='replace') for output in proc_output)
        for bad in ('Traceback', 'never retrieved', 'may still move'):
            self.assertNotIn(bad, said)

    def test_the_record_says_that_the_task_was_cancelled(self) -> None:
        (record,) = (FOLDER / 'runs').glob('*/result.json')
        result = json.loads(record.read_text('utf-8'))
        self.assertEqual((result['final_reason'], result['final_detail']),
                         ('cancelled', 'agent_node ends'))
