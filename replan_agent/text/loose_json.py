# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""JSON as models write it: with small slips of form, and in the middle of a text."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any

from .json_text import model_json

LONGEST = 50_000  # characters
MOST_VALUES = 100  # brackets that are tried in one text
_STRING = r'"(?:\\.|[^"\\])*"'
_SLIPS = re.compile(rf'(?P<kept>{_STRING})|,(?=\s*[}}\]])|//[^\n]*|/\*.*?\*/', re.DOTALL)
_OPENING = re.compile(r'[{\[]')
_QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\'')


def loose_json(text: str) -> Any:
    """The values in JSON, also with trailing commas, comments or single quotes.

    Raises ValueError and nothing else.
    """
    try:
        return model_json(text)
    except ValueError:
        if len(text) > LONGEST:
            raise
    tidy = _SLIPS.sub(lambda found: found['kept'] or '', text)
    try:
        return model_json(tidy)
    except ValueError as error:
        return _python_values(tidy, error)


def _python_values(text: str, error: ValueError) -> Any:
    """The values if they are written as in Python: 'single quotes', True, None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', SyntaxWarning)  # of wrong escapes
            found = ast.literal_eval(text.strip())
        return model_json(json.dumps(found))  # the same limits; a set or bytes is refused
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise error from None


def values_in(text: str) -> Iterator[tuple[int, Any]]:
    """The JSON objects and lists in a text, outermost only, each with its position."""
    at = 0
    text = text[:LONGEST]
    for _ in range(MOST_VALUES):
        opening = _OPENING.search(text, at)
        if opening is None:
            return
        start = opening.start()
        end = _closing(text, start)
        try:
            value = loose_json(text[start:end or start])
        except ValueError:
            at = start + 1
            continue
        yield start, value
        at = end or start + 1


def _closing(text: str, start: int) -> int | None:
    """Where the bracket at `start` is closed; None if it is not."""
    depth, at = 0, start
    while at < len(text):
        quoted = _QUOTED.match(text, at)
        if quoted is not None:
            at = quoted.end()
            continue
        depth += (text[at] in '{[') - (text[at] in '}]')
        at += 1
        if depth == 0:
            return at
    return None
