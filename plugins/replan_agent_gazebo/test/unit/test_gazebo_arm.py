# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controllers and the description of the arm in Gazebo say the same as the agent."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml
from replan_agent_gazebo.gazebo_arm import GRIP_N, with_gentle_leaders

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import FR3

CONFIG = Path(__file__).resolve().parents[2] / 'config'
JOINTS = list(FR3.joint_names)
# Joints that franka_description gives to ros2_control, as its documentation names them.
LINKS = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="fr3"><xacro:arg name="hand" ' \
        'default="true"/><link name="world"/></robot>'


def test_the_agent_calls_the_controllers_by_their_names() -> None:
    agent, names = (yaml.safe_load((CONFIG / file).read_text('utf-8'))['/**']
                    for file in ('gazebo.yaml', 'controllers.yaml'))
    arm, action = agent['ros__parameters']['trajectory_action'].split('/')
    assert arm in names and action == 'follow_joint_trajectory'
    gripper, action = agent['ros__parameters']['gripper_action'].split('/')
    assert names[gripper]['ros__parameters']['joint'] == 'fr3_finger_joint1'
    assert action == 'gripper_cmd'


@pytest.fixture
def description(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ET.Element:
    """Our description of the arm in Gazebo, around a stand-in of franka_description."""
    xacro = pytest.importorskip('xacro')
    folder = tmp_path / 'robots' / 'fr3'
    folder.mkdir(parents=True)
    (folder / 'fr3.urdf.xacro').write_text(LINKS, 'utf-8')
    finder = types.ModuleType('ament_index_python.packages')
    finder.__dict__['get_package_share_directory'] = {'franka_description': str(tmp_path)}.get
    monkeypatch.setitem(sys.modules, 'ament_index_python', types.ModuleType('ament_index_python'))
    monkeypatch.setitem(sys.modules, 'ament_index_python.packages', finder)
    document = xacro.process_file(
        str(CONFIG / 'franka.urdf.xacro'),
        mappings={'robot_type': 'fr3', 'controllers': '/some.yaml', 'namespace': '/left'})
    return ET.fromstring(document.toxml())


def test_gazebo_commands_each_joint_once_from_home(description: ET.Element) -> None:
    (system,) = description.findall('ros2_control')
    joints = {joint.get('name'): joint for joint in system.findall('joint')}
    fingers = ['fr3_finger_joint1', 'fr3_finger_joint2']
    assert list(joints) == [*JOINTS, *fingers]
    assert joints.pop(fingers[1]).find('command_interface') is None  # it mimics the first
    for joint in joints.values():
        assert [c.get('name') for c in joint.findall('command_interface')] == ['position']
    starts = [float(joints[name].findtext('.//param[@name="initial_value"]', ''))
              for name in JOINTS]
    assert starts == pytest.approx(franka.HOME)


def test_gazebo_reads_the_controllers_it_is_given(description: ET.Element) -> None:
    (plugin,) = description.findall('gazebo/plugin')
    assert plugin.findtext('parameters') == '/some.yaml'
    assert plugin.findtext('ros/namespace') == '/left'
    assert description.find('link') is not None  # what the stand-in brings is kept


def test_the_finger_that_is_followed_is_the_weaker_one() -> None:
    """With equal forces a held cube slid 20 mm sideways in Gazebo's engine."""
    finger = '<joint name="{}"><limit effort="{}" upper="0.04"/>{}</joint>'
    given = '<robot>' + finger.format('first', 100, '') + finger.format('weak', 5, '') \
        + finger.format('second', 100, '<mimic joint="first"/>') \
        + finger.format('third', 100, '<mimic joint="weak"/>') + '</robot>'
    robot = ET.fromstring(with_gentle_leaders(given))
    efforts = {joint.get('name'): float(limit.get('effort', ''))
               for joint in robot.findall('joint') for limit in joint.findall('limit')}
    assert efforts == {'first': GRIP_N, 'weak': 5, 'second': 100, 'third': 100}
    assert robot.find('joint/mimic') is not None and robot.find('joint/limit[@upper]') is not None
