# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a wrong or missing line of a sidecar says."""

from collections.abc import Callable
from pathlib import Path

import pytest
from replan_agent_arms.sidecar import read_sidecar
from small_arms import SIDECAR

from replan_agent.text.setting import ConfigError

Written = Callable[..., Path]


def test_a_whole_file_is_read(written: Written) -> None:
    file = read_sidecar(written())
    assert file.model.name == 'arm.urdf'
    assert file.said.of_each(file.said.jerk) == (100.0,) * 6
    assert file.said.gripper.pads == (('left_pad',), ('right_pad',))


def test_a_joint_that_follows_may_have_something_added(written: Written) -> None:
    follow = 'speed: 0.1\n  follow: {tip: [1, -0.5], bar: -1}'
    said = read_sidecar(written(SIDECAR.replace('speed: 0.1', follow))).said
    assert said.gripper.follow == {'tip': (1.0, -0.5), 'bar': (-1.0, 0.0)}


@pytest.mark.parametrize('key', ['model', 'joints', 'home', 'acceleration', 'jerk',
                                 'payload', 'gripper'])
def test_a_missing_key_is_named_with_a_line_that_would_be_right(written: Written, key: str
                                                                ) -> None:
    lines = SIDECAR.strip().split('\n')
    first = next(k for k, line in enumerate(lines) if line.startswith(f'{key}:'))
    last = len(lines) if key == 'gripper' else first + 1
    path = written('\n'.join(lines[:first] + lines[last:]))
    with pytest.raises(ConfigError, match=rf'small.yaml: {key}: it is missing.*for example: '
                       rf'{key}:'):
        read_sidecar(path)


@pytest.mark.parametrize('old, new, said', [
    ('payload: 5.0', 'payload: much', r'payload: must be a number.*for example: payload: 5.0'),
    ('payload: 5.0', 'payload: .nan', 'payload: must be a number'),
    ('home: [0.0, ', 'home: [', 'home: has 5 numbers for 6 joints'),
    ('jerk: 100.0', 'jerk: [1, 2]', 'jerk: has 2 numbers for 6 joints'),
    ('elbow', 'pan', 'joints: must be a list of names, each of them once'),
    ('pads: [left_pad, right_pad]', 'pads: left_pad', r'gripper.pads: must be a list of two'),
    ('pads: [left_pad, right_pad]', 'pads: [left_pad, left_pad]', 'different names'),
    ('open: 0.04', 'open: 0.0', 'gripper.closed: must differ'),
    ('force: [5, 50]', 'force: [50, 5]', r'gripper.force: must be a pair \[lowest, highest\]'),
    ('payload: 5.0', 'payload: 5.0\ntool: {frame: palm, xyz: [0, 0, 4]}', 'tool.xyz: must be'),
    ('speed: 0.1', 'speed: 0.1\n  follow: {tip: [1, 2, 3]}', 'gripper.follow: must be names of'),
    ('speed: 0.1', 'sped: 0.1', "unknown key 'sped'; did you mean 'speed'"),
    ('model: arm.urdf', 'model: other.urdf', "model: 'other.urdf' does not exist"),
    ('model: arm.urdf', 'model: .', "model: '.' is a folder; write the path of a URDF or MJCF"),
    ('model: arm.urdf', 'model: package:no-such/a.urdf', 'pip install --no-deps no-such'),
    ('model: arm.urdf', 'model: package:numpy', 'must be package:NAME/path'),
])
def test_a_wrong_value_is_one_sentence(written: Written, old: str, new: str, said: str) -> None:
    assert old in SIDECAR
    with pytest.raises(ConfigError, match=said):
        read_sidecar(written(SIDECAR.replace(old, new)))


def test_a_file_of_an_installed_package_is_found(written: Written) -> None:
    path = written(SIDECAR.replace('model: arm.urdf', 'model: package:numpy/numpy/__init__.py'))
    assert read_sidecar(path).model.name == '__init__.py'


def test_the_file_is_named_like_an_arm(written: Written) -> None:
    path = written().rename(written().with_name('7-up.yaml'))
    with pytest.raises(ConfigError, match='the arm has the name of its file'):
        read_sidecar(path)
