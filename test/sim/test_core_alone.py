# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The core without our other packages: it plans and acts, and says what is in which of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from replan_agent_bench.scripted.scripted_model import scripted_model
from replan_agent_bench.scripted.scripted_server import MODEL

ROOT = Path(__file__).resolve().parents[2]
IN_THE_WHEEL = ('replan_agent', 'config', 'launch', 'resource', 'setup.py', 'setup.cfg',
                'pyproject.toml', 'package.xml', 'README.md')
OURS = ('replan_agent', '__editable__')  # and the packages in plugins/
COMMAND = ('-m', 'replan_agent.app.cli.main')
WHAT_IS_THERE = """
from importlib.metadata import distributions
import replan_agent
print(replan_agent.__file__, *sorted(d.name for d in distributions() if 'replan' in d.name))
"""


@pytest.fixture(scope='module')
def alone(tmp_path_factory, installed):
    """Runs Python where the core is installed, and what it needs, and nothing else of ours."""
    work = tmp_path_factory.mktemp('alone')
    source, needs = work / 'replan_agent', work / 'needs'
    source.mkdir()
    for name in IN_THE_WHEEL:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    needs.mkdir()
    for package in Path(sysconfig.get_path('purelib')).iterdir():
        if not package.name.startswith(OURS):
            (needs / package.name).symlink_to(package)
    path = os.pathsep.join((str(installed(source)), str(needs)))

    def run(*words):
        # -S: no site-packages, and so no editable installation.
        return subprocess.run([sys.executable, '-S', *words], cwd=work, text=True,
                              env={**os.environ, 'PYTHONPATH': path}, capture_output=True)

    return run


def test_none_of_our_other_packages_is_there(alone):
    file, *packages = alone('-c', WHAT_IS_THERE).stdout.split()
    assert packages == ['replan_agent'] and not Path(file).is_relative_to(ROOT)


def test_it_carries_out_a_task(alone):
    ended = alone(*COMMAND, 'run', 'put the red cube in the bowl', '--json', '--out', 'by_search')
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)['success']


def test_it_plans_with_a_model(alone):
    pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")
    with scripted_model() as model:
        ended = alone(*COMMAND, 'run', 'put the red cube in the bowl', '--json', '--out', 'by_vlm',
                      '--planner', 'vlm', '--model', MODEL, '--base-url', model.base_url)
    assert ended.returncode == 0, ended.stderr
    result = json.loads(ended.stdout)
    assert result['success'] and result['plans'][0]['planner'] == f'vlm:{MODEL}'


@pytest.mark.parametrize('words, package', [
    ('bench --any words', 'replan_agent_bench'), ('web --any words', 'replan_agent_page'),
    ('export --any words', 'replan_agent_export'), ('memory list', 'replan_agent_memory'),
    ('chat --any words', 'replan_agent_talk'),
    ('run home --memory m.db', 'replan_agent_memory'),
    ('run home --video f.mp4', 'replan_agent_export')])
def test_what_is_in_another_package_names_it(alone, words, package):
    ended = alone(*COMMAND, *words.split())
    assert ended.returncode == 2 and f'./plugins/{package}' in ended.stderr
