# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands that other packages of ours add, and what to say where such a package is missing."""

from __future__ import annotations

import argparse
from typing import Any

from replan_agent.app.build.plugins import COMMANDS, OURS, not_installed

Commands = Any  # argparse's subparsers; their type has no public name


def add_missing(commands: Commands) -> None:
    """Each command of ours whose package is not installed says so. `--help` does not list them."""
    for name in OURS[COMMANDS]:
        if name in commands.choices:
            continue
        parser = commands.add_parser(name, add_help=False, prefix_chars='\0')  # no options
        parser.add_argument('words', nargs=argparse.REMAINDER)
        parser.set_defaults(command=_missing, name=name)


def _missing(arguments: argparse.Namespace) -> int:
    raise not_installed(COMMANDS, arguments.name)
