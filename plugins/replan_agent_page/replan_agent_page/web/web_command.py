# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent web`: its options, and the checks before anything starts.

Importing this needs neither starlette nor uvicorn: `replan-agent --help` works everywhere.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replan_agent.app.cli import main as cli
from replan_agent.app.cli.added_commands import Commands
from replan_agent.app.cli.run_arguments import names_of
from replan_agent.app.terminal.argument_types import positive
from replan_agent.app.terminal.exits import SUCCESS, WrongUse
from replan_agent.app.terminal.shared_arguments import add_config, add_model, add_world
from replan_agent.domain.config import PERCEPTIONS, PLANNERS
from replan_agent_page.serve.loopback import is_loopback
from replan_agent_page.serve.over_ros import add_ros, reset_stop, ros_station
from replan_agent_page.serve.server_arguments import add_address, add_reset_stop, check_folder

if TYPE_CHECKING:
    from replan_agent.domain.config import Config

    from .gate import Tokens

SWITCH_S = 0.0005  # the thread of the arm gets its turn soon while another one serves
AGENT_RUNS = '~/.ros/replan_agent/runs'  # as the setting tasks.runs of agent_node
NO_WEB = "replan-agent web needs starlette and uvicorn: pip install 'replan_agent_page'"
ROS_ARGUMENTS = '--ros-args'
APPROVERS = {'page': 'console', 'adaptive': 'adaptive', 'auto': 'auto', 'none': 'none'}
DESCRIPTION = """\
Serves a page on this machine to watch tasks, approve plans and look at past runs.

Watch: the camera's picture with names, the stages of the task, the plans and what changed,
every failure with its numbers. Act: give tasks, approve, deny or edit plans, give hints, stop.
Replay: any run in the folder of the runs, as a time line; two runs side by side.
"""
EXAMPLES = """\
examples:
  replan-agent web
  replan-agent web --scene far_cube --approver auto
  replan-agent web --scene my_scene.yaml --arm my_arm.yaml
  replan-agent web --model gpt-5-mini
  replan-agent web --no-arm --runs runs
  replan-agent web --no-arm --bench bench.json
  replan-agent web --host 0.0.0.0
  ros2 run replan_agent web

Another host than this machine needs a token: two addresses are printed, one to watch, one to
act. There is no TLS: use a tunnel between machines, for example ssh -L 8780:localhost:8780.
"""


