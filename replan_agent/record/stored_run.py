# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run on disk: its plans, and what a later run can continue from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import CompletedStep, Plan, Proof
from replan_agent.domain.recovery import Reflection
from replan_agent.domain.resume import Resume
from replan_agent.domain.task_result import GOALS_OF_THE_TASK
from replan_agent.text.file_bytes import exists
from replan_agent.text.plain_values import Recorded, typed
from replan_agent.text.shown_text import one_line, shown

from .event_log import run_in_events
from .run_folder import EVENTS, RESULT
from .run_json import OTHER_VERSION, Json, RunUnreadable, json_file

T = TypeVar('T')


@dataclass(frozen=True)
class _Answer(Recorded):
    """Who decided on a plan, the risk from which a person was asked, and whether it was a yes."""

    approver: str
    threshold: float | None = None
    approved: bool = False


@dataclass(frozen=True)
class _Executed(Recorded):
    """A step that was executed: of which plan, which one, and whether it was the agent's own."""

    plan_version: int
    step_idx: int
    result: Mapping[str, Any]
    local_state: str = ''


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
        return tuple(self._parsed('plans', Plan.from_dict))

    def plan(self, version: int) -> Plan:
        """One version. Raises RunUnreadable, which lists the versions."""
        found = {plan.version: plan for plan in self.plans()}
        if version not in found:
            listed = ', '.join(map(str, found)) or 'none'
            raise RunUnreadable(f'{self.path}: no plan {version}; versions: {listed}')
        return found[version]

    def done_in(self, version: int) -> tuple[int, ...]:
        """The indices of the steps of a plan that succeeded, without the agent's own steps."""
        return tuple(done.step_idx for done in self._parsed('steps', _Executed.from_dict, [])
                     if done.plan_version == version and not done.local_state
                     and done.result.get('success') is True)

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
        return Resume(tuple(self._parsed('attempts', Attempt.from_dict)),
                      tuple(self._parsed('completed', CompletedStep.from_dict)),
                      tuple(self._parsed('goals', Goal.from_dict)),
                      (*self._parsed('hints', lambda hint: typed(hint, str, 'text')), *hints),
                      tuple(self._parsed('plans', Plan.from_dict, [])),
                      tuple(self._parsed('proofs', Proof.from_dict, [])),
                      tuple(self._parsed('reflections', Reflection.from_dict, [])),
                      tuple(self._parsed('undone', CompletedStep.from_dict, [])),
                      self._approver(), self._threshold(),
                      self.fact('goals_named_by', '') == GOALS_OF_THE_TASK,
                      self.fact('denied', False) or not all(a.approved for a in self._answers()),
                      self._approval())

    def _answers(self) -> list[_Answer]:
        return self._parsed('approvals', _Answer.from_dict, [])

    def _approver(self) -> str:
        """Who approved, as in the settings. Old runs say only who decided on each plan."""
        decided = {answer.approver for answer in self._answers()}
        return self.fact('approver', '') or ('console' if decided - {'auto'} else '')

    def _approval(self) -> dict[str, Any]:
        found = self.fact('settings', cast('dict[str, Any]', {})).get('approval', {})
        if not isinstance(found, dict):
            raise RunUnreadable(f'{self.path}: settings: approval: must be dict, not '
                                f'{shown(found)}')
        return found

    def _threshold(self) -> float | None:
        """The risk from which a person was asked about the last plan; None if unknown."""
        known = [a.threshold for a in self._answers() if a.threshold is not None]
        earlier = self.data.get('threshold')
        return known[-1] if known else None if earlier is None else self.fact('threshold', 0.0)

    def _parsed(self, key: str, parse: Callable[[Any], T], default: Any = None) -> list[T]:
        """The items of a list. Without a default, the list must be there."""
        items = self._required(key) if default is None else self.data.get(key, default)
        try:
            if not isinstance(items, list):
                raise TypeError(f'a list expected, not {shown(items)}')
            return [parse(item) for item in items]
        except OTHER_VERSION as error:
            raise RunUnreadable(f'{self.path}: {key}: not the format of this version: '
                                f'{one_line(f"{type(error).__name__}: {error}", 300)}'
                                ) from error

    def _required(self, key: str) -> Any:
        if key not in self.data:
            raise RunUnreadable(f'{self.path}: no {key!r}: the run ended before it was recorded, '
                                'or this is not a result')
        return self.data[key]
