# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a benchmark suite is: rows, columns, how an episode is run, and what is shown.

A new suite is a file in suites/ with a Suite, and its line in all_suites.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from rich.text import Text

from replan_agent.domain.config import Config

from .outcome import Job, Outcome
from .summary import Summary


class Row(Protocol):
    """A kind of episode: `episodes` of them by default, `bar` is the success rate to reach."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def episodes(self) -> int: ...
    @property
    def bar(self) -> float | None: ...


C = TypeVar('C')  # a drawn case
R = TypeVar('R', bound=Row)
O = TypeVar('O', bound=Outcome)  # noqa: E741 an outcome, as R is a row
N = TypeVar('N')  # a suite's own numbers in a summary


@dataclass(frozen=True)
class DrawnRow(Generic[C]):
    """A row whose cases are random: `draw` gives the same case for the same seed everywhere."""

    name: str
    title: str
    about: str
    draw: Callable[[np.random.Generator], C]
    episodes: int = 100
    bar: float | None = None

    def case(self, seed: int) -> C:
        return self.draw(np.random.default_rng(seed))


@dataclass(frozen=True)
class Column:
    """A condition in which every row is run; `about` explains it in the plot's legend."""

    name: str = ''
    label: str = ''
    colour: str = '#2f6db3'
    about: str = ''


@dataclass(frozen=True)
class Cell(Generic[N]):
    """A number of the table: its heading, what it means, and how a summary shows it."""

    heading: str
    about: str
    show: Callable[[Summary[N]], str | Text]


@dataclass(frozen=True)
class Panel(Generic[N]):
    """A number of the plot, a bar for each row and column.

    `interval` is drawn as a line over it. `target` marks what it should reach. With `zoomed` it
    is a point, and the axis may start above 0.
    """

    label: str
    value: Callable[[Summary[N]], float]
    interval: Callable[[Summary[N]], tuple[float, float]] | None = None
    target: Callable[[Summary[N]], float | None] = lambda s: None
    zoomed: bool = False
    high: float | None = None  # where the axis ends


@dataclass(frozen=True)
class Suite(Generic[R, O, N]):
    """A benchmark.

    `run` runs a job and returns the outcomes of its episodes. If it gets a file, it films them.
    A job is one column of a row and seed. With `in_order` it is all columns, one after the other,
    for episodes that build on each other. `flaws` gives the problems of an episode, one sentence
    each. `filmed` is the column that --video films.
    """

    name: str
    title: str  # how things are seen and planned
    rows: tuple[R, ...]
    outcome: type[O]
    run: Callable[[Config, Job, Path | None], Sequence[O]]
    numbers: Callable[[Sequence[O]], N]
    flaws: Callable[[O], list[str]]
    cells: tuple[Cell[N], ...]
    panels: tuple[Panel[N], ...]
    row_heading: str = 'row'
    columns: tuple[Column, ...] = (Column(),)
    column_heading: str = ''
    in_order: bool = False
    filmed: str | None = ''  # None: cannot be filmed
    over_all: str = ''  # title of the lines over all rows; '' for none
    notes: Callable[[Sequence[O]], list[str]] = lambda outcomes: []  # sentences below the table
    more_json: Callable[[Sequence[O]], Mapping[str, Any]] = lambda outcomes: {}
    shown_flaws: int = 8  # of each row and column; the JSON file has all
    check: Callable[[Sequence[Job]], None] | None = None  # raises ConfigError before all episodes
    option: str = ''  # the option that chooses one column; without it all are run
    problems: bool = False  # others made them up; --problems says where they are
    order: Callable[[Job], Any] | None = None  # in which the jobs run; None: by row and column

    def column(self, name: str) -> Column:
        return find(self.columns, name, 'column')

    def jobs(self, rows: Sequence[R], n: int | None, seed: int) -> list[Job]:
        """`n` episodes of each row and column from `seed` on; by default the row's number."""
        columns = [''] if self.in_order else [column.name for column in self.columns]
        jobs = [Job(self.name, row.name, seed + k, column) for row in rows for column in columns
                for k in range(row.episodes if n is None else n)]
        return jobs if self.order is None else sorted(jobs, key=self.order)

    def columns_of(self, job: Job) -> list[str]:
        """The columns that the job runs."""
        return [c.name for c in self.columns] if self.in_order else [job.column]

    def ordered(self, outcomes: Sequence[O]) -> list[O]:
        """The outcomes, sorted by row, column and seed."""
        rows, columns = [r.name for r in self.rows], [c.name for c in self.columns]
        return sorted(outcomes, key=lambda o: (rows.index(o.row), columns.index(o.column), o.seed))

    def summaries(self, outcomes: Sequence[O]) -> list[Summary[N]]:
        """A line for each row and column that has outcomes, then those over all rows.

        Episodes that did not take place are left out.
        """
        outcomes = [o for o in outcomes if o.took_place]
        lines = [(row.name, row.title, row.bar, column.name,
                  [o for o in outcomes if (o.row, o.column) == (row.name, column.name)])
                 for row in self.rows for column in self.columns]
        if self.over_all:
            lines += [('all', self.over_all, None, column.name,
                       [o for o in outcomes if o.column == column.name])
                      for column in self.columns]
        return [Summary.of(row, title, column, bar, found, self.numbers(found))
                for row, title, bar, column, found in lines if found]


class Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar('T', bound=Named)


def find(things: Sequence[T], name: str, kind: str = 'row') -> T:
    """The one with that name. A wrong name raises ValueError with the right ones."""
    for thing in things:
        if thing.name == name:
            return thing
    raise ValueError(f'no {kind} named {name!r}; choose from: '
                     f'{", ".join(thing.name for thing in things)}')
