# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`tools/native_ros.sh`, with stand-ins of ROS 2's commands: what it runs, and what it says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
COLCON = """#!/bin/sh
case "$1" in
  list) ls src ;;
  build) mkdir -p install && touch install/setup.bash && exit {build} ;;
esac
"""


def native(folder: Path, build: int = 0, pytest_status: int = 0,
           **environment: str) -> subprocess.CompletedProcess[str]:
    """Its run with commands that do nothing, and a python3 whose pytest ends like this."""
    commands = {name: '#!/bin/sh\n' for name in ('rosdep', 'ros2')}
    commands |= {'colcon': COLCON.format(build=build),
                 'python3': f'#!/bin/sh\n[ "$2" != pytest ] || exit {pytest_status}\n'}
    bin_folder = folder / 'bin'
    bin_folder.mkdir()
    for name, text in commands.items():
        (bin_folder / name).write_text(text, 'utf-8')
        (bin_folder / name).chmod(0o755)
    inherited = {name: value for name, value in os.environ.items()
                 if name not in ('ROS_DISTRO', 'REPLAN_AGENT_ROS_RUNTIME')}
    return subprocess.run(
        [str(ROOT / 'tools' / 'native_ros.sh'), str(folder / 'ws')], text=True,
        capture_output=True, timeout=120, env={
            **inherited, 'PATH': f'{bin_folder}:{os.environ["PATH"]}', **environment})


def said(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """What it says of each stage: ok, WRONG or not."""
    lines = [line.split() for line in done.stdout.splitlines() if not line.startswith(' ')]
    return {words[0]: words[1] for words in lines if words[1:2] and words[1] in (
        'ok', 'WRONG', 'not')}


def test_without_ros_2_it_says_what_to_source(tmp_path: Path) -> None:
    done = native(tmp_path)
    assert done.returncode == 2 and 'setup.sh' in done.stderr


def test_each_stage_is_told_and_all_ok_is_0(tmp_path: Path) -> None:
    done = native(tmp_path, ROS_DISTRO='jazzy')
    stages = said(done)
    assert done.returncode == 0, done.stdout
    assert set(stages.values()) == {'ok'}
    assert {'colcon_list', 'ament_lint', 'ros_tests', 'interrupt_launch', 'ros2_bag'} <= {*stages}


def test_after_a_build_that_fails_the_rest_is_told_as_not_run(tmp_path: Path) -> None:
    done = native(tmp_path, build=1, ROS_DISTRO='jazzy')
    stages = said(done)
    assert done.returncode == 1
    assert stages['colcon_build'] == 'WRONG' and stages['ros_tests'] == 'not'


def test_a_test_that_fails_is_wrong_and_the_others_still_run(tmp_path: Path) -> None:
    done = native(tmp_path, pytest_status=1, ROS_DISTRO='jazzy')
    stages = said(done)
    assert done.returncode == 1
    assert stages['ros_tests'] == 'WRONG' and stages['ros2_bag'] == 'ok'


@pytest.mark.parametrize('left', ['build', 'install'])
def test_a_workspace_that_is_not_clean_is_refused(tmp_path: Path, left: str) -> None:
    (tmp_path / 'ws' / left).mkdir(parents=True)
    done = native(tmp_path, ROS_DISTRO='jazzy')
    assert done.returncode == 2 and 'not clean' in done.stderr
