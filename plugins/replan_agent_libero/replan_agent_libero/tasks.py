# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""LIBERO's tasks: suite and number, the words of the file, and where the start states are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

SUITES = {'libero_object': 280, 'libero_spatial': 220, 'libero_goal': 300, 'libero_10': 520}
LIMIT_HZ = 20  # SUITES has the most steps that policies get, at this rate
_WORDS = re.compile(r'\(:language\s+([^)]*?)\s*\)')
_ASKED = re.compile(r'\(:(?:language|obj_of_interest)[^)]*\)|\(:goal.*', re.S)


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


def room_in(text: str) -> str:
    """What a task's file says without what is asked for: several tasks may have the same."""
    return ' '.join(_ASKED.sub('', text).split())


def sentence_in(text: str, where: str) -> str:
    """The words of a task as its file has them. The name of the file may have others."""
    found = _WORDS.search(text)
    if found is None:
        raise ValueError(f'{where} has no (:language ...)')
    return ' '.join(found[1].split())


@lru_cache
def tasks_of(suite: str) -> tuple[Task, ...]:
    """The tasks of a suite in LIBERO's own order, or by name where it has none.

    Raises ValueError, which lists the suites.
    """
    from libero.libero import get_libero_path
    from libero.libero.benchmark.libero_suite_task_map import libero_task_map

    files, states = (Path(get_libero_path(kind)) / suite for kind in ('bddl_files', 'init_states'))
    names = libero_task_map.get(suite) or sorted(file.stem for file in files.glob('*.bddl'))
    if not names:
        known = (folder.name for folder in files.parent.iterdir() if folder.is_dir())
        raise ValueError(f'LIBERO has no suite named {suite!r}; choose from: '
                         f'{", ".join(sorted(known))}')
    return tuple(Task(suite, number, files / f'{name}.bddl', states / f'{name}.pruned_init')
                 for number, name in enumerate(names))


def task_named(name: str) -> Task:
    """The task that "libero_object/3" names. A wrong name raises ValueError with what is right."""
    suite, _, number = name.partition('/')
    tasks = tasks_of(suite)
    if not number.isdecimal() or int(number) >= len(tasks):
        raise ValueError(f'no task {name!r}; choose one of {suite}/0 to {suite}/{len(tasks) - 1}')
    return tasks[int(number)]
