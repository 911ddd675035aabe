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
from replan_agent.app.terminal.argument_types import port, positive, seed
from replan_agent.app.terminal.exits import SUCCESS, WrongUse
from replan_agent.app.terminal.outputs import check_folder
from replan_agent.serve.loopback import is_loopback

if TYPE_CHECKING:
    from .gate import Tokens

SWITCH_S = 0.0005  # the thread of the arm gets its turn soon while another one serves
NO_WEB = "replan-agent web needs starlette and uvicorn: pip install 'replan_agent[web]'"
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
  replan-agent web --no-arm --runs runs
  replan-agent web --no-arm --bench bench.json
  replan-agent web --host 0.0.0.0

Another host than this machine needs a token: two addresses are printed, one to watch, one to
act. There is no TLS: use a tunnel between machines, for example ssh -L 8780:localhost:8780.
"""


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser],
                 benchmarks: Any) -> None:
    """Add the command `web`."""
    web = commands.add_parser('web', help='a page to watch, approve and replay tasks',
                              description=DESCRIPTION, epilog=EXAMPLES,
                              formatter_class=argparse.RawTextHelpFormatter)
    web.add_argument('--scene', default='tabletop', metavar='NAME|FILE',
                     help='the first scene (default: tabletop); another can be chosen at the page')
    web.add_argument('--seed', type=seed, default=0, help='random seed (default: 0)')
    web.add_argument('--config', type=Path, metavar='FILE', help='settings, as in config/sim.yaml')
    web.add_argument('--approver', choices=APPROVERS, default='page',
                     help='page: every plan is asked about at the page (default); adaptive: only\n'
                          'risky ones; auto: none; none: every plan is denied')
    web.add_argument('--runs', type=Path, default=Path('runs'), metavar='DIR',
                     help='folder of the runs and of the stop latch (default: runs)')
    web.add_argument('--bench', type=Path, metavar='FILE',
                     help='the JSON file of a benchmark: its failed episodes are a gallery')
    web.add_argument('--no-arm', action='store_true', help='show past runs only')
    web.add_argument('--reset-stop', action='store_true',
                     help='allow motion again after a stop, and serve nothing')
    web.add_argument('--host', default='127.0.0.1',
                     help='default: 127.0.0.1; any other than this machine needs a token')
    web.add_argument('--port', type=port, default=8780, help='default: 8780; 0: any free one')
    web.add_argument('--tokens', action='store_true',
                     help='need a token on this machine too, against its other users')
    web.add_argument('--fps', type=positive, default=10, metavar='N',
                     help='pictures per second while somebody watches (default: 10)')
    web.add_argument('--pace', type=_pace, default=1.0, metavar='X',
                     help='how fast the simulated arm moves: 1 as a real one (default), 0 as\n'
                          'fast as it can be computed')
    web.set_defaults(command=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal comes, or reset the stop. Raises WrongUse."""
    if arguments.reset_stop:
        from replan_agent.serve.desk import released

        print(released(arguments.runs))
        return SUCCESS
    if find_spec('starlette') is None or find_spec('uvicorn') is None:
        raise WrongUse(NO_WEB)
    from replan_agent.serve.http_serving import (
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
    from replan_agent.app.build.config_file import load_config
    from replan_agent.serve.desk import Desk

    from .live_picture import LivePicture
    from .page_app import Arm
    from .page_station import Choice, PageStation

    config = replace(load_config(arguments.config), approver=APPROVERS[arguments.approver])
    live = LivePicture(arguments.fps)
    choice = Choice(arguments.scene, arguments.seed, config.planner, config.perception)
    station = PageStation(config, choice, feed, live, arguments.pace)
    desk = Desk(station, arguments.runs, 'web')
    desk.on_change = feed.wake
    return Arm(desk, station, live)


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
