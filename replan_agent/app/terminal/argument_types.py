"""Number types for the command line; argparse reports a wrong one."""

from __future__ import annotations

import argparse

HIGHEST_PORT = 65_535


def count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f'{text!r} is not a whole number from 0 up')
    return int(text)


seed = count


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f'{text!r} is not a whole number from 1 up')
    return int(text)


def port(text: str) -> int:
    if count(text) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f'{text} is not a port: from 0 to {HIGHEST_PORT}')
    return int(text)
