# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent bench`: runs the episodes of a suite, shows the table, writes the files."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from replan_agent.app.build.build_planner import MotionParts, build_motion
from replan_agent.app.build.config_file import load_config
from replan_agent.app.terminal.console import plain_console
from replan_agent.app.terminal.exits import INTERRUPTED
from replan_agent.arms.arm_names import DEFAULT_ARM, checked_arm
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import Config, ConfigError
from replan_agent.record.picture import PictureError
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker
from replan_agent.text.shown_text import listed

from .all_suites import find_suite
from .ik_bench import ik_table, measure_ik
from .outcome import Job, Outcome
from .report.json_report import header, suite_report, write_json
from .report.suite_plot import check_plotting, write_plot
from .report.suite_table import (
    flaw_lines,
    left_out_lines,
    speed_lines,
    suite_table,
    suite_title,
    write_markdown,
)
from .running.kept import kept
from .running.progress_bar import gather
from .running.ray_cluster import ray_runner
from .running.workers import Runner, processes
from .suite import R, Suite, find
from .worlds.space import Space

DONE = 0
IK_POSES = 400
MODEL_SUITE = 'model'
MODE_SUITES = MODEL_SUITE, 'recovery', 'why'
THING_SUITES = 'objects', 'pile', 'why'  # of sets of things, with pictures of failures
ARM_SUITES = 'motion', 'pick', 'perception', 'objects', 'robosuite'  # that take other arms


def bench(arguments: argparse.Namespace) -> int:
    """Run the benchmark. Returns 0 if it ran to the end, whatever the numbers."""
    console = plain_console()
    if arguments.ik:
        return _bench_ik(arguments, console)
    suite = find_suite(arguments.suite or arguments.tasks)
    rows = chosen_rows(suite, [arguments.set] if arguments.set else arguments.rows)
    if arguments.plot:
        check_plotting(arguments.plot)  # check before an hour of episodes
    jobs = _jobs(suite, rows, arguments)
    if arguments.video:
        jobs = [_filmed(suite, rows, arguments)]
    if suite.check is not None:
        suite.check(jobs)
    if arguments.video:
        run = Run(_film(suite, jobs[0], arguments))
    else:
        runner = _runner(suite, arguments)
        started = time.perf_counter()
        run = collect(runner, _settings(suite, arguments), suite, jobs, console)
        run = replace(run, took_s=time.perf_counter() - started)
    _show(suite, run, arguments, console)
    return DONE if run.complete else INTERRUPTED


def _runner(suite: Suite[Any, Any, Any], arguments: argparse.Namespace) -> Runner:
    if arguments.only_kept:
        if not arguments.keep:
            raise ConfigError('--only-kept: name the files with --keep')
        return kept(None, suite, *arguments.keep)
    runner = ray_runner(arguments.ray) if arguments.ray else processes(_cores(arguments))
    return kept(runner, suite, *arguments.keep) if arguments.keep else runner


@dataclass(frozen=True)
class Run:
    """The outcomes so far. `complete` is False if Ctrl-C ended the run; `took_s` is its length."""

    outcomes: list[Outcome] = field(default_factory=list)
    complete: bool = True
    took_s: float = 0.0


def chosen_rows(suite: Suite[R, Any, Any], names: Sequence[str] | None) -> tuple[R, ...]:
    """The rows of the suite, or only the named ones. A wrong name raises ConfigError."""
    try:
        chosen = {find(suite.rows, name, f'row of the suite {suite.name}').name
                  for name in names or ()}
    except ValueError as error:
        raise ConfigError(f'--rows: {error}') from None
    return tuple(row for row in suite.rows if not names or row.name in chosen)


def _jobs(suite: Suite[R, Any, Any], rows: Sequence[R],
          arguments: argparse.Namespace) -> list[Job]:
    """The episodes, as asked for."""
    only = {'--set': arguments.set, '--objects': arguments.objects,
            '--pictures': arguments.pictures}
    given = [option for option, value in only.items() if value]
    if arguments.problems and not suite.problems:
        raise ConfigError(f'--problems: the suite {suite.name} has its own')
    if given and suite.name not in THING_SUITES:
        raise ConfigError(f'{given[0]}: only for the suites {listed(THING_SUITES)}')
    if arguments.perception and suite.option != 'perception':
        raise ConfigError(f'--perception: the suite {suite.name} does not let you choose it')
    asks = suite.name == MODEL_SUITE
    if arguments.planner and suite.option != 'planner' or arguments.config and not (
            asks or suite.option == 'planner'):
        raise ConfigError(f'--planner: the suite {suite.name} has no choice of planners; '
                          '--config: only for those that have one, and for model')
    if (arguments.base_url or arguments.model) and not asks:
        raise ConfigError('--base-url, --model: only for the suite model')
    if arguments.arm and suite.name not in ARM_SUITES:
        raise ConfigError(f'--arm: only for the suites {listed(ARM_SUITES)}')
    if arguments.modes and suite.name not in MODE_SUITES:
        raise ConfigError(f'--modes: only for the suites {listed(MODE_SUITES)}')
    jobs = [replace(job, problems=arguments.problems, objects=arguments.objects,
                    pictures=arguments.pictures)
            for job in suite.jobs(rows, arguments.n, arguments.seed)]
    if arguments.modes:
        chosen = _modes(suite, arguments)
        return [job for job in jobs if {job.column, job.column.split('/')[0]} & chosen]
    if not suite.option:
        return jobs
    column = getattr(arguments, suite.option) or suite.columns[0].name
    if column not in [c.name for c in suite.columns]:
        raise ConfigError(f'--{suite.option}: the suite {suite.name} has no {column}')
    return [job for job in jobs if job.column == column]


