# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`tools/workspace`: colcon, rosdep and bloom find every package without an option."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from catkin_pkg.package import parse_package
from catkin_pkg.packages import find_packages

ROOT = Path(__file__).resolve().parents[3]
ALWAYS = {'replan_agent', 'replan_agent_interfaces'}
PLUGINS = {file.parent.name for file in ROOT.glob('plugins/*/package.xml')}


def workspace(folder: Path, *names: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(root / 'tools' / 'workspace'), str(folder), *names], text=True,
                          capture_output=True, timeout=60)


def found(folder: Path) -> set[str]:
    """What catkin_pkg finds, with which rosdep and bloom look."""
    return {package.name for package in find_packages(str(folder / 'src')).values()}


def test_rosdep_and_bloom_find_every_package(tmp_path: Path) -> None:
    assert workspace(tmp_path).returncode == 0
    assert found(tmp_path) == ALWAYS | PLUGINS


@pytest.mark.skipif(not shutil.which('colcon'), reason='colcon is not installed')
def test_colcon_finds_every_package(tmp_path: Path) -> None:
    workspace(tmp_path)
    listed = subprocess.run(['colcon', 'list', '--names-only'], cwd=tmp_path, text=True,
                            capture_output=True, check=True, timeout=120)
    assert set(listed.stdout.split()) == ALWAYS | PLUGINS


def test_without_it_they_find_the_core_alone() -> None:
    """If that changes, the tool is not needed any more."""
    assert list(find_packages(str(ROOT))) == ['.']


def test_named_packages_come_with_those_that_they_need(tmp_path: Path) -> None:
    assert workspace(tmp_path, 'replan_agent_gazebo').returncode == 0
    assert found(tmp_path) == ALWAYS | {'replan_agent_gazebo', 'replan_agent_calibrate'}
    assert workspace(tmp_path, 'replan_agent_sim').returncode == 0, 'it may run again'
    assert 'replan_agent_sim' in found(tmp_path)


def test_a_clone_inside_the_workspace_is_not_found_twice(tmp_path: Path) -> None:
    clone = tmp_path / 'src' / 'clone'
    for name in ('tools/workspace', 'package.xml', *(
            f'{folder}/package.xml' for folder in (
                'interfaces/replan_agent_interfaces', 'plugins/replan_agent_franka'))):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, clone / name)
    assert workspace(tmp_path, root=clone).returncode == 0
    names = [package.name for package in find_packages(str(tmp_path / 'src')).values()]
    assert sorted(names) == sorted(ALWAYS | {'replan_agent_franka'})


@pytest.mark.parametrize('names', [(), ('replan_agent_nonsense',)])
def test_what_it_cannot_do_is_said(tmp_path: Path, names: tuple[str, ...]) -> None:
    (tmp_path / 'src' / 'replan_agent').mkdir(parents=True)
    if names:
        shutil.rmtree(tmp_path / 'src' / 'replan_agent')
    failed = workspace(tmp_path, *names)
    assert failed.returncode != 0
    assert ('replan_agent_sim' if names else 'is there already') in failed.stderr


def test_every_launch_file_of_ours_has_its_packages_as_dependencies() -> None:
    """What robot.launch.py and RViz start comes with rosdep."""
    needs = {name: {d.name for d in parse_package(str(ROOT / path)).exec_depends}
             for name, path in (('core', 'package.xml'),
                                ('franka', 'plugins/replan_agent_franka/package.xml'))}
    assert 'rviz2' in needs['core']
    assert {'controller_manager', 'joint_trajectory_controller', 'joint_state_broadcaster',
            'realsense2_camera', 'xacro', 'robot_state_publisher'} <= needs['franka']
