# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reads the values of a scene file. An error names the key and what is allowed."""

from __future__ import annotations

import re
from typing import Any

from replan_agent.text.setting import ConfigError, Read, checked_number
from replan_agent.text.shown_text import shown

LONGEST_NAME = 60
NAME = re.compile(r'[A-Za-z][A-Za-z0-9_]*')


def wrong(where: str, allowed: str, value: Any) -> ConfigError:
    """The error that says what a value must be and what it is."""
    return ConfigError(f'{where}: must be {allowed}, not {shown(value)}')


def word(value: Any, where: str) -> str:
    if not isinstance(value, str) or not NAME.fullmatch(value) or len(value) > LONGEST_NAME:
        raise wrong(where, f'a word of at most {LONGEST_NAME} letters, digits and _, starting '
                    'with a letter', value)
    return value


def number(low: float, high: float) -> Read:
    """Reads a number; for keys that have no default."""
    return lambda value, where: checked_number(value, where, low, high)


def numbers(*counts: int, low: float, high: float) -> Read:
    """Reads a list of numbers of one of these lengths, each from `low` to `high`."""
    lengths = ' or '.join(map(str, counts))

    def read(value: Any, where: str) -> tuple[float, ...]:
        if (not isinstance(value, (list, tuple)) or len(value) not in counts
                or not all(is_number(v, low, high) for v in value)):
            raise wrong(where, f'a list of {lengths} numbers, each from {low:g} to {high:g}',
                        value)
        return tuple(float(v) for v in value)

    return read


def span(low: float, high: float) -> Read:
    """Reads a [lowest, highest] pair."""
    pair = numbers(2, low=low, high=high)

    def read(value: Any, where: str) -> tuple[float, float]:
        first, last = pair(value, where)
        if first > last:
            raise wrong(where, 'a pair [lowest, highest]', value)
        return first, last

    return read


def pixels(value: Any, where: str) -> tuple[int, int]:
    """Width and height of a picture."""
    width, height = numbers(2, low=16, high=4096)(value, where)
    return int(width), int(height)


def is_number(value: Any, low: float, high: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high
