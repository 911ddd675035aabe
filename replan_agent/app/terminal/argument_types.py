# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Number types for the command line, and a parser that reports a wrong one in short."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from replan_agent.text.choices import meant
from replan_agent.text.shown_text import one_line, shown

HIGHEST_PORT = 65_535
MOST_DIGITS = 18  # so that it fits into a database and a random generator
UNKNOWN = 'unrecognized arguments: '  # the words of argparse


class ShortErrorParser(argparse.ArgumentParser):
    """A parser whose errors are short, whatever was given, and ask what a slip meant."""

    def error(self, message: str) -> NoReturn:
        words = message.removeprefix(UNKNOWN).split() if message.startswith(UNKNOWN) else []
        unknown = words[0] if words else ''
        if message.strip() == UNKNOWN.strip():
            message += "''"
        elsewhere = self._commands_with(unknown.split('=')[0])
        hint = f'an option of {", ".join(elsewhere)} only: ' if elsewhere else (
            meant(unknown, self._options()) if unknown.startswith('-') else '')
        super().error(one_line(f'{hint}{message}'))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            hint = meant(value, map(str, action.choices or ()))
            raise argparse.ArgumentError(action, f'{hint}{error.message}') from None

    def _commands_with(self, option: str) -> list[str]:
        """The commands that know the option."""
        return [name for action in self._actions
                if isinstance(action, argparse._SubParsersAction)
                for name, each in action.choices.items() if option in each._options()]

    def _options(self) -> set[str]:
        """The options of this command and of all below it: argparse does not say which one."""
        found = {option for action in self._actions for option in action.option_strings}
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                found = found.union(*(each._options() for each in action.choices.values()))
        return found


def count(text: str) -> int:
    return _whole(text, 0)


seed = count


def positive(text: str) -> int:
    return _whole(text, 1)


def port(text: str) -> int:
    if count(text) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f'{text} is not a port: from 0 to {HIGHEST_PORT}')
    return int(text)


def _whole(text: str, least: int) -> int:
    if not text.isdecimal() or len(text) > MOST_DIGITS or int(text) < least:
        raise argparse.ArgumentTypeError(f'{shown(text)} is not a whole number from {least} up, '
                                         f'of at most {MOST_DIGITS} digits')
    return int(text)
