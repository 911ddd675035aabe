# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ROS part of `replan-agent`, found through the entry points `replan_agent.commands`.

Importing this needs no ROS: `replan-agent --help` works everywhere. As a module it is the whole
command line where the package is not installed:

    tools/ros run python3 -m replan_agent.ros.commands send "pick up the red cube"
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from replan_agent.app.build.plugins import COMMANDS, installed_names
from replan_agent.app.cli import main as cli
from replan_agent.app.cli.added_commands import Commands
from replan_agent.app.terminal.exits import WRONG_USE

NO_ROS = """\
replan-agent {words} needs ROS 2 (no module named {name!r}). Source your installation and this
workspace, or without an installation:  tools/ros run python3 -m replan_agent.ros.commands {words}
"""


def add_commands(commands: Commands) -> None:
    """Add the command `send`."""
    add_arguments(commands.add_parser(
        'send', help='send a task to a running agent over ROS',
        description='Sends a task to agent_node and follows it. Ctrl-C cancels.'))


def add_arguments(send: argparse.ArgumentParser) -> None:
    send.add_argument('task', help='what to do, e.g. "pick up the red cube"')
    send.add_argument('--namespace', default='', help="the agent's namespace")
    send.add_argument('--max-replans', type=int, metavar='N', help='new plans after errors')
    send.add_argument('--timeout', type=float, metavar='S', help='time for the task, s')
    send.add_argument('--approval', choices=('none', 'auto', 'adaptive', 'remote'),
                      help="who approves the plans; not more lenient than the agent's own")
    send.add_argument('--hint', action='append', default=[], metavar='SENTENCE',
                      help='what the camera cannot see, or what helps a task that is stuck; may '
                           'be given more than once')
    send.add_argument('--wait', type=float, default=10.0, metavar='S',
                      help='how long to wait for the agent to appear (default: 10)')
    send.set_defaults(command=send_task)


def send_task(arguments: argparse.Namespace) -> int:
    """Exit status: 0 the task succeeded, 1 it failed, 2 it did not start."""
    try:
        from .send import send
    except ModuleNotFoundError as error:
        return without_ros(error, 'send "TASK"')
    return send(arguments)


def without_ros(error: ModuleNotFoundError, words: str) -> int:
    print(NO_ROS.format(name=error.name, words=words), end='', file=sys.stderr)
    return WRONG_USE


def main(argv: Sequence[str] | None = None) -> int:
    """`replan-agent` with these commands, installed or not."""
    return cli.main(argv, None if 'ros' in installed_names(COMMANDS) else [add_commands])
