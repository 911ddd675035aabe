"""The failure memory of a robot: similar situations, and what helped. It never stops the robot."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from replan_agent.domain.recovery import Fix, Remembered, Situation

from .memory_store import Entry, MemoryStore
from .similarity import similarity

ALIKE = 0.5  # least similarity after a failure
ALIKE_AT_FIRST = 0.75  # least similarity before any failure: almost the same
MOST = 5

T = TypeVar('T')


class FailureMemory:
    """The Memory port over a file. If the file cannot be used, it warns and remembers nothing."""

    def __init__(self, path: Path, fts: bool | None = None) -> None:
        self._store = MemoryStore(path, fts)
        self._warnings: list[str] = []
        self._said: set[str] = set()
        if not self._store.uses_fts:
            self._warn('this SQLite has no FTS5: the failure memory is searched word by word')

    def recall(self, situation: Situation) -> tuple[Remembered, ...]:
        """Similar situations, by similarity · weight · importance, the most useful first."""
        features = situation.features
        words = [situation.skill, situation.cause, situation.reason, situation.object,
                 str(features.get('shape', '')), str(features.get('colour', ''))]
        nothing: list[tuple[float, Entry]] = []
        scored = self._guarded(lambda: [(similarity(situation, entry.situation), entry)
                                        for entry in self._store.search(words)], nothing)
        least = ALIKE if situation.reason else ALIKE_AT_FIRST
        found = [(alike, entry) for alike, entry in scored if alike >= least]
        found.sort(key=lambda pair: -pair[0] * pair[1].weight * pair[1].importance)
        return tuple(_remembered(entry, alike) for alike, entry in found[:MOST])

    def learn(self, situation: Situation, fix: Fix, worked: bool) -> None:
        """Count the outcome for the fix. A fix without changes is not counted."""
        if fix.changes or fix.option:
            self._guarded(lambda: self._store.add(situation, fix, int(worked), int(not worked)),
                          None)

    def warnings(self) -> tuple[str, ...]:
        said, self._warnings = tuple(self._warnings), []
        return said

    def _guarded(self, action: Callable[[], T], without: T) -> T:
        """The result of an action on the file, or `without` if the file cannot be used."""
        try:
            return action()
        except (sqlite3.Error, OSError, ValueError, LookupError, TypeError,
                ArithmeticError) as error:
            self._warn(f'without failure memory: {self._store.path}: {error}')
            return without

    def _warn(self, sentence: str) -> None:
        """Add a warning once: repeating it does not help."""
        if sentence not in self._said:
            self._said.add(sentence)
            self._warnings.append(sentence)


def _remembered(entry: Entry, alike: float) -> Remembered:
    fix = replace(entry.fix, source='memory')
    return Remembered(entry.id, entry.situation, fix, entry.worked, entry.failed,
                      round(entry.weight, 3), round(alike, 3))
