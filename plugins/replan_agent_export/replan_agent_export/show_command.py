# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent show` and `plans`: what happened in a run, to be understood a day later."""

from __future__ import annotations

import argparse
from pathlib import Path

from replan_agent.app.cli.added_commands import Commands
from replan_agent.app.terminal.argument_types import count
from replan_agent.app.terminal.exits import SUCCESS, WrongUse


def add_show(commands: Commands) -> None:
    command = commands.add_parser(
        'show', help='tell what happened in a run: asked, seen, planned, failed, helped, ended',
        description='Tells the story of a run, even of one that was killed. The same, with the '
                    'pictures, is in report.html in the folder of each run that ended.')
    command.add_argument('run', type=Path, metavar='RUN', help='folder of a run, or a file in it')
    command.set_defaults(command=_show)


def add_plans(commands: Commands) -> None:
    plans = commands.add_parser('plans', help='all versions of the plan of a run, and what '
                                              'changed between two of them')
    plans.add_argument('run', type=Path, metavar='RUN', help='folder of a run, or its result.json')
    plans.add_argument('--diff', nargs=2, type=count, metavar=('A', 'B'),
                       help='what changed from version A to version B')
    plans.add_argument('--json', action='store_true')
    plans.set_defaults(command=_plans)


def _plans(arguments: argparse.Namespace) -> int:
    from .plans_command import plans
    return plans(arguments)


def _show(arguments: argparse.Namespace) -> int:
    from replan_agent.app.terminal.console import STYLES, plain_console, print_line
    from replan_agent.record.run_folder import REPORT
    from replan_agent.record.run_json import RunUnreadable

    from .recorded_run import RecordedRun
    from .run_story import Moment, told

    try:
        run = RecordedRun.load(arguments.run)
    except RunUnreadable as error:
        raise WrongUse(str(error)) from error
    story, console = told(run.events), plain_console()

    def tell(one: Moment) -> None:
        print_line(console, f'{story.when(one.at_s)}  {one.title}', STYLES.get(one.tone, 'bold'))
        for line in one.lines:
            print_line(console, f'{"":{len(story.when(0.0))}}    {line}')

    print_line(console, f'{story.task}', 'bold')
    print_line(console, story.facts_line, 'dim')
    console.print()
    for one in story.moments:
        tell(one)
    console.print()
    for name, value in story.verdict:
        print_line(console, f'  {f"{name}:":13} {value}')
    if (run.folder / REPORT).is_file():
        print_line(console, f'  {"pictures:":13} {run.folder / REPORT}')
    return SUCCESS
