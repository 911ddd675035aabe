# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A LeRobot dataset in which each frame says what fails and how it is mended.

    .venv/bin/python examples/lerobot_dataset.py runs/slips

A greasy cube slips out of the hand; the second try holds it. Policies learn from both.
"""

import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pyarrow.parquet

from replan_agent import Simulation

folder = Path(sys.argv[1] if len(sys.argv) > 1 else 'runs/slips')
Simulation('greasy_cube').run('pick up the red cube', out=folder / 'run')  # as many as you like

replan_agent = [sys.executable, '-m', 'replan_agent.app.cli.main']  # in a shell: replan-agent
subprocess.run([*replan_agent, 'export', folder / 'run', '--lerobot', folder / 'dataset'],
               check=True)

(file,) = (folder / 'dataset' / 'data').rglob('*.parquet')
frames = pyarrow.parquet.read_table(file).to_pylist()
labels = ('phase', 'failure_cause', 'recovery')
for what, group in groupby(frames, key=lambda frame: [frame[key] for key in labels]):
    print(f'{len(list(group)):3} frames', ', '.join(filter(None, what)))
