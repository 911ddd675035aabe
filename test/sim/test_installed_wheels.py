# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every Python that we promise installs the wheels, and the commands work far from the clone.

A Python that is neither on this machine nor one that uv can fetch is skipped by name.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from built_wheels import build_wheels

from replan_agent import __version__

PYTHONS = ('3.10', '3.11', '3.12', '3.13')
# What pip gets from PyPI only for those who want it: the packages that need it are left out.
FOREIGN = ('libero', 'rai', 'robosuite', 'vamp')
LOADS = """
import importlib.metadata as metadata
for name in sorted({dist.name for dist in metadata.distributions()}):
    for entry in metadata.distribution(name).entry_points if 'replan_agent' in name else ():
        try:
            entry.load()
        except ModuleNotFoundError as error:
            print(error.name.partition('.')[0])
"""
ROS = re.compile('rclpy|launch|ament_index_python|replan_agent_interfaces|[a-z]+(_[a-z]+)*_msgs')
UV = (sys.executable, '-m', 'uv', '--quiet')
Run = Callable[..., 'subprocess.CompletedProcess[str]']

pytestmark = pytest.mark.release
pytest.importorskip('uv', reason='it fetches the packages for each Python')


def interpreter(version: str) -> str:
    """A Python of that version: of this machine, or one that uv fetches. Skips without one."""
    pyenv = Path(os.environ.get('PYENV_ROOT', '~/.pyenv')).expanduser()
    for found in (shutil.which(f'python{version}'),
                  *pyenv.glob(f'versions/{version}.*/bin/python{version}')):
        if found and said(found, '-c', 'import venv; print("here")') == 'here':
            return str(found)
    said(*UV, 'python', 'install', version)
    return said(*UV, 'python', 'find', '--managed-python', version) or pytest.skip(
        f'Python {version} was not tried: it is not on this machine, and uv cannot fetch it')


def said(*command: str | Path) -> str:
    """What the command prints; '' if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    return '' if done.returncode else done.stdout.strip()


@pytest.fixture(scope='module', params=PYTHONS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a program of an environment that has our wheels and what they need, nothing else."""
    python = interpreter(request.param)
    work = tmp_path_factory.mktemp('installed')
    wheels = [file for name, file in build_wheels(work).items() if not name.endswith(FOREIGN)]
    home, programs = work / 'empty', work / 'venv' / 'bin'
    home.mkdir()
    shutil.rmtree(work / 'sources')

    def called(program: str | Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
        bare = {name: os.environ[name] for name in os.environ if not name.startswith('PYTHON')}
        return subprocess.run([program, *words], cwd=home, env=bare, capture_output=True,
                              text=True, check=False, timeout=600)

    for command in ((python, '-m', 'venv', '--without-pip', work / 'venv'),
                    (*UV, 'pip', 'install', '--python', programs / 'python', *wheels)):
        done = called(*command)
        assert done.returncode == 0, done.stderr
    return lambda program, *words: called(programs / program, *words)


def test_the_commands_work_from_the_wheels(run: Run) -> None:
    assert run('replan-agent', '--version').stdout == f'replan-agent {__version__}\n'
    read = run('replan-agent', 'read', 'put the red cube in the bowl')
    assert 'in(red_cube, bowl)' in read.stdout
    listed = json.loads(run('replan-agent', 'scenes', '--json').stdout)
    assert {'tabletop', 'kitchen', 'desk'} <= {scene['name'] for scene in listed}
    done = run('replan-agent', 'run', 'pick up the red cube', '--scene', 'pick_cube', '--json')
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)['success'] is True


def test_the_kitchen_finds_its_meshes(run: Run) -> None:
    done = run('replan-agent', 'run', 'pick up the banana', '--scene', 'kitchen', '--json')
    assert done.returncode == 0, done.stderr


def test_all_that_the_packages_offer_can_be_loaded_but_what_needs_ros(run: Run) -> None:
    done = run('python', '-c', LOADS)
    assert done.returncode == 0, done.stderr
    assert [name for name in done.stdout.split() if not ROS.fullmatch(name)] == []
