# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent mcp`: its options, and the checks before anything starts.

Importing this needs neither the package `mcp` nor ROS: `replan-agent --help` works everywhere.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from replan_agent.app.cli import main as cli
from replan_agent.app.cli.added_commands import Commands
from replan_agent.app.terminal.exits import SUCCESS, WrongUse
from replan_agent.app.terminal.shared_arguments import add_config, add_world
from replan_agent.domain.config import ConfigError
from replan_agent.text.file_bytes import file_bytes
from replan_agent_page.serve.loopback import is_loopback
from replan_agent_page.serve.over_ros import add_ros, reset_stop, ros_station
from replan_agent_page.serve.server_arguments import add_address, add_reset_stop, check_folder

if TYPE_CHECKING:
    from replan_agent_page.serve.station import Station

TOKEN = 'REPLAN_AGENT_MCP_TOKEN'
SHORTEST_TOKEN = 16
NO_MCP = ('replan-agent mcp needs the package mcp, version 2: '
          "pip install 'replan_agent_page[mcp]'")
NO_CONSOLE = """approver console: over stdio the input is the protocol, so nobody can be asked \
there. Serve with --http: then you are asked in the terminal of the server. Or choose another \
approver: --approver none, auto (simulation only) or adaptive (risky plans are denied)"""
DESCRIPTION = """\
Serves the arm to assistants over the Model Context Protocol: over stdio, or with --http
on this machine. Tools: observe, skills, say, run_plan, task_status, stop,
why_did_it_fail. Resources: the records of the runs.

Every plan is validated and approved as in `replan-agent run`. No tool approves a plan.
After a stop nothing moves until a person runs `replan-agent mcp --reset-stop`.
"""
EXAMPLES = """\
examples:
  claude mcp add arm -- replan-agent mcp --scene tabletop
  replan-agent mcp --http --approver console
  claude mcp add --transport http arm http://127.0.0.1:8770/mcp
  replan-agent mcp --reset-stop
"""


def add_commands(commands: Commands) -> None:
    """Add the command `mcp`."""
    mcp = commands.add_parser('mcp', help='serve the arm to assistants (Model Context Protocol)',
                              description=DESCRIPTION, epilog=EXAMPLES,
                              formatter_class=argparse.RawTextHelpFormatter)
    add_world(mcp)
    add_config(mcp)
    mcp.add_argument('--approver', choices=('none', 'auto', 'adaptive', 'console', 'remote'),
                     help='who approves the plans (default: from the settings). console asks\n'
                          'you in this terminal and needs --http; adaptive asks only about\n'
                          'risky plans, and denies them over stdio; remote is for --ros')
    mcp.add_argument('--runs', type=Path, default=Path('runs/mcp'), metavar='DIR',
                     help='folder for the records and the stop latch (default: runs/mcp)')
    mcp.add_argument('--allow-reset', action='store_true',
                     help='let clients end a stop too, with the tool reset_stop')
    add_reset_stop(mcp)
    _add_http(mcp)
    add_ros(mcp)
    mcp.set_defaults(command=run)


def _add_http(mcp: argparse.ArgumentParser) -> None:
    http = mcp.add_argument_group('over HTTP')
    http.add_argument('--http', action='store_true', help='serve over HTTP instead of stdio')
    add_address(http, 8770)
    http.add_argument('--token-file', type=Path, metavar='FILE',
                      help=f'a file with the token that clients must send; or set {TOKEN}')


def run(arguments: argparse.Namespace) -> int:
    """Serve until the end, or reset the stop. Raises WrongUse."""
    if arguments.reset_stop:
        return reset_stop(arguments, 'mcp')
    token = _checked_token(arguments)
    if find_spec('mcp') is None or find_spec('mcp_types') is None:  # mcp_types is new in mcp 2
        raise WrongUse(NO_MCP)
    check_folder(arguments.runs, '--runs')
    from replan_agent_page.serve.desk import Desk

    from .arm_server import arm_server
    from .serving import serve_http, serve_stdio

    station = (ros_station(arguments, arguments.approver, 'mcp') if arguments.ros
               else _simulated(arguments))
    desk = Desk(station, arguments.runs, 'mcp')
    server = arm_server(desk, arguments.allow_reset)
    if arguments.http:
        serve_http(server, desk, arguments.host, arguments.port, token)
    else:
        serve_stdio(server, desk)
    return SUCCESS


def _simulated(arguments: argparse.Namespace) -> Station:
    from replan_agent.app.build.compose import Simulation
    from replan_agent.app.build.config_file import load_config
    from replan_agent.app.terminal.console import ConsoleRecorder, plain_console
    from replan_agent.approve.console_approver import ConsoleHuman
    from replan_agent_page.serve.sim_station import SimStation

    config = load_config(arguments.config)
    config = replace(config, approver=arguments.approver or config.approver)
    if config.approver == 'console' and not arguments.http:
        raise WrongUse(NO_CONSOLE)
    terminal = arguments.http and sys.stdin.isatty()
    if config.approver == 'console' and not terminal:
        raise WrongUse('approver console: the input is not a terminal, so nobody can be asked; '
                       'start the server in a terminal, or choose another approver')
    simulation = Simulation(arguments.scene, config=config, seed=arguments.seed,
                            human=ConsoleHuman() if terminal else None)
    watchers = [ConsoleRecorder(plain_console())] if arguments.http else []
    return SimStation(simulation, watchers, terminal)


def _checked_token(arguments: argparse.Namespace) -> str:
    """The token of the server; '' if it needs none. Raises WrongUse if it should have one."""
    if not arguments.http:
        return ''
    token = os.environ.get(TOKEN, '').strip()
    if arguments.token_file:
        try:
            token = file_bytes(arguments.token_file, 10_000).decode().strip()
        except (ConfigError, UnicodeDecodeError) as error:
            raise WrongUse(f'--token-file: {error}') from error
    if (token or arguments.token_file) and len(token) < SHORTEST_TOKEN:
        raise WrongUse(f'the token has {len(token)} characters: it needs {SHORTEST_TOKEN} or '
                       'more, for example from: openssl rand -hex 32')
    if not token and not is_loopback(arguments.host):
        raise WrongUse(f'--host {arguments.host}: other machines can reach it, so it needs a '
                       f'token: --token-file FILE, or {TOKEN} in the environment')
    return token


def main(argv: Sequence[str] | None = None) -> int:
    """`replan-agent mcp` with these arguments, installed or not."""
    return cli.main(['mcp', *(sys.argv[1:] if argv is None else argv)], [add_commands])
