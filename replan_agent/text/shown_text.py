# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Text from outside, made safe to show: short, on one line, without control characters."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping, Sequence
from typing import Any

CONTROLS = r'\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff'  # all but tab and line feed
MARKS = r'\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff'  # turn text around, or are not seen
_UNPRINTABLE = re.compile(f'[{CONTROLS}{MARKS}]')
_CONTROL = re.compile(f'[{CONTROLS}]')
_PLAIN = re.compile(r'[\w .+-]*')
LONGEST_VALUE = 80  # characters of a value in a message
LONGEST_MESSAGE = 1000
MOST_DIGITS = 40


def clipped(text: str, most: int) -> str:
    """The text, cut to `most` characters plus three dots if it is longer."""
    return text if len(text) <= most else f'{text[:most]}...'


def printable(text: str) -> str:
    """The text as a terminal may show it: each control character or direction mark is U+FFFD.

    Tabs and line feeds stay.
    """
    return _UNPRINTABLE.sub('\ufffd', text.replace('\r\n', '\n'))


def in_words(slug: str) -> str:
    """A name of the data as people read it: `path_blocked` is 'path blocked'."""
    return slug.replace('_', ' ')


def counted(number: int, nouns: str) -> str:
    """A number and its noun, which is given in the plural: '1 step', '2 steps'."""
    return f'{number} {nouns.removesuffix("s") if number == 1 else nouns}'


def told_call(skill: str, args: Mapping[str, Any], whole: bool = False) -> str:
    """A call as people read it: 'pick(object=red_cube)', numbers rounded to millimetres."""
    values = (f'{name}={told(value, whole)}' for name, value in args.items())
    return f'{skill}({", ".join(values)})'


def told(value: Any, whole: bool = False) -> str:
    """A value of an argument as people read it; a text that could pass for more is in quotes.

    A long one is cut, unless the whole value is wanted.
    """
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    if isinstance(value, float | int):
        return f'{rounded(value)}'
    return printable(repr(rounded(value))) if whole else shown(value)


def rounded(value: Any) -> Any:
    """A number with three decimals or three digits, also in a list; any other value as it is."""
    if isinstance(value, float):
        return (int(value) if value.is_integer() else round(value, 3) if abs(value) >= 0.001
                else float(f'{value:.3g}'))
    return [rounded(v) for v in value] if isinstance(value, list | tuple) else value


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: 'a', 'a and b', 'a, b and c'."""
    return ' and '.join([', '.join(names[:-1]), names[-1]] if len(names) > 1 else names)


def has_controls(text: str) -> bool:
    """Whether there are control characters or half surrogate pairs in the text."""
    return _CONTROL.search(text) is not None


def escaped(json_text: str) -> str:
    """JSON text with everything that is not printable as its escape: the same values."""
    return _UNPRINTABLE.sub(lambda found: f'\\u{ord(found.group()):04x}', json_text)


def one_line(text: object, most: int = LONGEST_MESSAGE) -> str:
    """The text on one line, printable and clipped."""
    # Clip twice: a huge text is not worth cleaning, and cleaning makes it shorter.
    return clipped(' '.join(printable(clipped(str(text), 10 * most)).split()), most)


def shown(value: Any, most: int = LONGEST_VALUE) -> str:
    """A value in a message: its repr, short however large or deep the value is."""
    return one_line(_SHORT.repr(value), most)


class _Short(reprlib.Repr):
    """Like repr, of the first few parts and levels only."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxstring = self.maxother = LONGEST_VALUE

    def repr_int(self, x: int, level: int) -> str:
        digits = round(x.bit_length() * 0.30103)  # repr of a huge one raises ValueError
        return repr(x) if digits <= MOST_DIGITS else f'a number of about {digits} digits'


_SHORT = _Short()
