# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command line: `replan-agent --help` lists its commands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence

from replan_agent import __version__
from replan_agent.app.build.plugins import COMMANDS, FOREIGN_ERRORS, loaded, log
from replan_agent.app.terminal.argument_types import ShortErrorParser, seed
from replan_agent.app.terminal.exits import INTERRUPTED, NOT_RECORDED, WRONG_USE, WrongUse
from replan_agent.app.terminal.shared_arguments import add_config
from replan_agent.app.terminal.signals import ctrl_c_noted
from replan_agent.app.terminal.streams import guard_printing, status_with_output
from replan_agent.domain.config import ConfigError
from replan_agent.text.file_bytes import NotWritten
from replan_agent.text.shown_text import one_line

from .added_commands import Commands, add_missing
from .list_commands import scenes, skills
from .run_arguments import EXIT_STATUS, RUN_EXAMPLES, add_run

PlugIn = Callable[[Commands], None]  # it adds commands
OURS_ALONE = [['run'], ['read'], ['scenes'], ['skills']]  # they need no plug-in's

EXAMPLES = f"""\
examples:
  replan-agent demo
{RUN_EXAMPLES}  replan-agent show runs/TIME-SCENE
  replan-agent plans runs/TIME-SCENE --diff 1 2
  replan-agent replay runs/TIME-SCENE
  replan-agent export runs/TIME-SCENE --mcap runs/run.mcap
  replan-agent run "put the lemon in the bowl" --scene fruit --perception camera_vlm \\
      --model fake-model --base-url http://127.0.0.1:8765/v1
  replan-agent chat --scene tabletop
  replan-agent look --scene tabletop
  replan-agent calibrate --scene tabletop --out runs/camera.yaml
  replan-agent read "put the red cube in the bowl"
  replan-agent scenes
  replan-agent skills

"""


READING = """\
It prints the goals and the sentence that says them back; or the question with the other
readings, or the first word that does not fit. docs/language.md says what can be said.
Exit status: 0 understood, 1 asked or refused.
"""


def main(argv: Sequence[str] | None = None, plug_ins: Iterable[PlugIn] | None = None) -> int:
    """Run a command and return its exit status. The default plug-ins are the installed ones."""
    guard_printing()
    with ctrl_c_noted() as pressed:
        try:
            words = sys.argv[1:] if argv is None else argv
            adding = plug_ins if plug_ins is not None else () if words[:1] in OURS_ALONE else (
                _guarded(what, add) for what, add in loaded(COMMANDS))
            arguments = parser(adding).parse_args(words)
            return status_with_output(int(arguments.command(arguments)))
        except NotWritten as error:  # of a benchmark; others have their own sentence
            print(f'replan-agent: {error}', file=sys.stderr)
            return NOT_RECORDED
        except (ConfigError, WrongUse) as error:
            print(f'replan-agent: {one_line(error)}', file=sys.stderr)
            return WRONG_USE
        except KeyboardInterrupt:
            print('\nreplan-agent: interrupted', file=sys.stderr)
        except Exception as error:
            if not pressed():
                raise
            print(f'\nreplan-agent: interrupted ({type(error).__name__})', file=sys.stderr)
        return INTERRUPTED


def parser(plug_ins: Iterable[PlugIn] = ()) -> argparse.ArgumentParser:
    top: argparse.ArgumentParser = ShortErrorParser(
        prog='replan-agent', epilog=EXAMPLES + EXIT_STATUS,
        formatter_class=argparse.RawTextHelpFormatter,
        description='An arm that carries out a task in words, and says exactly why if it '
                    'cannot.')
    top.add_argument('--version', action='version', version=f'replan-agent {__version__}')
    commands = top.add_subparsers(title='commands', required=True, metavar='COMMAND')
    add_run(commands)
    _add_lists(commands)
    for add in plug_ins:
        add(commands)
    add_missing(commands)
    return top


def _guarded(what: str, add: PlugIn) -> PlugIn:
    """A plug-in that is left out with a sentence if it fails. Our commands stay ours."""
    def guarded(commands: Commands) -> None:
        before = dict(commands.choices)
        try:
            add(commands)
        except FOREIGN_ERRORS as error:
            commands.choices.clear()
            log.warning(f'{what} cannot be used: {type(error).__name__}: {error}; it is left out')
        commands.choices.update(before)

    return guarded


def _add_lists(commands: Commands) -> None:
    read = commands.add_parser('read', help='what a sentence means in a scene; nothing is moved',
                               formatter_class=argparse.RawTextHelpFormatter, epilog=READING)
    read.add_argument('task')
    read.add_argument('--scene', default='tabletop', help='name or file (default: tabletop)')
    read.add_argument('--seed', type=seed, default=0, help='of the places of its things')
    read.add_argument('--json', action='store_true')
    add_config(read)
    read.set_defaults(command=_read)
    for name, does, more in (('scenes', scenes, ''), ('skills', skills, ' and their arguments')):
        lists = commands.add_parser(name, help=f'list the {name}{more}')
        lists.add_argument('--json', action='store_true')
        lists.set_defaults(command=does)


def _read(arguments: argparse.Namespace) -> int:
    from .read_command import read  # slow, as what other commands need: `--help` loads none of it
    return read(arguments)


if __name__ == '__main__':
    sys.exit(main())
