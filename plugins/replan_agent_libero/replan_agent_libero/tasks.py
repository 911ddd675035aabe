"""LIBERO's tasks: suite and number, the words of the file, and where the start states are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

SUITES = {'libero_object': 280, 'libero_spatial': 220, 'libero_goal': 300, 'libero_10': 520}
LIMIT_HZ = 20  # SUITES has the most steps that policies get, at this rate
_WORDS = re.compile(r'\(:language\s+([^)]*?)\s*\)')


@dataclass(frozen=True)
class Task:
    """A task. `file` describes it (BDDL), `states` has its start states."""

    suite: str
    number: int
    file: Path
    states: Path

    @property
    def name(self) -> str:
        return f'{self.suite}/{self.number}'

    @property
    def limit_s(self) -> float | None:
        """The most robot time (s) that policies get; None if nobody says."""
        steps = SUITES.get(self.suite)
        return None if steps is None else steps / LIMIT_HZ

    @property
    def sentence(self) -> str:
        return sentence_in(self.file.read_text(encoding='utf-8'), str(self.file))


def sentence_in(text: str, where: str) -> str:
    """The words of a task as its file has them. The name of the file may have others."""
    found = _WORDS.search(text)
    if found is None:
        raise ValueError(f'{where} has no (:language ...)')
    return ' '.join(found[1].split())


@lru_cache
def tasks_of(suite: str) -> tuple[Task, ...]:
    """The tasks of a suite in LIBERO's own order. Raises ValueError, which lists the suites."""
    from libero.libero import get_libero_path
    from libero.libero.benchmark.libero_suite_task_map import libero_task_map

    if suite not in libero_task_map:
        raise ValueError(f'LIBERO has no suite named {suite!r}; choose from: '
                         f'{", ".join(sorted(libero_task_map))}')
    files, states = (Path(get_libero_path(kind)) / suite for kind in ('bddl_files', 'init_states'))
    return tuple(Task(suite, number, files / f'{name}.bddl', states / f'{name}.pruned_init')
                 for number, name in enumerate(libero_task_map[suite]))


def task_named(name: str) -> Task:
    """The task that "libero_object/3" names. A wrong name raises ValueError with what is right."""
    suite, _, number = name.partition('/')
    tasks = tasks_of(suite)
    if not number.isdecimal() or int(number) >= len(tasks):
        raise ValueError(f'no task {name!r}; choose one of {suite}/0 to {suite}/{len(tasks) - 1}')
    return tasks[int(number)]
