# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""JSON as plain values, from files and from models. Nothing in it is trusted."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .file_bytes import file_bytes
from .setting import ConfigError
from .shown_text import one_line, shown

LONGEST_FILE = 256_000_000  # bytes
DEEPEST = 60  # levels; more than any file of ours has, and below any recursion limit
LARGEST = 2**63  # no counter holds a larger whole number


def read_json(path: Path) -> Any:
    """The values in a JSON file. Raises ConfigError, which names the file."""
    return json_values(file_bytes(path, LONGEST_FILE), str(path))


def json_values(data: bytes | str, where: str) -> Any:
    """The values in JSON text. Errors call it `where`."""
    try:
        text = data if isinstance(data, str) else data.decode('utf-8')
        found = json.loads(text, parse_int=_whole, parse_float=_finite, parse_constant=_finite)
    except UnicodeDecodeError as error:
        raise ConfigError(f'{where}: not UTF-8 text: {error}') from error
    except ValueError as error:
        raise ConfigError(f'{where}: not valid JSON: {one_line(error, 200)}') from error
    except RecursionError as error:
        raise ConfigError(f'{where}: not valid JSON: nested too deep') from error
    if _is_deep(found):
        raise ConfigError(f'{where}: nested more than {DEEPEST} levels deep')
    return found


def model_json(text: str) -> Any:
    """The values in JSON from a model. Raises ValueError and nothing else.

    Numbers that are not finite, or too long to calculate with, are texts.
    """
    try:
        found = json.loads(text, parse_constant=str, parse_float=_finite_or_text,
                           parse_int=lambda text: int(text) if _fits(text) else text)
    except RecursionError:
        raise ValueError('nested too deep') from None
    if _is_deep(found):
        raise ValueError(f'nested more than {DEEPEST} levels deep')
    return found


def _finite_or_text(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else text


def _whole(text: str) -> int:
    if not _fits(text):
        raise ValueError(f'a whole number of {len(text)} digits')
    return int(text)


def _fits(text: str) -> bool:
    return len(text) <= 20 and abs(int(text)) < LARGEST


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f'{shown(text)} is not a finite number')
    return value


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [inner for item in level if isinstance(item, (list, dict))
                 for inner in (item.values() if isinstance(item, Mapping) else item)]
        if not level:
            return False
    return True
