# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The failure memory of a robot: similar situations, and what helped. It never stops the robot."""

from __future__ import annotations

import math
import os
import random
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from replan_agent.domain.config import Config
from replan_agent.domain.recovery import PLAIN, Fix, Remembered, Situation
from replan_agent.replan.diagnose.error_types import error_type
from replan_agent.text.shown_text import clipped

from .memory_rows import DAMAGE, LONGEST, Entry, weight
from .memory_store import MemoryStore
from .similarity import same_kind, similarity

ALIKE = 0.5  # least similarity after a failure
ALIKE_AT_FIRST = 0.75  # least similarity before any failure: almost the same
MOST = 5
DAY_S = 86_400.0

T = TypeVar('T')


@dataclass(frozen=True)
class MemorySettings:
    """How a memory advises.

    `plain_share` (0 to 1) of the advised steps run as planned, to compare; `seed` decides which.
    Advice that is not used loses half of its counts in `half_life_days`. `robot` is the name that
    failures are remembered with.
    """

    plain_share: float = 0.15
    seed: int = 0
    half_life_days: float = 30.0
    robot: str = ''


DEFAULTS = MemorySettings()


class FailureMemory:
    """The Memory port over a file. If the file cannot be used, it warns and remembers nothing."""

    def __init__(self, path: Path, settings: MemorySettings = DEFAULTS,
                 now_s: Callable[[], float] = time.time) -> None:
        self._store = MemoryStore(path)
        self._settings = settings
        self._now_s = now_s
        self._warnings: list[str] = []
        self._said: set[str] = set()
        self._said_damaged: set[int] = set()

    def recall(self, situation: Situation) -> tuple[Remembered, ...]:
        """Similar situations, by similarity · weight · importance, the most useful first."""
        nothing: list[tuple[float, Entry]] = []
        found = self._guarded(lambda: self._alike(situation), nothing)
        self._warn_of_damage()
        fixes = [self._remembered(alike, entry, found) for alike, entry in found
                 if not entry.is_plain]
        importance = {entry.id: entry.importance for _, entry in found}
        fixes.sort(key=lambda k: -k.similarity * k.weight * importance[k.memory_id])
        return tuple(fixes[:MOST])

    def _alike(self, situation: Situation) -> list[tuple[float, Entry]]:
        features = situation.features
        words = [situation.skill, situation.cause, situation.reason, situation.object,
                 str(features.get('shape', '')), str(features.get('colour', ''))]
        found = []
        for entry in self._store.search(words):
            try:
                alike = similarity(situation, entry.situation)
            except DAMAGE as error:
                self._store.damaged[entry.id] = str(error)
                continue
            if situation.reason:
                fits = alike >= ALIKE
            else:  # more force is not for everything of that colour
                fits = alike >= ALIKE_AT_FIRST and same_kind(situation, entry.situation)
            if fits:
                found.append((alike, entry))
        return found

    def _remembered(self, alike: float, entry: Entry,
                    found: list[tuple[float, Entry]]) -> Remembered:
        """The entry, compared with the plain step in the situations of the same cause."""
        plain = [other for _, other in found if other.is_plain
                 and other.situation.cause == entry.situation.cause]
        counts = [self._faded(other) for other in plain] or [(0.0, 1.0)]  # it was not enough once
        return Remembered(
            entry.id, entry.situation, replace(entry.fix, source='memory'), entry.worked,
            entry.failed, round(weight(*self._faded(entry)), 3), round(alike, 3),
            round(weight(sum(c[0] for c in counts), sum(c[1] for c in counts)), 3))

    def _faded(self, entry: Entry) -> tuple[float, float]:
        """The counts, less for what was not used for long."""
        age_days = max(0.0, self._now_s() - entry.updated) / DAY_S
        left = 0.5 ** (age_days / self._settings.half_life_days)
        return entry.worked * left, entry.failed * left

    def learn(self, situation: Situation, fix: Fix, worked: bool) -> None:
        """Count the outcome for the fix. A fix without changes is not counted."""
        if fix.changes or fix.option:
            self._guarded(lambda: self._store.add(situation, fix, int(worked), int(not worked),
                                                  self._now_s()), None)

    def remember_failure(self, situation: Situation, task: str, root_cause: str,
                         as_planned: bool) -> None:
        """Remember a failure in words. If the step ran as planned, that counts against it."""
        words = {'task': clipped(task, LONGEST), 'root_cause': clipped(root_cause, LONGEST),
                 'error_type': error_type(situation.reason), 'robot': self._settings.robot}
        self._guarded(lambda: self._store.add(situation, PLAIN, 0, int(as_planned),
                                              self._now_s(), **words), None)

    def chooses_plain(self, known: Remembered) -> bool:
        """Whether to try the step as planned this time, to compare. Counts the use.

        The plain tries are evenly spaced; the seed decides where they begin. The first use of a
        fix is never one of them, unless all are.
        """
        entry = self._guarded(lambda: self._store.get(known.memory_id), None)
        used = entry.used if entry is not None else 0
        self._guarded(lambda: self._store.count_use(known.memory_id), None)
        share = self._settings.plain_share
        start = (1 - share) * random.Random(f'{self._settings.seed} {known.memory_id}').random()
        return math.floor(start + (used + 1) * share) > math.floor(start + used * share)

    def warnings(self) -> tuple[str, ...]:
        said, self._warnings = tuple(self._warnings), []
        return said

    def _guarded(self, action: Callable[[], T], without: T) -> T:
        """The result of an action on the file, or `without` if the file cannot be used."""
        try:
            return action()
        except (sqlite3.Error, OSError, *DAMAGE) as error:
            self._warn(f'without failure memory: {self._store.path}: {error}')
            return without

    def _warn_of_damage(self) -> None:
        new = sorted(set(self._store.damaged) - self._said_damaged)
        if new:
            self._said_damaged.update(new)
            more = f' and {len(new) - 3} more' if len(new) > 3 else ''
            self._warn(f'failure memory {self._store.path}: left out row '
                       f'{", ".join(map(str, new[:3]))}{more}: {self._store.damaged[new[0]]}')

    def _warn(self, sentence: str) -> None:
        """Add a warning once: repeating it does not help."""
        if sentence not in self._said:
            self._said.add(sentence)
            self._warnings.append(sentence)


def failures(config: Config) -> FailureMemory:
    """The memory in the file that the settings name."""
    agent = config.agent
    return FailureMemory(memory_path(agent.memory), MemorySettings(
        agent.memory_plain_share, agent.memory_seed, agent.memory_half_life, config.robot.model))


def memory_path(name: str | Path) -> Path:
    # Path.expanduser raises for an unknown user; os.path leaves such a name as it is.
    return Path(os.path.expanduser(name))
