"""The ROS commands of `replan-agent`, found through the entry points `replan_agent.commands`.

Importing this needs no ROS: `replan-agent --help` works everywhere.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from replan_agent.app.exits import WRONG_USE

NO_ROS = """\
replan-agent send needs ROS 2 (no module named {name!r}). Source your installation and this
workspace, or without an installation:  tools/ros run python3 -m replan_agent.ros.cli "TASK"
"""


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `send` to the command line."""
    add_arguments(commands.add_parser(
        'send', help='send a task to a running agent over ROS',
        description='Sends a task to agent_node and follows it. Ctrl-C cancels.'))


def add_arguments(send: argparse.ArgumentParser) -> None:
    send.add_argument('task', help='what to do, e.g. "pick up the red cube"')
    send.add_argument('--namespace', default='', help="the agent's namespace")
    send.add_argument('--max-replans', type=int, metavar='N', help='new plans after errors')
    send.add_argument('--timeout', type=float, metavar='S', help='time for the task, s')
    send.add_argument('--approval', choices=('none', 'auto', 'remote'),
                      help="who approves the plans; not more lenient than the agent's own")
    send.add_argument('--hint', action='append', default=[], metavar='SENTENCE',
                      help='what the camera cannot see; may be given more than once')
    send.add_argument('--wait', type=float, default=10.0, metavar='S',
                      help='how long to wait for the agent to appear (default: 10)')
    send.set_defaults(command=send_task)


def send_task(arguments: argparse.Namespace) -> int:
    """Exit status: 0 the task succeeded, 1 it failed, 2 it was not begun."""
    try:
        from .send import send
    except ModuleNotFoundError as error:
        print(NO_ROS.format(name=error.name), end='', file=sys.stderr)
        return WRONG_USE
    return send(arguments)


def main(argv: Sequence[str] | None = None) -> int:
    """`replan-agent send` on its own, where the package is not installed."""
    parser = argparse.ArgumentParser(prog='replan-agent send', description='Sends a task to '
                                     'agent_node and follows it. Ctrl-C cancels.')
    add_arguments(parser)
    return send_task(parser.parse_args(argv))


if __name__ == '__main__':
    sys.exit(main())
