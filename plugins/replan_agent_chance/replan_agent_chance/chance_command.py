# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arguments of `replan-agent chance` and `replan-agent measure-chance`."""

from __future__ import annotations

import argparse
from pathlib import Path

from replan_agent.app.cli.added_commands import Commands
from replan_agent.app.terminal.argument_types import positive, seed
from replan_agent.app.terminal.shared_arguments import add_config, add_world

from .sampling import MOST
from .uncertainty import NAMES


def add_commands(commands: Commands) -> None:
    """Add both commands."""
    chance = commands.add_parser('chance', help='how likely a task works; nothing is moved')
    chance.add_argument('task')
    add_world(chance)
    chance.add_argument('--perception', help='as of `run` (default: of the settings)')
    chance.add_argument('--unsure', metavar='NAME|FILE', default='',
                        help='what perception is unsure of: a file of measure-chance, or one of '
                             f'{", ".join(NAMES)} (default: what was measured for the '
                             'perception)')
    chance.add_argument('--mark', type=float, default=0.0,
                        help='stop when the chance is clearly at this mark or below, as '
                             'approval.ask_below does, and tell only that (default: 0, none)')
    chance.add_argument('--twins', type=positive, help=f'the most twins (default: {MOST})')
    chance.add_argument('--jobs', type=positive, default=1, help='processes (default: 1)')
    chance.add_argument('--json', action='store_true')
    add_config(chance)
    chance.set_defaults(command=_chance)
    measure = commands.add_parser('measure-chance', help='what the camera is unsure of, '
                                    'and what no camera sees')
    measure.add_argument('what', choices=NAMES)
    measure.add_argument('--n', type=positive, default=100,
                         help='scenes, or grasps of things (default: 100)')
    measure.add_argument('--seed', type=seed, default=0)
    measure.add_argument('--out', type=Path, metavar='FILE')
    measure.set_defaults(command=_measure)


def _chance(arguments: argparse.Namespace) -> int:
    from .tell_command import tell
    return tell(arguments)


def _measure(arguments: argparse.Namespace) -> int:
    from .measure_command import measure
    return measure(arguments)
