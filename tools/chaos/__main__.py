"""Tasks over separate processes, each with a fault; keeps what came of them.

    tools/ros run python3 -m tools.chaos --tasks 200 --seed 1 --jobs 8 --out chaos.json
    tools/ros run python3 -m tools.chaos --table chaos.json

An interrupted run (Ctrl-C, `--minutes`) continues with the same command. Exits with status 1 if a
task did not end, moved on after a fault that must stop the arm, claimed what physics does not
show, or left a graph that does no further task without hands; and if tasks are left over.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from .faults import drawn
from .outcomes import Outcome, problems, read, table, write
from .workers import Order, outcomes


def options() -> argparse.ArgumentParser:
    """The command line."""
    whole = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    whole.add_argument('--tasks', type=int, default=200)
    whole.add_argument('--seed', type=int, default=1)
    whole.add_argument('--jobs', type=int, default=1, help='graphs at the same time; each needs '
                       'about two cores to keep the limits of a real arm')
    whole.add_argument('--only', default='', help='faults whose name contains this')
    whole.add_argument('--slow', type=float, default=1.0, help='robot time goes this many times '
                       'slower, and timeouts are as much longer: for a slow machine')
    whole.add_argument('--speed', type=float, default=0.0, help='share of the velocity and '
                       'acceleration limits (default: as in config/robot.yaml)')
    whole.add_argument('--minutes', type=float, default=float('inf'),
                       help='no task begins after this time')
    whole.add_argument('--out', type=Path, help='JSON file for the outcomes; those that it has '
                       'already are not tried again')
    whole.add_argument('--keep', type=Path, help='folder that keeps the logs and runs of the '
                       'graphs (default: they are removed)')
    whole.add_argument('--table', type=Path, nargs='+', metavar='FILE.json',
                       help='print the table of these files, and nothing else')
    return whole


def main() -> int:
    given = options().parse_args()
    if given.table:
        return tell([outcome for file in given.table for outcome in read(file)[1]])
    with tempfile.TemporaryDirectory() as folder:
        return tell(tried(given, given.keep or Path(folder)), given.tasks)


def tried(given: argparse.Namespace, folder: Path) -> list[Outcome]:
    """The outcomes of all tasks, also of those that the file of `--out` has already."""
    settings: dict[str, Any] = {name: getattr(given, name)
                                for name in ('tasks', 'seed', 'only', 'slow', 'speed', 'jobs')}
    settings |= {'machine': platform.machine(), 'cores': os.cpu_count()}
    found = read(given.out)[1] if given.out and given.out.exists() else []
    numbers = {outcome.number for outcome in found}
    tasks = [(number, fault.name)
             for number, fault in enumerate(drawn(given.tasks, given.seed, given.only), 1)
             if number not in numbers]
    order = Order(folder / f'seed_{given.seed}_from_{len(found) + 1}', given.seed, given.slow,
                  given.speed, time.time() + 60 * given.minutes)
    with suppress(KeyboardInterrupt):
        for outcome in outcomes(order, tasks, given.jobs):
            found.append(outcome)
            print(f'{len(found)} of {given.tasks}: {outcome}', flush=True)
            if given.out:
                write(given.out, settings, found)
    return found


def tell(found: list[Outcome], tasks: int = 0) -> int:
    """Print the table and the problems; returns the exit status."""
    print(table(found))
    print(problems(found))
    return 1 if any(outcome.problems for outcome in found) or len(found) < tasks else 0


if __name__ == '__main__':
    sys.exit(main())
