"""Reading checked values out of a parsed YAML mapping.

Every error names the file, the path of the key and what is allowed there.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from replan_agent.domain.config import ConfigError


class SceneError(ConfigError):
    """A scene file is wrong; the message names file, key and what is allowed."""


class Fields:
    """A mapping of the file together with where it stands in it."""

    def __init__(self, values: Any, where: str, allowed: Collection[str]) -> None:
        if not isinstance(values, dict):
            raise SceneError(f'{where}: must be a mapping with keys {", ".join(allowed)}; '
                             f'got {values!r}')
        for key in values:
            if key not in allowed:
                raise SceneError(f'{where}: unknown key {key!r}; allowed: {", ".join(allowed)}')
        self._values = values
        self._where = where

    def has(self, key: str) -> bool:
        return key in self._values

    def raw(self, key: str) -> Any:
        return self._values.get(key)

    def path(self, key: str) -> str:
        """`key` as an error should name it."""
        return f'{self._where}.{key}' if ': ' in self._where else f'{self._where}: {key}'

    def fail(self, key: str, allowed: str) -> SceneError:
        """The error that says what `key` must be and what it is."""
        got = f'got {self._values[key]!r}' if key in self._values else 'it is missing'
        return SceneError(f'{self.path(key)}: must be {allowed}; {got}')

    def text(self, key: str, default: str | None = None) -> str:
        value = self._values.get(key, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise self.fail(key, 'a text')
        return value

    def choice(self, key: str, choices: Collection[str], default: str | None = None) -> str:
        value = self._values.get(key, default)
        if value not in choices:
            raise self.fail(key, f'one of {", ".join(choices)}')
        return str(value)

    def flag(self, key: str, default: bool) -> bool:
        value = self._values.get(key, default)
        if not isinstance(value, bool):
            raise self.fail(key, 'true or false')
        return value

    def number(self, key: str, low: float, high: float, default: float | None = None) -> float:
        value: Any = self._values.get(key, default)
        if not _is_number(value) or not low <= value <= high:
            raise self.fail(key, f'a number from {low:g} to {high:g}')
        return float(value)

    def numbers(self, key: str, counts: Collection[int], low: float, high: float,
                default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """A list of numbers of one of the lengths `counts`, each from `low` to `high`."""
        value: Any = self._values.get(key, default)
        lengths = ' or '.join(map(str, counts))
        if (not isinstance(value, (list, tuple)) or len(value) not in counts
                or not all(_is_number(v) and low <= v <= high for v in value)):
            raise self.fail(key, f'a list of {lengths} numbers, each from {low:g} to {high:g}')
        return tuple(float(v) for v in value)

    def range(self, key: str, low: float, high: float) -> tuple[float, float] | None:
        """A [lowest, highest] pair, or None when the key is absent."""
        if key not in self._values:
            return None
        first, last = self.numbers(key, (2,), low, high)
        if first > last:
            raise self.fail(key, 'a pair [lowest, highest]')
        return first, last


def _is_number(value: Any) -> bool:
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and math.isfinite(value))
