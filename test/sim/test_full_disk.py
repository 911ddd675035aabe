# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands on a disk that takes no more: never exit status 0, and no file that is cut off."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TASK = 'pick up the red cube'


def replan_agent(*words, most_bytes=None):
    """A command in a process whose files may not grow beyond `most_bytes`."""
    def limit():
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    return subprocess.run(
        [sys.executable, '-m', 'replan_agent.app.cli.main', *words], check=False, text=True,
        capture_output=True, preexec_fn=limit, env={**os.environ, 'PYTHONPATH': str(ROOT)})


def test_a_run_whose_motion_does_not_fit_exits_with_3_and_is_replayed_as_far_as_it_goes(
        tmp_path):
    run = tmp_path / 'r'
    done = replan_agent('run', TASK, '--out', run, most_bytes=16_384)
    assert done.returncode == 3 and 'saved:' not in done.stdout
    assert 'NOT recorded' in done.stderr and 'motion.jsonl' in done.stderr
    assert all(json.loads(line) for line in (run / 'motion.jsonl').read_text().splitlines())
    lost = json.loads((run / 'result.json').read_text())['not_recorded']
    assert f'motion.jsonl: {os.strerror(errno.EFBIG)}' in lost
    again = replan_agent('replay', run)
    assert again.returncode == 0 and 'as far as it goes' in again.stdout
    assert 'the record of the motion ends at' in again.stdout


def test_a_film_that_does_not_fit_exits_with_3_and_the_run_is_recorded(tmp_path):
    done = replan_agent('run', TASK, '--out', tmp_path / 'r', '--video', tmp_path / 'v.mp4',
                        most_bytes=110_000)
    assert done.returncode == 3 and 'v.mp4' in done.stderr
    assert {file.name for file in tmp_path.iterdir()} == {'r'}
    assert json.loads((tmp_path / 'r' / 'result.json').read_text())['not_recorded'] == ''
