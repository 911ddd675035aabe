# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""LIBERO's tasks as a benchmark suite, judged by LIBERO's own check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from replan_agent_bench.outcome import Job, Outcome
from replan_agent_bench.suite import Cell, Column, Suite
from replan_agent_bench.suites.cells import FALSE, INTERVAL, OK, ROBOT, SUCCESS
from replan_agent_bench.timed_episode import Episode

from replan_agent import Agent, Config, ConfigError, RobotParts

from .tasks import SUITES, task_named

TRUTH = 'ground_truth'
LOWEST_M = -0.2  # the arm may stand higher than the table
TASKS = 10  # in each of the suites that policies are compared on
STATES = 50


@dataclass(frozen=True)
class LiberoRow:
    """A task; the seed is the number of its start state."""

    name: str
    episodes: int = STATES
    bar: float | None = None

    @property
    def title(self) -> str:
        return self.name


ROWS = tuple(LiberoRow(f'{suite}/{number}') for suite in SUITES for number in range(TASKS))


@dataclass(frozen=True)
class LiberoOutcome(Outcome):
    """`first_s` is the robot time at which LIBERO's check first said yes; None if it never did.

    `in_limit`: it did within the steps that policies get.
    """

    replans: int = 0
    first_s: float | None = None
    in_limit: bool = False


def run_task(config: Config, job: Job, video: Path | None = None) -> list[LiberoOutcome]:
    """Run the job with the whole agent. LIBERO judges after the world is left alone."""
    from .cell import libero_cell

    task = task_named(job.row)
    config = settings(config, job.column or TRUTH)
    episode = Episode(job)
    cell = libero_cell(RobotParts(config, task.name, job.seed))
    world = cell.world
    with Agent(cell, config=config, seed=job.seed) as agent:
        result = episode.run_in(
            lambda: agent.run(task.sentence), lambda: world.time,
            lambda settle_s: [world.advance() for _ in range(round(settle_s / world.period))])
        objection = '' if world.judged() else "LIBERO's check says no"
    first_s = world.first_yes_s
    return [LiberoOutcome(
        **episode.fields(result, objection), replans=result.replans, first_s=first_s,
        in_limit=first_s is not None and (task.limit_s is None or first_s <= task.limit_s))]


def settings(config: Config, column: str) -> Config:
    """The benchmark's settings: the arm, the perception, and how low the arm may go."""
    from .cell import ARM

    return replace(config, planner='search', perception=column,
                   robot=replace(config.robot, model=ARM),
                   workspace=replace(config.workspace,
                                     z_min=min(config.workspace.z_min, LOWEST_M)))


@dataclass(frozen=True)
class LiberoNumbers:
    in_limit: int
    reasons: dict[str, int]
    replans: int


def numbers(outcomes: Sequence[LiberoOutcome]) -> LiberoNumbers:
    return LiberoNumbers(sum(o.in_limit for o in outcomes),
                         dict(Counter(o.final_reason for o in outcomes).most_common()),
                         sum(o.replans for o in outcomes))


def flaws(outcome: LiberoOutcome) -> list[str]:
    if outcome.success and outcome.claimed:
        return []
    return [outcome.objection or 'done, but reported as failed',
            f'{outcome.final_reason}: {outcome.final_detail}']


def check(jobs: Sequence[Job]) -> None:
    """Raise ConfigError if LIBERO cannot be used here."""
    try:
        import libero.libero.envs  # noqa: F401
    except Exception as error:  # it raises many things with a mujoco that it does not know
        raise ConfigError(f'LIBERO cannot be used: {type(error).__name__}: {error}; make its '
                          'environment with: make libero') from error


IN_LIMIT: Cell[LiberoNumbers] = Cell(
    'in limit', "LIBERO's check said yes within the steps that policies get",
    lambda summary: str(summary.own.in_limit))

LIBERO: Suite[LiberoRow, LiberoOutcome, LiberoNumbers] = Suite(
    'libero', "LIBERO's tasks and judge, planner search", ROWS, LiberoOutcome, run_task,
    numbers, flaws, cells=(OK, IN_LIMIT, INTERVAL, FALSE, ROBOT), panels=(SUCCESS,),
    row_heading='task', columns=(Column(TRUTH, 'truth'),), column_heading='seen by',
    filmed=None, option='perception', check=check, over_all='all tasks')
