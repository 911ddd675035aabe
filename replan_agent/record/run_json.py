# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reads the JSON of a run folder. Whatever is wrong becomes one sentence with the file's name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from replan_agent.domain.config import ConfigError
from replan_agent.text.file_bytes import file_bytes
from replan_agent.text.json_text import LONGEST_FILE, json_values

Json = Mapping[str, Any]
EVENTS = 'events.jsonl'
# What reading JSON of another version may raise.
OTHER_VERSION = (KeyError, TypeError, ValueError, AttributeError, IndexError)


class RunUnreadable(Exception):
    """There is no run, or it cannot be read. The message names the path."""


def json_file(file: Path) -> Json:
    """The object in the file. Raises RunUnreadable."""
    return _object(_content(file), str(file))


def json_lines(file: Path) -> Iterator[tuple[str, Json]]:
    """Each line as an object, with its place for error messages. Raises RunUnreadable.

    A last line that is torn is left out: the run was killed while it wrote it.
    """
    *whole, last = _content(file).split(b'\n')
    for number, line in enumerate(whole, 1):
        where = f'{file}: line {number}'
        yield where, _object(line, where)
    try:
        yield f'{file}: last line', _object(last, str(file))
    except RunUnreadable:
        return


def _content(file: Path) -> bytes:
    try:
        return file_bytes(file, LONGEST_FILE)
    except ConfigError as error:
        raise RunUnreadable(str(error)) from error


def _object(text: bytes, where: str) -> Json:
    try:
        found = json_values(text, where)
    except ConfigError as error:
        raise RunUnreadable(str(error)) from error
    if not isinstance(found, dict):
        raise RunUnreadable(f'{where}: must be a JSON object, not {type(found).__name__}')
    return found
