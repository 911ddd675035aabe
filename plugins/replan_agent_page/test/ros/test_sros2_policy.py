# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The SROS 2 policy says what our nodes use, and keeps strangers from the arm."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from rclpy.node import Node
from replan_agent_page.sros2_policy import policy, secured_nodes

from replan_agent.ros.rclpy_tools.node_process import destroy

ROOT = Path(__file__).resolve().parents[4]
STRANGER = """
import rclpy
rclpy.init()
rclpy.create_node('stranger')
"""
ASK = """
import sys
import rclpy
from std_srvs.srv import Trigger
who = sys.argv[1]
rclpy.init(args=['--ros-args', '--enclave', f'/replan_agent/{who}'])
node = rclpy.create_node(who)
client = node.create_client(Trigger, 'reset_stop')
client.wait_for_service(10)
future = client.call_async(Trigger.Request())
rclpy.spin_until_future_complete(node, future, timeout_sec=10)
print('answered' if future.done() else 'no answer')
"""


@pytest.fixture(scope='module')
def graph(ros: Any) -> Iterator[list[Node]]:
    words = ['--ros-args', '--params-file', str(ROOT / 'config' / 'ros_sim.yaml')]
    nodes = secured_nodes('', words)
    yield nodes
    for node in nodes:
        getattr(node, 'close', lambda: None)()
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


def test_only_an_operator_and_the_page_give_tasks_approve_and_reset(graph: list[Node]) -> None:
    text = policy(graph)
    people = {'operator', 'web'}  # an operator at the page
    assert allowed(text, 'actions', 'call')['/execute_task'] == people
    requests = allowed(text, 'services', 'request')
    for name in ('/approve_plan', '/give_hint', '/reset_stop'):
        assert requests[name] == people
    assert requests['/recover_error'] == {'operator'}
    assert requests['/stop'] == {*people, 'observer', 'agent_node'}


def test_only_skill_node_moves_the_arm_and_only_the_agent_calls_it(graph: list[Node]) -> None:
    calls = allowed(policy(graph), 'actions', 'call')
    assert calls['/panda_arm_controller/follow_joint_trajectory'] == {'skill_node'}
    assert calls['/panda_gripper/gripper_action'] == {'skill_node'}
    assert calls['/execute_skill'] == {'agent_node'}


def test_two_arms_share_no_enclave(ros: Any) -> None:
    node = ros.create_node('starter_node', namespace='left')
    text = policy([node], 'left')
    paths = {enclave.attrib['path'] for enclave in ET.fromstring(text).iter('enclave')}
    assert paths == {f'/replan_agent/left/{name}' for name in ('starter_node', 'operator',
                                                               'observer')}
    assert '/left/diagnostics' in allowed(text, 'topics', 'subscribe')
    destroy(node)


def test_every_node_of_the_launch_files_has_an_enclave(graph: list[Node]) -> None:
    started = ' '.join(file.read_text('utf-8') for file in (ROOT / 'launch').glob('*.py'))
    nodes = {*re.findall(r"(?<!name=)'(\w+_node)'", started), 'web', 'operator', 'observer'}
    paths = [enclave.attrib['path'] for enclave in ET.fromstring(policy(graph)).iter('enclave')]
    assert sorted(paths) == sorted(f'/replan_agent/{name}' for name in nodes)


def test_what_a_node_uses_only_later_is_in_the_policy(graph: list[Node]) -> None:
    text = policy(graph)
    hears = allowed(text, 'topics', 'subscribe')
    for topic in ('/camera/color/image_raw', '/camera/color/camera_info', '/camera/pose'):
        assert hears[topic] >= {'perception_node', 'agent_node', 'web'}, topic
    assert 'perception_node' in hears['/sim/ground_truth']
    assert {'agent_node', 'skill_node', 'guard_node'} <= hears['/joint_states']
    assert hears['/skill_heartbeat'] == {'guard_node'}
    requests = allowed(text, 'services', 'request')
    assert requests['/skill_node/change_state'] == {'starter_node', 'operator'}
    assert requests['/agent_node/set_parameters'] == {'operator'}
    assert 'web' in hears['/agent_node/question']
    cancels = '/panda_arm_controller/follow_joint_trajectory/_action/cancel_goal'
    assert requests[cancels] == {'agent_node', 'guard_node'}, 'a guard only stops'


def test_an_observer_cannot_release_a_stop_and_an_operator_can(graph: list[Node],
                                                                  tmp_path: Path) -> None:
    file, keys = tmp_path / 'policy.xml', str(tmp_path / 'keys')
    file.write_text(policy(graph), 'utf-8')
    if not _has('ros2') or not _sros2('create_keystore', keys):
        pytest.skip('this ROS 2 has no sros2 to make keys with')
    for name in ('skill_node', 'operator', 'observer'):
        place = f'/replan_agent/{name}'
        assert _sros2('create_enclave', keys, place)
        assert _sros2('create_permission', keys, place, str(file))
    secured = {**os.environ, 'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce',
               'ROS_SECURITY_KEYSTORE': keys}

    def script(code: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, '-c', code, *words], env=secured,
                              capture_output=True, text=True)

    asked = script(ASK, 'operator')
    if "doesn't have the security libraries" in asked.stderr:
        pytest.skip('this middleware was built without security')
    server = subprocess.Popen([
        sys.executable, '-m', 'replan_agent.ros.nodes.skill_node', '--ros-args', '--params-file',
        str(ROOT / 'config' / 'ros_sim.yaml'), '--enclave', '/replan_agent/skill_node'],
        env=secured)
    try:
        assert script(ASK, 'operator').stdout.strip() == 'answered', 'an operator is refused'
        assert script(ASK, 'observer').stdout.strip() == 'no answer', 'an observer is not refused'
        assert script(STRANGER).returncode, 'a node without keys takes part in a secured graph'
    finally:
        server.terminate()
        server.wait()


def _sros2(*words: str) -> bool:
    return not subprocess.run(['ros2', 'security', *words], capture_output=True).returncode


def _has(command: str) -> bool:
    from shutil import which

    return which(command) is not None
