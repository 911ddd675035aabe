#!/usr/bin/env python3
"""How much processor time (user and system) a command needs that moves nothing.

    .venv/bin/python tools/start_times.py 10

Other work on the same cores makes all of them slower: `import numpy` beside them says how much.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

PROGRAM = str(Path(sys.executable).with_name('replan-agent'))
COMMANDS = {
    '--help': [PROGRAM, '--help'], 'scenes': [PROGRAM, 'scenes'],
    'read': [PROGRAM, 'read', 'put the red cube in the bowl'], 'skills': [PROGRAM, 'skills'],
    'import numpy': [sys.executable, '-c', 'import numpy']}


def processor_s(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env={
        name: value for name, value in os.environ.items() if name != 'PYTHONDONTWRITEBYTECODE'})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == '__main__':
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    for command in COMMANDS.values():
        processor_s(command)  # compiles
    taken = [{name: processor_s(command) for name, command in COMMANDS.items()}
             for _ in range(count)]
    print(f'processor time, s, of {count} in turns: least, median')
    for name in COMMANDS:
        times = [each[name] for each in taken]
        print(f'{name:12}  {min(times):.2f}  {statistics.median(times):.2f}')
