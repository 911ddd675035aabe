# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arguments of `replan-agent memory`."""

from __future__ import annotations

import argparse
from pathlib import Path

from replan_agent.app.cli.added_commands import Commands
from replan_agent.app.terminal.argument_types import count


def add_commands(commands: Commands) -> None:
    """Add the command `memory`."""
    memory = commands.add_parser('memory', help='what failed earlier, and what helped')
    actions = memory.add_subparsers(title='actions', required=True, metavar='ACTION')
    listing = _action(actions, 'list', 'all entries, last used first')
    listing.add_argument('--search', metavar='WORDS',
                         help='only those with any of these words, also in tags, task, root '
                              'cause, error type and robot')
    listing.add_argument('--json', action='store_true')
    _action(actions, 'show', 'one entry with all details').add_argument('id', type=count)
    forget = _action(actions, 'forget', 'remove an entry')
    which = forget.add_mutually_exclusive_group(required=True)
    which.add_argument('id', type=count, nargs='?')
    which.add_argument('--all', action='store_true', help='remove every entry')
    _action(actions, 'export', 'write all entries as JSON').add_argument(
        'file', type=Path, nargs='?', help='default: print it')
    _action(actions, 'import', 'add the entries of an exported file; each outcome '
            'counts once').add_argument('file', type=Path)


def _action(actions: Commands, name: str, help: str) -> argparse.ArgumentParser:
    action: argparse.ArgumentParser = actions.add_parser(name, help=help)
    action.add_argument('--memory', type=Path, metavar='FILE',
                        help="the memory's file (default: agent.memory of the settings)")
    action.add_argument('--config', type=Path, metavar='FILE', help='settings that name the file')
    action.set_defaults(command=_act, action=name)
    return action


def _act(arguments: argparse.Namespace) -> int:
    from .memory_actions import act
    return act(arguments)
