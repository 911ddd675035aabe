"""`replan-agent bench`: runs episodes on all cores and prints a table."""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from replan_agent.app.compose import versions
from replan_agent.app.config_file import load_config
from replan_agent.domain.config import Config

from .episode import PICK_ROWS, Outcome, run_pick
from .ik import IKTiming, measure_ik
from .stats import percentile, wilson


def bench(arguments: argparse.Namespace) -> int:
    """Measure what was asked for; 0 when it ran to the end, whatever the numbers."""
    console = Console()
    if arguments.ik:
        return _bench_ik(console, arguments.n, arguments.seed, arguments.json)
    outcomes = run_picks(load_config(), arguments.n, arguments.seed,
                         arguments.jobs or os.cpu_count() or 1, console)
    console.print(pick_table(outcomes))
    _write(arguments.json, {'versions': versions(), 'seed': arguments.seed,
                            'episodes': [o.as_dict() for o in outcomes]}, console)
    return 0


def run_picks(config: Config, n: int, seed: int, jobs: int, console: Console) -> list[Outcome]:
    """`n` episodes of every row, spread over `jobs` processes; ordered by row and seed."""
    columns = ('[progress.description]{task.description}', BarColumn(), MofNCompleteColumn(),
               TimeRemainingColumn())
    outcomes = []
    with ProcessPoolExecutor(jobs) as pool, Progress(*columns, console=console) as progress:
        futures = [pool.submit(run_pick, config, row, seed + k)
                   for row in PICK_ROWS for k in range(n)]
        bar = progress.add_task('picking', total=len(futures))
        for future in as_completed(futures):
            outcomes.append(future.result())
            progress.advance(bar)
    order = [row.name for row in PICK_ROWS]
    return sorted(outcomes, key=lambda o: (order.index(o.row), o.seed))


def pick_table(outcomes: Sequence[Outcome]) -> Table:
    table = Table(title='pick: ground-truth perception, stub planner, no rendering')
    for heading in ('object', 'n', 'success', '95 % interval', 'false success', 'failed attempts',
                    'wall s median', 'p95', 'robot s median'):
        table.add_column(heading, justify='left' if heading == 'object' else 'right')
    for row in PICK_ROWS:
        table.add_row(*_cells(row.name, [o for o in outcomes if o.row == row.name]))
    return table


def _cells(name: str, outcomes: Sequence[Outcome]) -> list[str]:
    n, good = len(outcomes), sum(o.success for o in outcomes)
    low, high = wilson(good, n)
    reasons = Counter(reason for o in outcomes for reason in o.attempts)
    wall, robot = ([getattr(o, f) for o in outcomes] for f in ('wall_s', 'robot_s'))
    return [
        name, str(n), f'{100 * good / n:.1f} %', f'{100 * low:.1f} to {100 * high:.1f} %',
        str(sum(o.claimed and not o.success for o in outcomes)),
        ', '.join(f'{reason} ×{count}' for reason, count in reasons.most_common()) or 'none',
        f'{percentile(wall, 50):.3f}', f'{percentile(wall, 95):.3f}',
        f'{percentile(robot, 50):.2f}',
    ]


def _bench_ik(console: Console, n: int, seed: int, out: Path | None) -> int:
    timings = measure_ik(n, seed)
    console.print(ik_table(timings))
    _write(out, {'versions': versions(), 'seed': seed,
                 'solvers': [t.as_dict() for t in timings]}, console)
    return 0


def ik_table(timings: Sequence[IKTiming]) -> Table:
    table = Table(title='inverse kinematics: random reachable poses, 1 mm and 0.01 rad')
    for heading in ('solver', 'poses', 'solved', 'median ms', 'p95 ms', 'worst pos_err m'):
        table.add_column(heading, justify='left' if heading == 'solver' else 'right')
    for t in timings:
        table.add_row(t.solver, str(t.n), f'{t.solved} ({100 * t.solved / t.n:.1f} %)',
                      f'{t.median_ms:.2f}', f'{t.p95_ms:.2f}', f'{t.worst_pos_err:.1e}')
    return table


def _write(path: Path | None, values: dict[str, Any], console: Console) -> None:
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values, indent=2) + '\n', encoding='utf-8')
    console.print(f'written to {path}')
