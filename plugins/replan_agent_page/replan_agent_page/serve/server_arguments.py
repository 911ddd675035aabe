# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Options that the commands of both servers have, and the check of their folder."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from replan_agent.app.terminal.argument_types import port
from replan_agent.app.terminal.exits import WrongUse


def add_reset_stop(command: argparse.ArgumentParser) -> None:
    """Add --reset-stop."""
    command.add_argument('--reset-stop', action='store_true',
                         help='allow motion again after a stop, and serve nothing')


def add_address(command: argparse._ActionsContainer, number: int) -> None:
    """Add --host and --port."""
    command.add_argument('--host', default='127.0.0.1',
                         help='default: 127.0.0.1; any other than this machine needs a token')
    command.add_argument('--port', type=port, default=number,
                         help=f'default: {number}; 0: any free one')


def check_folder(folder: Path, option: str) -> None:
    """Raise WrongUse if nothing can be recorded there: servers may be started anywhere."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise WrongUse(f'{option} {folder}: it is a file, not a folder; name a folder') from error
    except OSError as error:
        raise WrongUse(f'{option} {folder}: {error.strerror}; name a folder that can be written'
                       ) from error
    if not os.access(folder, os.W_OK):
        raise WrongUse(f'{option} {folder}: it cannot be written; name another folder')
