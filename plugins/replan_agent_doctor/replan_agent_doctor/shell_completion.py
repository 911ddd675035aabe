# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a shell needs to complete `replan-agent`: commands, options, and the names they take."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from replan_agent.app.build.plugins import COMMANDS, installed_names, loaded
from replan_agent.app.build.share import share_path
from replan_agent.app.cli.main import parser
from replan_agent.app.terminal.exits import SUCCESS, WrongUse
from replan_agent.arms.arm_names import ARM_NAMES, FILE, OTHER_ARMS
from replan_agent.robot.mujoco.scene.scene_file import list_scenes

from .terminal_commands import SHELLS

FOLDERS = ('--out', '--runs')
FUNCTIONS = {  # that offer these names, and files
    'bash': '{function}() {{\n  compgen -W "{names}" -- $1\n  compgen -f -- $1\n}}',
    'zsh': "{function}() {{\n  _alternative 'names:name:({names})' 'files:file:_files'\n}}",
    'fish': 'function {function}\n  printf "%s\\n" {names}\n'
            '  __fish_complete_path (commandline -ct)\nend'}


def completion(arguments: argparse.Namespace) -> int:
    """Print the script of a shell."""
    shell = arguments.shell or Path(os.environ.get('SHELL', '')).name
    if shell not in SHELLS:
        raise WrongUse(f'say for which shell: {", ".join(SHELLS)}')
    try:
        import shtab
    except ModuleNotFoundError:
        raise WrongUse('shtab writes the script; it is not installed: pip install shtab') from None
    top = parser(add for _, add in loaded(COMMANDS))
    scenes = list_scenes(share_path('config', 'scenes'))
    arms = [*ARM_NAMES, *(name for name in installed_names(OTHER_ARMS) if name != FILE)]
    takes = {'--scene': _names('scenes', scenes), '--arm': _names('arms', arms),
             **dict.fromkeys(FOLDERS, shtab.DIRECTORY)}
    for action in _actions(top):
        known = next((takes[option] for option in action.option_strings if option in takes), None)
        if known or action.type is Path:
            action.complete = known or shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(top, shell))
    return SUCCESS


def _names(kind: str, names: Iterable[str]) -> dict[str, Any]:
    """How shtab is told that an option takes one of these names, or a file."""
    function = f'_replan_agent_{kind}'
    made = {shell: text.format(function=function, names=' '.join(names))
            for shell, text in FUNCTIONS.items()}
    return {'bash': function, 'zsh': function, 'fish': f'({function})', 'preamble': made}


def _actions(command: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The options of a command and of all below it."""
    for action in command._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _actions(each)
