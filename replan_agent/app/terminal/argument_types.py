"""Number types for the command line, and a parser that reports a wrong one in short."""

from __future__ import annotations

import argparse
from typing import NoReturn

from replan_agent.domain.text import one_line, shown

HIGHEST_PORT = 65_535
MOST_DIGITS = 18  # so that it fits into a database and a random generator


class ShortErrorParser(argparse.ArgumentParser):
    """A parser whose errors are short, whatever was given."""

    def error(self, message: str) -> NoReturn:
        super().error(one_line(message))


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
