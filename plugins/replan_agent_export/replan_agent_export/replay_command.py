# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent replay`: execute the steps of a recorded run again, and say where it differs."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from replan_agent.app.terminal.exits import SUCCESS, TASK_FAILED, WrongUse
from replan_agent.text.shown_text import counted

HELP = """\
Executes the looks and steps of a recorded run in a fresh simulated world of the same scene, seed
and settings. No planner, no model and no person is asked again. Compares joints, things, what is
seen and how each step ends, bit for bit, and says where the two first differ. On the same machine
with the same versions a run of the embedded simulation is the same again, unless something from
outside moved a thing in it.

exit status: 0 the same, 1 it differs, 2 wrong use.
"""


def add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        'replay', help='execute the steps of a recorded run again, and say where it differs',
        formatter_class=argparse.RawTextHelpFormatter, description=HELP)
    command.add_argument('run', type=Path, metavar='RUN', help='folder of a run')
    command.add_argument('--json', action='store_true', help='print what was compared as JSON')
    command.set_defaults(command=_replay)


def _replay(arguments: argparse.Namespace) -> int:
    from replan_agent.record.run_folder import as_json
    from replan_agent.record.run_json import RunUnreadable

    from .recorded_run import RecordedRun
    from .recorded_world import other_versions
    from .replaying import replay

    try:
        run = RecordedRun.load(arguments.run)
        for other in other_versions(run):
            print(f'warning: {other}', file=sys.stderr)
        found = replay(run)
    except RunUnreadable as error:
        raise WrongUse(str(error)) from error
    if arguments.json:
        print(as_json({'same': found.difference is None, **asdict(found)}, indent=2))
    else:
        compared = (f'{counted(found.steps, "steps")}, {counted(found.looks, "looks")} and '
                    f'{counted(found.samples, "samples")} of motion up to {found.robot_s:.3f} s')
        same = 'the same, bit for bit' + (', as far as it goes' if found.until else '')
        print(found.difference or f'{same}: {compared}'
              + (f'; {found.until}' if found.until else ''))
    return SUCCESS if found.difference is None else TASK_FAILED
