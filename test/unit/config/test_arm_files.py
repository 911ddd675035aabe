# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controllers and the description around the arm name the joints that the arm has."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import FR3

ROOT = Path(__file__).resolve().parents[3]
CONFIG = ROOT / 'config'
CONTROLLERS = [CONFIG / 'franka' / 'controllers.yaml', CONFIG / 'franka' / 'fake_controllers.yaml',
               *ROOT.glob('plugins/*/config/controllers.yaml')]
JOINTS = list(FR3.joint_names)


def controllers(path: Path) -> dict[str, Any]:
    found = yaml.safe_load(path.read_text('utf-8'))['/**']
    return {name: node['ros__parameters'] for name, node in found.items()}


def agent(name: str) -> dict[str, Any]:
    return yaml.safe_load((CONFIG / name).read_text('utf-8'))['/**']['ros__parameters']


@pytest.mark.parametrize('path', CONTROLLERS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_the_arm_controller_commands_the_joints_of_the_arm(path: Path) -> None:
    given = controllers(path)
    arm = given['fr3_arm_controller']
    assert arm['joints'] == JOINTS
    for section in ('gains', 'constraints'):
        named = {key for key in arm.get(section, {}) if key.startswith('fr3_')}
        assert named in (set(), set(JOINTS)), section
    assert ('gains' in arm) == (arm['command_interfaces'] == ['effort'])


@pytest.mark.parametrize('path', CONTROLLERS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_whatever_has_parameters_is_a_controller_with_a_type(path: Path) -> None:
    given = controllers(path)
    manager = given.pop('controller_manager')
    typed = {name for name, value in manager.items()
             if isinstance(value, dict) and 'type' in value}
    assert set(given) <= typed and 'joint_state_broadcaster' in typed


def test_the_external_torques_of_a_real_arm_come_100_times_a_second() -> None:
    """franka_robot_state_broadcaster counts in updates of 1 kHz, whatever its own rate is."""
    given = controllers(CONTROLLERS[0])['franka_robot_state_broadcaster']
    every_nth = max(1, 1000 // given['convenience_publish_rate'])
    assert given['update_rate'] / every_nth == 100


def test_nobody_but_a_real_arm_sets_the_pace_of_its_controllers() -> None:
    """With `manage` the controller manager sleeps too, and misses cycles of 1 ms."""
    manager = controllers(CONTROLLERS[0])['controller_manager']
    assert manager['update_rate'] == 1000 and manager['overruns']['manage'] is False


def test_the_agent_calls_the_controllers_by_their_names() -> None:
    real = agent('franka/names.yaml')
    assert 'trajectory_action' not in real, 'the arm has its own'
    for file in CONTROLLERS[:2]:
        assert FR3.ros.trajectory_action.split('/')[0] in controllers(file)
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


@pytest.mark.parametrize(('ours', 'theirs'), [
    ('fr3', 'fr3'), ('fr3v2', 'fr3v2'), ('fr3v2_1', 'fr3v2_1'), ('panda', 'fer')])
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
            assert getattr(limits, key)[i] == pytest.approx(limit[key], abs=1e-4), (i + 1, key)
