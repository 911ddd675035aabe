# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arguments of `replan-agent libero-read`."""

from __future__ import annotations

import argparse
from collections import Counter

from replan_agent.app.cli.added_commands import Commands

DONE, REFUSED = 0, 1


def add_commands(commands: Commands) -> None:
    """Add the command `libero-read`."""
    read = commands.add_parser('libero-read', help="how many of LIBERO's sentences are read as "
                               'their files mean them; nothing moves')
    read.add_argument('suite', nargs='+', help='libero_goal, libero_goal_lan, ... or one task: '
                      'libero_goal/3')
    read.add_argument('--all', action='store_true', help='also list what is read as meant')
    read.set_defaults(command=_read)


def _read(arguments: argparse.Namespace) -> int:
    from replan_agent import load_config

    from .cell import ARM
    from .reading import MEANT, read_task
    from .suite import TRUTH, settings
    from .tasks import task_named, tasks_of

    config = settings(load_config(), TRUTH)
    for name in arguments.suite:
        try:
            tasks = [task_named(name)] if '/' in name else tasks_of(name)
        except ValueError as error:
            print(error)
            return REFUSED
        counts: Counter[str] = Counter()
        for task in tasks:
            found = read_task(task, config, ARM)
            counts[found.verdict] += 1
            if arguments.all or found.verdict != MEANT:
                print(f'{found.task}: {found.verdict}: {found.sentence}\n  read: {found.read}\n'
                      f'  file: {found.meant}', flush=True)
        print(f'{name}: {counts[MEANT]} of {len(tasks)} {MEANT}; ' + ', '.join(
            f'{count} {verdict}' for verdict, count in counts.items() if verdict != MEANT),
            flush=True)
    return DONE
