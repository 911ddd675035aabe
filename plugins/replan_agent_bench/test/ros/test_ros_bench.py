# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent bench --ros`: every call is timed both ways, and the file has the numbers."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from replan_agent_bench import ros_bench as bench
from rich.console import Console

BOTH_WAYS = {'task without motion', 'task with motion', 'skill without motion',
             'look at the scene'}

COMMAND = """
import sys
from replan_agent.app.cli.main import main
from replan_agent.ros.commands.ros_commands import add_commands as of_ros
from replan_agent_bench.bench_commands import add_commands as of_bench
sys.exit(main(plug_ins=[of_bench, of_ros]))
"""


def test_what_only_ros_has_is_all_overhead() -> None:
    page = io.StringIO()
    console = Console(width=100, file=page)
    alone, ros = {'task': [1.0, 2.0, 3.0]}, {'task': [12.0, 11.0, 30.0], 'round trip': [5.0]}
    console.print(bench.overhead_table(alone, ros))
    lines = [line.replace('│', ' ').split() for line in page.getvalue().splitlines()]
    assert ['task', '2.0', '12.0', '10.0', '28.2'] in lines
    assert ['round', 'trip', '–', '5.0', '5.0', '5.0'] in lines


@pytest.mark.release
def test_the_command_measures_and_writes(tmp_path: Path) -> None:
    path = tmp_path / 'ros.json'
    run = subprocess.run([sys.executable, '-c', COMMAND, 'bench', '--ros', '--n', '1', '--json',
                          str(path)], stdout=subprocess.PIPE, text=True)
    assert run.returncode == 0
    assert 'action round trip' in run.stdout
    written = json.loads(path.read_text('utf-8'))
    assert set(written['embedded_ms']) == BOTH_WAYS
    assert set(written['ros_ms']) == {*BOTH_WAYS, 'action round trip'}
    assert all(len(times) == 1 and times[0] > 0 for times in written['ros_ms'].values())
