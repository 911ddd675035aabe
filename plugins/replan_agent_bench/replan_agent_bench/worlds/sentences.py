# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tables of sentences in config/sentences: what each must become in its scene."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from replan_agent.app.build.share import share_path

REFUSED = ('refuse', 'ask')
KINDS = {
    'put': 'in or on', 'several': 'several things', 'beside': 'left of, between',
    'move': 'to a spot, by cm', 'arrange': 'stack, row, swap, turn',
    'other': 'pick up, slide, look', 'refused': 'to be refused'}
_BESIDE = ('left_of', 'right_of', 'in_front_of', 'behind', 'near', 'between')


@dataclass(frozen=True)
class Sentence:
    """A line of a table: the scene, the sentence, and what it must become.

    `viewpoint` says whose left it is. `table` is the file that it is from.
    """

    scene: str
    text: str
    wanted: str
    viewpoint: str = 'arm'
    table: str = ''

    @property
    def is_refused(self) -> bool:
        return self.wanted in REFUSED

    @property
    def parts(self) -> list[str]:
        """What must be true, one line each."""
        return [part.strip() for part in self.wanted.split(';')]

    @property
    def kind(self) -> str:
        """One of KINDS."""
        if self.is_refused:
            return 'refused'
        parts = [p for p in self.parts if not p.startswith('moves ')]
        first = parts[0].split()[0] if parts else 'moves'
        if first in ('tower', 'row', 'stacked', 'turned', 'different', 'clear'):
            return 'arrange'
        if first in _BESIDE:
            return 'beside'
        if first == 'at':
            return 'move' if len(parts) == 1 else 'arrange'
        if first in ('do', 'holding', 'home', 'nothing', 'not', 'moves'):
            return 'other'
        return 'put' if len(parts) == 1 and first in ('in', 'on') else 'several'


def folder() -> Path:
    return share_path('config', 'sentences')


@lru_cache(maxsize=1)
def all_sentences() -> tuple[Sentence, ...]:
    """The sentences of all tables."""
    return tuple(s for file in sorted(folder().glob('*.txt')) for s in sentences(file))


def sentences(file: Path) -> Iterator[Sentence]:
    """The lines of a table. "[tabletop, person]" is a scene, and whose left it is."""
    scene, viewpoint = '', 'arm'
    for line in file.read_text(encoding='utf-8').splitlines():
        if line.startswith('['):
            scene, _, seen_by = line.strip('[]').partition(', ')
            viewpoint = seen_by or 'arm'
        elif ' => ' in line:
            text, wanted = line.split(' => ')
            yield Sentence(scene, text, wanted.strip(), viewpoint, file.stem)
