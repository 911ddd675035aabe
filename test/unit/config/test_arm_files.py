"""The controllers and the description around the arm name the joints that the arm has."""

from __future__ import annotations

import os
import sys
import types
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import FR3
from replan_agent.ros.launching.gazebo_arm import GRIP_N, with_gentle_leaders

CONFIG = Path(__file__).resolve().parents[3] / 'config'
CONTROLLERS = [CONFIG / 'franka' / 'controllers.yaml', CONFIG / 'franka' / 'fake_controllers.yaml',
               CONFIG / 'gazebo' / 'controllers.yaml']
JOINTS = list(FR3.joint_names)
# Joints that franka_description gives to ros2_control, as its documentation names them.
LINKS = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="fr3"><xacro:arg name="hand" ' \
        'default="true"/><link name="world"/></robot>'


def controllers(path: Path) -> dict[str, Any]:
    found = yaml.safe_load(path.read_text('utf-8'))['/**']
    return {name: node['ros__parameters'] for name, node in found.items()}


def agent(name: str) -> dict[str, Any]:
    return yaml.safe_load((CONFIG / name).read_text('utf-8'))['/**']['ros__parameters']


@pytest.mark.parametrize('path', CONTROLLERS, ids=lambda p: f'{p.parent.name}/{p.name}')
def test_the_arm_controller_commands_the_joints_of_the_arm(path: Path) -> None:
    given = controllers(path)
    arm = given['fr3_arm_controller']
    assert arm['joints'] == JOINTS
    for section in ('gains', 'constraints'):
        named = {key for key in arm.get(section, {}) if key.startswith('fr3_')}
        assert named in (set(), set(JOINTS)), section
    assert ('gains' in arm) == (arm['command_interfaces'] == ['effort'])


@pytest.mark.parametrize('path', CONTROLLERS, ids=lambda p: f'{p.parent.name}/{p.name}')
def test_whatever_has_parameters_is_a_controller_with_a_type(path: Path) -> None:
    given = controllers(path)
    manager = given.pop('controller_manager')
    typed = {name for name, value in manager.items() if isinstance(value, dict) and value['type']}
    assert set(given) <= typed and 'joint_state_broadcaster' in typed


def test_the_agent_calls_the_controllers_by_their_names() -> None:
    gazebo, real = agent('gazebo.yaml'), agent('robot.yaml')
    names = controllers(CONTROLLERS[2])
    arm, action = gazebo['trajectory_action'].split('/')
    assert arm in names and action == 'follow_joint_trajectory'
    gripper, action = gazebo['gripper_action'].split('/')
    assert names[gripper]['joint'] == 'fr3_finger_joint1' and action == 'gripper_cmd'
    assert real['trajectory_action'].split('/')[0] in controllers(CONTROLLERS[0])
    assert real['trajectory_action'].split('/')[0] in controllers(CONTROLLERS[1])
    broadcaster = real['external_torques'].split('/')[0]
    assert broadcaster in controllers(CONTROLLERS[0])['controller_manager']


def test_a_real_arm_starts_slowly_rehearsed_and_approved_by_a_person() -> None:
    real = agent('robot.yaml')
    assert real['approver'] == 'remote' and real['agent']['rehearse']
    assert real['perception'] == 'camera'
    assert real['motion'] == {'max_velocity_scaling_factor': 0.1,
                              'max_acceleration_scaling_factor': 0.1}
    assert 0 < real['watchdog']['heartbeat_timeout'] <= 1
    assert real['agent']['replan_min_interval'] >= 5
    box = real['workspace']
    assert all(box[f'{axis}_min'] < box[f'{axis}_max'] for axis in 'xyz')


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
        str(CONFIG / 'gazebo' / 'franka.urdf.xacro'),
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


@pytest.mark.parametrize(('ours', 'theirs'), [('fr3', 'fr3'), ('panda', 'fer')])
def test_our_limits_are_those_that_franka_publishes(ours: str, theirs: str) -> None:
    """Against franka_description, where it is installed."""
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        file = Path(prefix, 'share', 'franka_description', 'robots', theirs, 'joint_limits.yaml')
        if prefix and file.is_file():
            break
    else:
        pytest.skip('franka_description is not installed')
    published = yaml.safe_load(file.read_text('utf-8'))
    limits = franka.limits(ours)
    for i in range(franka.JOINTS):
        limit = published[f'joint{i + 1}']['limit']
        for key in ('lower', 'upper', 'velocity', 'effort'):
            assert getattr(limits, key)[i] == pytest.approx(limit[key]), f'joint{i + 1} {key}'
