"""The SROS 2 policy says what our nodes use, and keeps strangers from the arm."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from rclpy.node import Node

from replan_agent.ros.commands.sros2_policy import policy
from replan_agent.ros.nodes.all_in_one import NODES
from replan_agent.ros.rclpy_tools.node_process import destroy

ROOT = Path(__file__).resolve().parents[2]
STRANGER = """
import rclpy
rclpy.init()
rclpy.create_node('stranger')
"""


@pytest.fixture(scope='module')
def graph(ros: Any) -> Iterator[list[Node]]:
    words = ['--ros-args', '--params-file', str(ROOT / 'config' / 'ros_sim.yaml')]
    nodes = [make(cli_args=words) for make in NODES]
    yield nodes
    for node in nodes:
        destroy(node)


def allowed(text: str, kind: str, may: str) -> dict[str, set[str]]:
    """For each name, the enclaves that may do this with it."""
    found: dict[str, set[str]] = {}
    for enclave in ET.fromstring(text).iter('enclave'):
        for group in enclave.iter(kind):
            if group.get(may) == 'ALLOW':
                for each in group:
                    found.setdefault(str(each.text), set()).add(
                        enclave.attrib['path'].rsplit('/', 1)[1])
    return found


def test_only_an_operator_gives_tasks_approves_and_resets(graph: list[Node]) -> None:
    text = policy(graph)
    assert allowed(text, 'actions', 'call')['/execute_task'] == {'operator'}
    requests = allowed(text, 'services', 'request')
    for name in ('/approve_plan', '/give_hint', '/reset_stop', '/recover_error'):
        assert requests[name] == {'operator'}
    assert requests['/stop'] == {'operator', 'observer', 'agent_node'}
    moves = allowed(text, 'actions', 'call')['/panda_arm_controller/follow_joint_trajectory']
    assert 'observer' not in moves and 'planner_node' not in moves


def test_a_stranger_without_an_enclave_is_refused(graph: list[Node], tmp_path: Path) -> None:
    file = tmp_path / 'policy.xml'
    file.write_text(policy(graph), 'utf-8')
    sros2 = subprocess.run(['ros2', 'security', 'create_keystore', str(tmp_path / 'keys')],
                           capture_output=True, text=True) if _has('ros2') else None
    if sros2 is None or sros2.returncode:
        pytest.skip('this ROS 2 has no sros2 to make keys with')
    secured = {**os.environ, 'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce',
               'ROS_SECURITY_KEYSTORE': str(tmp_path / 'keys')}
    stranger = subprocess.run([sys.executable, '-c', STRANGER], env=secured, capture_output=True,
                              text=True)
    assert stranger.returncode, 'a node without keys takes part in a secured graph'
    subprocess.run(['ros2', 'security', 'create_enclave', str(tmp_path / 'keys'),
                    '/replan_agent/operator'], check=True)
    subprocess.run(['ros2', 'security', 'create_permission', str(tmp_path / 'keys'),
                    '/replan_agent/operator', str(file)], check=True)
    known = subprocess.run([sys.executable, '-c', STRANGER.replace(
        'rclpy.init()', "rclpy.init(args=['--ros-args', '--enclave', '/replan_agent/operator'])")],
        env=secured, capture_output=True, text=True)
    if 'does not have the security plugin' in known.stderr:
        pytest.skip('this middleware was built without security')
    assert not known.returncode, known.stderr


def _has(command: str) -> bool:
    from shutil import which

    return which(command) is not None
