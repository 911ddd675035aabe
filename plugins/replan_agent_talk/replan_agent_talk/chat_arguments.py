# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The options of `replan-agent chat`."""

from __future__ import annotations

import argparse
from pathlib import Path

from replan_agent.app.cli.run_arguments import APPROVERS, names_of
from replan_agent.app.terminal.shared_arguments import add_config, add_world
from replan_agent.domain.config import PERCEPTIONS, PLANNERS

HOW = """\
Say one thing on each line:
  put the cube in the bowl        an order; it asks if several things may be meant
  the left one                    an answer to its question
  no, the blue one                a correction; or: no, in the bin
  now the green one               the same order with another thing; or: and the other one too
  put it in the bin               "it" and "them" are the things of the order before
  undo that                       what was moved goes back; or: put it back
  what is on the table?           asked without moving; also: where is the bowl? what are you
                                  holding? why did that fail? what did you do? what can you do?
Ctrl-C during a task ends the task, otherwise the chat. So does the end of the input.
"""


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    chat = commands.add_parser('chat', help='talk with the arm: orders, answers, questions',
                               formatter_class=argparse.RawTextHelpFormatter, epilog=HOW)
    add_world(chat)
    chat.add_argument('--planner', choices=names_of('planner', PLANNERS), help='as for run')
    chat.add_argument('--perception', choices=names_of('perception', PERCEPTIONS),
                      help='as for run')
    chat.add_argument('--approver', choices=APPROVERS, help='as for run')
    chat.add_argument('--out', type=Path, default=Path('runs'), metavar='DIR',
                      help='each task gets a folder in it (default: runs)')
    add_config(chat)
    chat.set_defaults(command=_chat, how=HOW)


def _chat(arguments: argparse.Namespace) -> int:
    from .chat_command import chat  # MuJoCo is slow to import
    return chat(arguments)