def add_commands(commands: Commands) -> None:
    """Add the command `web`."""
    web = commands.add_parser('web', help='a page to watch, approve and replay tasks',
                              description=DESCRIPTION, epilog=EXAMPLES,
                              formatter_class=argparse.RawTextHelpFormatter)
    add_world(web, 'the first scene by name, or your own YAML file (default: tabletop);\n'
                   'another can be chosen at the page, also of those beside the file')
    web.add_argument('--arm', metavar='NAME|FILE', help='the first arm, or your own by its file')
    web.add_argument('--planner', choices=names_of('planner', PLANNERS),
                     help='the first planner, also an installed one')
    web.add_argument('--perception', choices=names_of('perception', PERCEPTIONS),
                     help='the same for perception')
    add_config(web)
    add_model(web, 'from the settings')
    web.add_argument('--approver', choices=APPROVERS,
                     help='page: every plan is asked about at the page (default); adaptive: only\n'
                          'risky ones; auto: none; none: every plan is denied. With --ros the\n'
                          'default is as agent_node is configured')
    web.add_argument('--runs', type=Path, metavar='DIR',
                     help='folder of the runs and of the stop latch (default: runs; with --ros\n'
                          f'where agent_node writes them, {AGENT_RUNS})')
    web.add_argument('--bench', type=Path, metavar='FILE',
                     help='the JSON file of a benchmark: its failed episodes are a gallery')
    web.add_argument('--no-arm', action='store_true', help='show past runs only')
    add_reset_stop(web)
    add_address(web, 8780)
    web.add_argument('--tokens', action='store_true',
                     help='need a token on this machine too, against its other users')
    web.add_argument('--fps', type=positive, default=10, metavar='N',
                     help='pictures per second while somebody watches (default: 10)')
    web.add_argument('--pace', type=_pace, default=1.0, metavar='X',
                     help='how fast the simulated arm moves: 1 as a real one (default), 0 as\n'
                          'fast as it can be computed')
    add_ros(web)
    web.set_defaults(command=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal comes, or reset the stop. Raises WrongUse."""
    arguments.runs = arguments.runs or Path(AGENT_RUNS if arguments.ros else 'runs').expanduser()
    if arguments.reset_stop:
        return reset_stop(arguments, 'web')
    if arguments.ros and arguments.no_arm:
        raise WrongUse('--ros and --no-arm: choose one; past runs need no ROS')
    if find_spec('starlette') is None or find_spec('uvicorn') is None:
        raise WrongUse(NO_WEB)
    from replan_agent_page.serve.http_serving import (
        HttpServer,
        bound,
        serve_until_signal,
        shown_address,
    )

    from .feed import Feed
    from .page_app import Page
    from .past_runs import Gallery

    check_folder(arguments.runs, '--runs')
    sys.setswitchinterval(SWITCH_S)
    gallery, feed, tokens = Gallery(arguments.bench), Feed(), _tokens(arguments)
    with bound(arguments.host, arguments.port) as listening:
        arm = None if arguments.no_arm else _arm(arguments, feed)
        page = Page(arguments.runs, gallery, feed, arm)
        http = HttpServer(page.app(arguments.host, tokens), on_end=page.end)
        for line in _addresses(shown_address(arguments.host, listening), tokens):
            print(line, file=sys.stderr, flush=True)
        serve_until_signal(http, listening, arm.desk.close if arm else lambda: None)
    return SUCCESS


def _arm(arguments: argparse.Namespace, feed: Any) -> Any:
    from replan_agent_page.serve.desk import Desk

    from .page_arm import Arm

    station = (_ros_arm if arguments.ros else _simulated)(arguments, feed)
    desk = Desk(station, arguments.runs, 'web')
    desk.on_change = feed.wake
    return Arm(desk, station)


def _simulated(arguments: argparse.Namespace, feed: Any) -> Any:
    from .page_station import Choice, PageStation

    config = _config(arguments)
    choice = Choice(arguments.scene, arguments.seed, config.planner, config.perception,
                    config.robot.model)
    return PageStation(config, choice, feed, arguments.fps, arguments.pace)


def _config(arguments: argparse.Namespace) -> Config:
    from replan_agent.app.build.config_file import load_config
    from replan_agent.app.cli.run_command import with_model
    from replan_agent.arms.arm_names import checked_arm

    config = with_model(load_config(arguments.config), arguments)
    arm = checked_arm(arguments.arm or config.robot.model, '--arm')
    return replace(config, approver=APPROVERS[arguments.approver or 'page'],
                   planner=arguments.planner or config.planner,
                   perception=arguments.perception or config.perception,
                   robot=replace(config.robot, model=arm))


def _ros_arm(arguments: argparse.Namespace, feed: Any) -> Any:
    from .ros_page_station import RosPageStation

    approver = 'remote' if arguments.approver == 'page' else arguments.approver
    return RosPageStation(ros_station(arguments, approver, 'web'), feed, arguments.fps)


def _tokens(arguments: argparse.Namespace) -> Tokens:
    """New ones at every start, where they are needed."""
    from .gate import Tokens

    if is_loopback(arguments.host) and not arguments.tokens:
        return Tokens()
    return Tokens(secrets.token_urlsafe(24), secrets.token_urlsafe(24))


def _addresses(address: str, tokens: Tokens) -> list[str]:
    """What to open in a browser. A token is behind `#`, so it is in no log of a proxy."""
    if not tokens.act:
        return [f'page: {address}/ (Ctrl-C ends it)']
    return [f'to act:   {address}/#token={tokens.act}',
            f'to watch: {address}/#token={tokens.watch} (Ctrl-C ends it)']


def _pace(text: str) -> float:
    try:
        pace = float(text)
    except ValueError:
        pace = -1.0
    if not 0 <= pace <= 1000:
        raise argparse.ArgumentTypeError('a number from 0 (no limit) to 1000')
    return pace


def main(argv: Sequence[str] | None = None) -> int:
    """`replan-agent web` with these arguments, installed or not."""
    return cli.main(['web', *(sys.argv[1:] if argv is None else argv)], [add_commands])


def ros_main() -> int:
    """`ros2 run replan_agent web`: the same with --ros. Words from --ros-args on are for ROS."""
    words = sys.argv[1:]
    ours = words[:words.index(ROS_ARGUMENTS)] if ROS_ARGUMENTS in words else words
    return main(['--ros', *ours])
