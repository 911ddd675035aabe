"""A run on disk: its plans, and what a later run can continue from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import Plan
from replan_agent.domain.resume import Resume

from .parsing import attempt_from, completed_from, plan_from
from .run_folder import PLANS, RESULT

T = TypeVar('T')


class RunUnreadable(Exception):
    """There is no run, or it cannot be read. The message names the path."""


@dataclass(frozen=True)
class StoredRun:
    """The content of result.json; only the plans if the run did not finish."""

    path: Path
    data: Mapping[str, Any]

    @staticmethod
    def load(path: Path) -> StoredRun:
        """A run by its folder or its result.json. Raises RunUnreadable."""
        if not path.exists():
            raise RunUnreadable(f'{path}: there is no such run; give the folder of a run, or its '
                                f'{RESULT}')
        if not path.is_dir():
            return StoredRun(path, _read(path))
        if (path / RESULT).is_file():
            return StoredRun(path / RESULT, _read(path / RESULT))
        files = sorted((path / PLANS).glob('*.json'), key=lambda file: (len(file.stem), file.stem))
        if not files:
            raise RunUnreadable(f'{path}: not the folder of a run: it has no {RESULT} and no '
                                f'{PLANS}/')
        return StoredRun(path, {'plans': list(map(_read, files))})

    def plans(self) -> tuple[Plan, ...]:
        """All versions, oldest first."""
        return tuple(self._parsed('plans', plan_from))

    def plan(self, version: int) -> Plan:
        """One version. Raises RunUnreadable, which lists the versions."""
        found = {plan.version: plan for plan in self.plans()}
        if version not in found:
            listed = ', '.join(map(str, found)) or 'none'
            raise RunUnreadable(f'{self.path}: no plan {version}; versions: {listed}')
        return found[version]

    @property
    def task(self) -> str:
        self._required('task')
        return self.fact('task', '')

    def fact(self, key: str, default: T) -> T:
        """A fact about the run from the result; it must have the type of the default."""
        value = self.data.get(key, default)
        if type(value) is not type(default):
            raise RunUnreadable(f'{self.path}: {key}: must be {type(default).__name__}, not '
                                f'{value!r}')
        return value

    def resume(self, *hints: str) -> Resume:
        """What failed and what is done, plus a person's hints."""
        return Resume(tuple(self._parsed('attempts', attempt_from)),
                      tuple(self._parsed('completed', completed_from)),
                      tuple(self._parsed('goals', Goal.from_dict)),
                      (*self._parsed('hints', _text), *hints))

    def _parsed(self, key: str, parse: Callable[[Any], T]) -> list[T]:
        items = self._required(key)
        try:
            if not isinstance(items, list):
                raise TypeError(f'a list expected, not {items!r}')
            return [parse(item) for item in items]
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise RunUnreadable(f'{self.path}: {key}: not the format of this version: '
                                f'{type(error).__name__}: {error}') from error

    def _required(self, key: str) -> Any:
        if key not in self.data:
            raise RunUnreadable(f'{self.path}: no {key!r}: the run did not finish, or this is not '
                                'a result')
        return self.data[key]


def _text(item: Any) -> str:
    if not isinstance(item, str):
        raise TypeError(f'text expected, not {item!r}')
    return item


def _read(file: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(file.read_text(encoding='utf-8'))
    except OSError as error:
        raise RunUnreadable(f'{file}: cannot be read: {error.strerror}') from error
    except ValueError as error:
        raise RunUnreadable(f'{file}: not valid JSON: {error}') from error
    if not isinstance(found, dict):
        raise RunUnreadable(f'{file}: must be a JSON object, not {type(found).__name__}')
    return found
