# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A process of ours uses one thread for matrices, unless the user says otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from replan_agent.app.terminal.threads import OPENBLAS


def threads(module: str, **environment: str) -> list[str]:
    """How many threads a process has that loaded `module` and multiplied large matrices."""
    code = f'import os, {module}, numpy as np; a = np.ones((600, 600)); a @ a; ' \
           f'print(len(os.listdir("/proc/self/task")), os.environ["{OPENBLAS}"])'
    others = {k: v for k, v in os.environ.items() if not k.endswith('_NUM_THREADS')}
    done = subprocess.run([sys.executable, '-c', code], env=others | environment,
                          capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize('module', ['replan_agent.app.cli.main', 'replan_agent.ros.nodes'])
def test_a_command_and_a_node_have_one_thread(module: str) -> None:
    assert threads(module) == ['1', '1']


def test_the_users_number_of_threads_stays() -> None:
    assert threads('replan_agent.app.cli.main', **{OPENBLAS: '2'})[1] == '2'
