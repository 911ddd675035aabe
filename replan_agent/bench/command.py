"""`replan-agent bench`: runs episodes, shows the table, and writes what was asked for."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from replan_agent.app.build.config_file import load_config
from replan_agent.app.terminal.console import plain_console
from replan_agent.app.terminal.exits import INTERRUPTED
from replan_agent.app.terminal.film import PicturesUnavailable
from replan_agent.domain.config import Config, ConfigError
from replan_agent.record.video import VideoError

from .choice import named_rows
from .ik_bench import measure_ik
from .memory_bench import bench_memory
from .motion_episode import Job, run_episode
from .outcome import Outcome
from .plot import check_plotting, write_plot
from .progress_bar import gathered
from .ray_cluster import ray_runner
from .recovery_command import bench_recovery
from .report import header, suite_report, write_json
from .rows import SUITES, Row
from .summary import summaries
from .tables import flaw_lines, ik_table, suite_table
from .workers import Runner, processes

DONE = 0
IK_POSES = 400


def bench(arguments: argparse.Namespace) -> int:
    """Measure what was asked for; 0 when it ran to the end, whatever the numbers."""
    console = plain_console()
    if arguments.ik:
        return _bench_ik(arguments, console)
    if arguments.suite in ('recovery', 'memory'):
        measure = bench_recovery if arguments.suite == 'recovery' else bench_memory
        complete = measure(arguments, _cores(arguments), console)
        _say_written(console, arguments.json, arguments.plot, arguments.video)
        return DONE if complete else INTERRUPTED
    suite = arguments.suite or arguments.tasks
    rows = chosen_rows(suite, arguments.rows)
    jobs = planned_jobs(rows, arguments.n, arguments.seed)
    if arguments.plot:
        check_plotting(arguments.plot)  # before an hour of episodes, not after
    if arguments.video:
        run = Run([_filmed(load_config(), jobs, arguments.video)])
    else:
        runner = ray_runner(arguments.ray) if arguments.ray else processes(_cores(arguments))
        run = collect(runner, load_config(), jobs, console)
    _show(suite, rows, run, arguments, console)
    return DONE if run.complete else INTERRUPTED


@dataclass
class Run:
    """The outcomes so far; not `complete` when Ctrl-C ended it."""

    outcomes: list[Outcome] = field(default_factory=list)
    complete: bool = True

    def ordered(self, rows: Sequence[Row]) -> list[Outcome]:
        """By row and seed: the order in which they came does not show."""
        order = [row.name for row in rows]
        return sorted(self.outcomes, key=lambda o: (order.index(o.row), o.seed))


def chosen_rows(suite: str, names: Sequence[str] | None) -> tuple[Row, ...]:
    """The suite's rows, or those of them that are named; a wrong name raises ConfigError."""
    return named_rows(suite, SUITES[suite], names)


def planned_jobs(rows: Sequence[Row], n: int | None, seed: int) -> list[Job]:
    """`n` episodes of each row from `seed` on; without `n` as many as the row's claim takes."""
    return [Job(row.name, seed + k) for row in rows
            for k in range(row.episodes if n is None else n)]


def collect(runner: Runner, config: Config, jobs: Sequence[Job], console: Console) -> Run:
    """Run the jobs under a progress bar. Ctrl-C keeps what is done so far."""
    def remark(found: Sequence[Outcome]) -> str:
        return f', {sum(not o.success for o in found)} failed'

    return Run(*gathered(runner(config, jobs), len(jobs), console, remark=remark))


def _show(suite: str, rows: Sequence[Row], run: Run, arguments: argparse.Namespace,
          console: Console) -> None:
    outcomes = run.ordered(rows)
    lines = summaries(rows, outcomes)
    title = f'{suite}: {_how_seen(rows)}, stub planner'
    if not run.complete:
        title += ' (interrupted: partial)'
    console.print(suite_table(title, lines))
    for line in flaw_lines(suite, outcomes):
        console.print(f'  {line}', soft_wrap=True)
    machines = {o.machine for o in outcomes}
    if len(machines) > 1:
        console.print('episodes ran on different machines or versions: ' + '; '.join(
            sorted(machines)), soft_wrap=True)
    if arguments.json:
        workers = f'ray {arguments.ray}' if arguments.ray else f'{_cores(arguments)} processes'
        write_json(arguments.json, suite_report(suite, arguments.seed, workers, lines, outcomes,
                                                run.complete))
    if arguments.plot and lines:
        write_plot(arguments.plot, title, lines)
    _say_written(console, arguments.json, arguments.plot, arguments.video)


def _how_seen(rows: Sequence[Row]) -> str:
    told = 'ground-truth perception'
    if all(row.perception == 'ground_truth' for row in rows):
        return f'{told}, no rendering'
    return f'{told} beside the camera'


def _filmed(config: Config, jobs: Sequence[Job], video: Path) -> Outcome:
    if len(jobs) != 1:
        raise ConfigError(f'--video films one episode, not {len(jobs)}: '
                          f'add --rows NAME --seed SEED --n 1')
    try:
        return run_episode(config, jobs[0], video)
    except (VideoError, PicturesUnavailable) as error:
        raise ConfigError(str(error)) from error


def _cores(arguments: argparse.Namespace) -> int:
    return arguments.jobs or os.cpu_count() or 1


def _bench_ik(arguments: argparse.Namespace, console: Console) -> int:
    timings = measure_ik(IK_POSES if arguments.n is None else arguments.n, arguments.seed)
    console.print(ik_table(timings))
    if arguments.json:
        write_json(arguments.json, {'seed': arguments.seed, **header(),
                                    'solvers': [t.as_dict() for t in timings]})
    _say_written(console, arguments.json)
    return DONE


def _say_written(console: Console, *paths: Path | None) -> None:
    for path in paths:
        if path:
            console.print(f'written to {path}', soft_wrap=True)
