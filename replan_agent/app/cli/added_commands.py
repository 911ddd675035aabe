"""Commands that other packages of ours add, and what to say where such a package is missing."""

from __future__ import annotations

import argparse
from typing import Any

from replan_agent.app.build.plugins import COMMANDS, OURS, not_installed


class BenchOptions:
    """The options that plug-ins add to `bench`, whichever of the two comes first."""

    def __init__(self) -> None:
        self._waiting: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        self._group: Any = None

    def add_argument(self, *names: Any, **how: Any) -> None:
        if self._group is None:
            self._waiting.append((names, how))
        else:
            self._group.add_argument(*names, **how)

    def belong_to(self, group: Any) -> None:
        """The group of `bench`, once there is one."""
        self._group = group
        for names, how in self._waiting:
            group.add_argument(*names, **how)


def add_missing(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Each command of ours whose package is not installed says so. `--help` does not list them."""
    for name in OURS[COMMANDS]:
        if name in commands.choices:
            continue
        parser = commands.add_parser(name, add_help=False, prefix_chars='\0')  # no options
        parser.add_argument('words', nargs=argparse.REMAINDER)
        parser.set_defaults(command=_missing, name=name)


def _missing(arguments: argparse.Namespace) -> int:
    raise not_installed(COMMANDS, arguments.name)