def _modes(suite: Suite[Any, Any, Any], arguments: argparse.Namespace) -> set[str]:
    columns = [column.name for column in suite.columns]
    known = [*dict.fromkeys(name.split('/')[0] for name in columns), *columns]
    unknown = [mode for mode in arguments.modes if mode not in known]
    if unknown:
        raise ConfigError(f'--modes: unknown {", ".join(unknown)}; choose from: '
                          f'{", ".join(known)}')
    return set(arguments.modes)


def _settings(suite: Suite[Any, Any, Any], arguments: argparse.Namespace) -> Config:
    """The settings of the run; those of the suite model name the model."""
    config = bench_settings(arguments.config, arguments.eye_in_hand)
    given = {'base_url': arguments.base_url, 'model': arguments.model}
    config = replace(config, vlm=replace(
        config.vlm, **{name: value for name, value in given.items() if value}))
    if arguments.arm:
        checked_arm(arguments.arm, '--arm')
        print(f'reading the arm {arguments.arm} ...', file=sys.stderr, flush=True)
        config = replace(config, robot=replace(config.robot, model=arguments.arm))
        config = Space.of(arm_named(arguments.arm)).settings(config)
    config = replace(config, motion_planner=arguments.motion_planner or config.motion_planner)
    if arguments.motion_planner:  # one that cannot be made is known before all episodes
        build_motion(MotionParts(config, MujocoCollisionChecker(arm_named(config.robot.model))))
    if suite.name == MODEL_SUITE and not config.vlm.model:
        raise ConfigError('the suite model needs one: --model NAME --base-url URL')
    return config


def collect(runner: Runner, config: Config, suite: Suite[Any, Any, Any], jobs: Sequence[Job],
            console: Console) -> Run:
    """Run the jobs under a progress bar. Ctrl-C keeps what is done so far."""
    total = sum(len(suite.columns_of(job)) for job in jobs)
    found, complete = gather(runner(config, jobs), total, console)
    return Run(suite.ordered(found), complete)


def bench_settings(file: Path | None = None, eye_in_hand: bool = False) -> Config:
    """Our own settings with our own skills: the numbers do not depend on installed packages."""
    config = load_config(file)
    return replace(config, skills=(), planner='stub',
                   robot=replace(config.robot, eye_in_hand=eye_in_hand))


def _filmed(suite: Suite[Any, Any, Any], rows: Sequence[Any],
            arguments: argparse.Namespace) -> Job:
    """The one episode that --video films. Raises ConfigError if it is not one."""
    if suite.filmed is None:
        raise ConfigError(f'--video: the suite {suite.name} cannot be filmed')
    if len(rows) != 1 or arguments.n != 1:
        raise ConfigError('--video films one episode: add --rows NAME --seed SEED --n 1')
    chosen = getattr(arguments, suite.option) if suite.option else None
    return Job(suite.name, rows[0].name, arguments.seed, chosen or suite.filmed,
               arguments.objects, problems=arguments.problems)


def _film(suite: Suite[Any, Any, Any], job: Job, arguments: argparse.Namespace) -> list[Outcome]:
    try:
        return list(suite.run(_settings(suite, arguments), job, arguments.video))
    except PictureError as error:
        raise ConfigError(str(error)) from error


def _show(suite: Suite[Any, Any, Any], run: Run, arguments: argparse.Namespace,
          console: Console) -> None:
    outcomes, lines = run.outcomes, suite.summaries(run.outcomes)
    if arguments.arm:
        suite = replace(suite, title=f'{suite.title}, arm {arguments.arm}')
    console.print(suite_table(suite, lines, run.complete))
    busy = [] if arguments.keep else speed_lines(outcomes, run.took_s)  # some may be older
    for note in (*suite.notes(outcomes), *left_out_lines(outcomes), *busy):
        console.print(note, soft_wrap=True)
    for line in flaw_lines(suite, outcomes):
        console.print(f'  {line}', soft_wrap=True)
    machines = {o.machine for o in outcomes}
    if len(machines) > 1:
        console.print('episodes ran on different machines or versions: ' + '; '.join(
            sorted(machines)), soft_wrap=True)
    if arguments.json:
        workers = f'ray {arguments.ray}' if arguments.ray else f'{_cores(arguments)} processes'
        report = suite_report(suite, arguments.seed, workers, lines, outcomes, run.complete)
        write_json(arguments.json, {'arm': arguments.arm or DEFAULT_ARM, **report,
                                    'took_s': run.took_s})
    if arguments.markdown:
        write_markdown(arguments.markdown, suite_table(suite, lines, run.complete))
    if arguments.plot and lines:
        write_plot(arguments.plot, suite_title(suite, run.complete), suite, lines)
    _print_written(console, arguments.json, arguments.markdown, arguments.plot, arguments.video)


def _cores(arguments: argparse.Namespace) -> int:
    return arguments.jobs or os.cpu_count() or 1


def _bench_ik(arguments: argparse.Namespace, console: Console) -> int:
    timings = measure_ik(IK_POSES if arguments.n is None else arguments.n, arguments.seed)
    console.print(ik_table(timings))
    if arguments.json:
        write_json(arguments.json, {'seed': arguments.seed, **header(),
                                    'solvers': [t.as_dict() for t in timings]})
    _print_written(console, arguments.json)
    return DONE


def _print_written(console: Console, *paths: Path | None) -> None:
    for path in paths:
        if path:
            console.print(f'written to {path}', soft_wrap=True)
