"""`replan-agent bench --suite recovery`: every trouble with every mind, on the same seeds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rich.console import Console

from replan_agent.app.build.config_file import load_config
from replan_agent.domain.config import ConfigError
from replan_agent.replan.local.metrics import local_metrics

from .choice import named_rows
from .plot import check_plotting
from .progress_bar import gathered
from .recovery_episode import (
    BRAIN,
    COLUMNS,
    RecoveryJob,
    RecoveryOutcome,
    run_recovery,
    run_trouble,
)
from .recovery_report import failure_lines, local_line, recovery_table, write_recovery_plot
from .recovery_summary import summarize_recovery
from .report import header, write_json
from .troubles import TROUBLES, TroubleRow
from .workers import spread

EPISODES = 40  # of each trouble and mind


def bench_recovery(arguments: argparse.Namespace, cores: int, console: Console) -> bool:
    """Run, show and write; False when Ctrl-C ended it early."""
    rows = named_rows('recovery', TROUBLES, arguments.rows)
    seeds = range(arguments.seed, arguments.seed + (arguments.n or EPISODES))
    jobs = [RecoveryJob(row.name, column, seed)
            for row in rows for column in COLUMNS for seed in seeds]
    if arguments.plot:
        check_plotting(arguments.plot)  # before the episodes, not after
    if arguments.ray:
        raise ConfigError('--ray: the recovery suite runs on this machine only')
    if arguments.video:
        _film(arguments, rows)
        return True
    outcomes, complete = _collect(jobs, cores, console)
    lines = summarize_recovery(rows, outcomes)
    console.print(recovery_table(lines))
    metrics = local_metrics(record for o in outcomes if o.column == BRAIN for record in o.local)
    console.print(local_line(metrics), soft_wrap=True)
    for line in failure_lines(outcomes):
        console.print(f'  {line}', soft_wrap=True)
    if arguments.json:
        write_json(arguments.json, {
            'suite': 'recovery', 'seed': arguments.seed, 'complete': complete, **header(),
            'rows': [s.as_dict() for s in lines], 'local_planning': metrics.as_dict(),
            'episodes': [o.as_dict() for o in outcomes]})
    if arguments.plot and lines:
        write_recovery_plot(arguments.plot, lines)
    return complete


def _film(arguments: argparse.Namespace, rows: Sequence[TroubleRow]) -> None:
    if len(rows) != 1 or arguments.n != 1:
        raise ConfigError('--video films one episode, with the whole brain: add --rows NAME '
                          '--seed SEED --n 1')
    run_trouble(load_config(), RecoveryJob(rows[0].name, 'brain', arguments.seed),
                arguments.video)


def _collect(jobs: Sequence[RecoveryJob], cores: int, console: Console,
             ) -> tuple[list[RecoveryOutcome], bool]:
    """The outcomes in the order of the jobs, and whether all are there."""
    found, complete = gathered(spread(run_recovery, cores, load_config(), jobs), len(jobs),
                               console)
    order = {(job.row, job.column, job.seed): k for k, job in enumerate(jobs)}
    return sorted(found, key=lambda o: order[o.row, o.column, o.seed]), complete
