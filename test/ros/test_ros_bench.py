"""`replan-agent bench --ros`: every call is timed both ways, and the file has the numbers."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from rig import TOO_SLOW

from replan_agent.ros.commands import ros_bench as bench

BOTH_WAYS = {'task without motion', 'task with motion', 'skill without motion',
             'look at the scene'}


def test_what_only_ros_has_is_all_overhead() -> None:
    page = io.StringIO()
    console = Console(width=100, file=page)
    alone, ros = {'task': [1.0, 2.0, 3.0]}, {'task': [12.0, 11.0, 30.0], 'round trip': [5.0]}
    console.print(bench.overhead_table(alone, ros))
    lines = [line.replace('│', ' ').split() for line in page.getvalue().splitlines()]
    assert ['task', '2.0', '12.0', '10.0', '28.2'] in lines
    assert ['round', 'trip', '–', '5.0', '5.0', '5.0'] in lines


@pytest.mark.skipif(TOO_SLOW, reason='minutes under emulation: REPLAN_AGENT_SLOW_TESTS=1 runs it')
def test_the_command_measures_and_writes(tmp_path: Path) -> None:
    path = tmp_path / 'ros.json'
    run = subprocess.run([sys.executable, '-m', 'replan_agent.ros.commands', 'bench', '--ros',
                          '--n', '1', '--json', str(path)], stdout=subprocess.PIPE, text=True)
    assert run.returncode == 0
    assert 'action round trip' in run.stdout
    written = json.loads(path.read_text('utf-8'))
    assert set(written['embedded_ms']) == BOTH_WAYS
    assert set(written['ros_ms']) == {*BOTH_WAYS, 'action round trip'}
    assert all(len(times) == 1 and times[0] > 0 for times in written['ros_ms'].values())
