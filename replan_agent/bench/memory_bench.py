"""`replan-agent bench --suite memory`: attempts per success, at first and with experience."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from replan_agent.app.build.config_file import load_config
from replan_agent.domain.config import ConfigError

from .choice import named_rows
from .memory_suite import (
    ENCOUNTERS,
    ROWS,
    Encounter,
    MemoryJob,
    MemoryOutcome,
    MemoryRow,
    run_life,
)
from .plot import check_plotting, figure_class
from .progress_bar import gathered
from .report import header, write_json
from .stats import percentile, wilson
from .workers import spread

LIVES = 40  # of each row
RESAMPLES = 2000
COLOURS = {'first': '#e0a030', 'second': '#2f6db3', 'off': '#b9bec4', 'other': '#6aa84f'}


@dataclass(frozen=True)
class MemorySummary:
    """A row's meetings of one kind. `tries` is executed picks per success, with its interval.

    `low` and `high` are the bootstrap 95 % interval over the seeds; `rate_low` and `rate_high`
    Wilson's of the success rate.
    """

    row: str
    title: str
    which: str
    n: int
    successes: int
    rate_low: float
    rate_high: float
    tries: float
    low: float
    high: float
    adapted: int
    robot_median_s: float
    causes: dict[str, int]


def bench_memory(arguments: argparse.Namespace, cores: int, console: Console) -> bool:
    """Run, show and write; False when Ctrl-C ended it early."""
    if arguments.ray or arguments.video:
        raise ConfigError('--ray, --video: the memory suite has neither')
    if arguments.plot:
        check_plotting(arguments.plot)
    rows = named_rows('memory', ROWS, arguments.rows)
    jobs = [MemoryJob(row.name, seed) for row in rows
            for seed in range(arguments.seed, arguments.seed + (arguments.n or LIVES))]
    outcomes, complete = _collect(jobs, cores, console)
    lines = summarize_memory(rows, outcomes)
    console.print(_table(lines))
    for line in _failures(outcomes):
        console.print(f'  {line}', soft_wrap=True)
    if arguments.json:
        write_json(arguments.json, {
            'suite': 'memory', 'seed': arguments.seed, 'complete': complete, **header(),
            'rows': [asdict(s) for s in lines], 'lives': [o.as_dict() for o in outcomes]})
    if arguments.plot and lines:
        _write_plot(arguments.plot, lines)
    return complete


def summarize_memory(rows: Sequence[MemoryRow],
                     outcomes: Sequence[MemoryOutcome]) -> list[MemorySummary]:
    """One line for each row and kind of meeting."""
    lines = []
    for row in rows:
        lives = [o for o in outcomes if o.row == row.name]
        for which in ENCOUNTERS if lives else ():
            met = [e for o in lives for e in o.encounters if e.which == which]
            lines.append(_summary(row, which, met))
    return lines


def _summary(row: MemoryRow, which: str, met: Sequence[Encounter]) -> MemorySummary:
    good = sum(e.success for e in met)
    tries, low, high = tries_per_success(met)
    return MemorySummary(
        row.name, row.title, which, len(met), good, *wilson(good, len(met)), tries, low, high,
        sum(e.adapted for e in met), percentile([e.robot_s for e in met], 50),
        dict(Counter(cause for e in met for cause in e.causes).most_common()))


def tries_per_success(met: Sequence[Encounter]) -> tuple[float, float, float]:
    """Executed picks per success and its bootstrap 95 % interval; inf without a success."""
    picks = np.array([e.picks for e in met], dtype=float)
    good = np.array([e.success for e in met], dtype=float)
    chosen = np.random.default_rng(0).integers(0, len(met), (RESAMPLES, len(met)))
    with np.errstate(divide='ignore'):
        sampled = picks[chosen].sum(axis=1) / good[chosen].sum(axis=1)
        value = float(picks.sum() / good.sum())
    low, high = np.percentile(sampled, [2.5, 97.5], method='nearest')
    return value, float(low), float(high)


def _collect(jobs: Sequence[MemoryJob], cores: int,
             console: Console) -> tuple[list[MemoryOutcome], bool]:
    """The outcomes in the order of the jobs, and whether all are there."""
    found, complete = gathered(spread(run_life, cores, load_config(), jobs), len(jobs), console,
                               'lives')
    order = {(job.row, job.seed): k for k, job in enumerate(jobs)}
    return sorted(found, key=lambda o: order[o.row, o.seed]), complete


def _table(lines: Sequence[MemorySummary]) -> Table:
    table = Table(title='memory: ground-truth perception, stub planner', box=box.SIMPLE_HEAD,
                  padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, title_justify='left',
                  caption_justify='left', caption=(
                      'second: the same thing in a new pose · ordinary cube: with the memory of '
                      'the trouble · picks: executed picks per success, bootstrap 95 % interval '
                      'over the seeds · ok %: Wilson 95 % interval · adv: first picks that memory '
                      'changed · s: robot time, median'))
    for heading in ('trouble', 'meeting', 'n', 'picks', '95 %', 'ok %', '95 % ', 'adv', 's'):
        left = heading in ('trouble', 'meeting')
        table.add_column(heading, justify='left' if left else 'right', no_wrap=True)
    last = ''
    for s in lines:
        table.add_row(s.title if s.row != last else '', ENCOUNTERS[s.which], str(s.n),
                      f'{s.tries:.2f}', f'{s.low:.1f}–{s.high:.1f}',
                      f'{100 * s.successes / s.n:.0f}',
                      f'{100 * s.rate_low:.0f}–{100 * s.rate_high:.0f}', str(s.adapted),
                      f'{s.robot_median_s:.1f}')
        last = s.row
    return table


def _failures(outcomes: Sequence[MemoryOutcome]) -> list[str]:
    return [f'{o.row}/{e.which} seed {o.seed}: {e.objection or "done, but reported as failed"}; '
            f'{e.final}' for o in outcomes for e in o.encounters
            if not e.success or not e.claimed][:12]


def _write_plot(path: Path, lines: Sequence[MemorySummary]) -> None:
    """Picks per success of each row, a bar for each meeting; .png, .svg or .pdf."""
    rows = list(dict.fromkeys(s.row for s in lines))
    figure = figure_class()(figsize=(9, 1.8 + 0.9 * len(rows)), layout='constrained')
    axes: Any = figure.subplots()
    for k, which in enumerate(ENCOUNTERS):
        for s in (s for s in lines if s.which == which):
            y = rows.index(s.row) + 0.21 * (k - 1.5)
            axes.barh(y, s.tries, height=0.19, color=COLOURS[which],
                      label=ENCOUNTERS[which] if s.row == rows[0] else None)
            axes.plot([s.low, s.high], [y, y], color='#333333', linewidth=1)
    axes.set_yticks(range(len(rows)), [f'{s.title}  (n={s.n})' for row in rows
                                       for s in lines if s.row == row and s.which == 'first'])
    axes.invert_yaxis()
    axes.axvline(1, color='#8a8f94', linewidth=1)
    axes.set_xlabel('executed picks per success, bootstrap 95 % interval')
    axes.spines[['top', 'right']].set_visible(False)
    figure.legend(loc='outside lower center', ncols=2, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
