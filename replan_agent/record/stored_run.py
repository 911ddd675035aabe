"""A run on disk: its plans, and what a later run can continue from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from replan_agent.domain.file_bytes import exists
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import Plan
from replan_agent.domain.resume import Resume
from replan_agent.domain.task_result import GOALS_OF_THE_TASK
from replan_agent.domain.text import one_line, shown

from .event_log import run_in_events
from .parsing import (
    attempt_from,
    completed_from,
    decision_from,
    done_from,
    plan_from,
    proof_from,
    reflection_from,
    text_from,
)
from .run_folder import EVENTS, RESULT
from .run_json import Json, RunUnreadable, json_file

T = TypeVar('T')


@dataclass(frozen=True)
class StoredRun:
    """The content of result.json; if the run did not finish, the same from events.jsonl."""

    path: Path
    data: Json

    @staticmethod
    def load(path: Path | str) -> StoredRun:
        """A run by its folder or its result.json. Raises RunUnreadable."""
        path = Path(path)
        if not exists(path):
            raise RunUnreadable(f'{one_line(path, 300)}: there is no such run; give the folder '
                                f'of a run, or its {RESULT}')
        if not path.is_dir():
            return StoredRun(path, json_file(path))
        if (path / RESULT).is_file():
            return StoredRun(path / RESULT, json_file(path / RESULT))
        if (path / EVENTS).is_file():
            return StoredRun(path / EVENTS, run_in_events(path / EVENTS))
        raise RunUnreadable(f'{path}: not the folder of a run: it has no {RESULT} and no {EVENTS}')

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

    def done_in(self, version: int) -> tuple[int, ...]:
        """The indices of the steps of a plan that succeeded, without the agent's own steps."""
        records = self._parsed('steps', done_from, [])
        return tuple(index for plan, index, done in records if plan == version and done)

    @property
    def task(self) -> str:
        self._required('task')
        return self.fact('task', '')

    def fact(self, key: str, default: T) -> T:
        """A fact about the run from the result; it must have the type of the default."""
        value = self.data.get(key, default)
        if type(value) is not type(default):
            raise RunUnreadable(f'{self.path}: {key}: must be {type(default).__name__}, not '
                                f'{shown(value)}')
        return value

    def resume(self, *hints: str) -> Resume:
        """What failed, what was proved and what is done, plus a person's hints."""
        return Resume(tuple(self._parsed('attempts', attempt_from)),
                      tuple(self._parsed('completed', completed_from)),
                      tuple(self._parsed('goals', Goal.from_dict)),
                      (*self._parsed('hints', text_from), *hints),
                      tuple(self._parsed('plans', plan_from, [])),
                      tuple(self._parsed('proofs', proof_from, [])),
                      tuple(self._parsed('reflections', reflection_from, [])),
                      tuple(self._parsed('undone', completed_from, [])),
                      self._approver(), self._threshold(),
                      self.fact('goals_named_by', '') == GOALS_OF_THE_TASK, self._denied())

    def _approver(self) -> str:
        """Who approved, as in the settings. Old runs say only who decided on each plan."""
        decided = {who for who, _, _ in self._parsed('approvals', decision_from, [])}
        return self.fact('approver', '') or ('console' if decided - {'auto'} else '')

    def _denied(self) -> bool:
        """Whether a person denied a plan or wanted it changed, in this run or before it."""
        answers = [yes for _, _, yes in self._parsed('approvals', decision_from, [])]
        return self.fact('denied', False) or not all(answers)

    def _threshold(self) -> float | None:
        """The risk from which a person was asked about the last plan; None if unknown."""
        known = [risk for _, risk, _ in self._parsed('approvals', decision_from, [])
                 if risk is not None]
        earlier = self.data.get('threshold')
        return known[-1] if known else None if earlier is None else self.fact('threshold', 0.0)

    def _parsed(self, key: str, parse: Callable[[Any], T], default: Any = None) -> list[T]:
        """The items of a list. Without a default, the list must be there."""
        items = self._required(key) if default is None else self.data.get(key, default)
        try:
            if not isinstance(items, list):
                raise TypeError(f'a list expected, not {shown(items)}')
            return [parse(item) for item in items]
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise RunUnreadable(f'{self.path}: {key}: not the format of this version: '
                                f'{one_line(f"{type(error).__name__}: {error}", 300)}'
                                ) from error

    def _required(self, key: str) -> Any:
        if key not in self.data:
            raise RunUnreadable(f'{self.path}: no {key!r}: the run ended before it was recorded, '
                                'or this is not a result')
        return self.data[key]
