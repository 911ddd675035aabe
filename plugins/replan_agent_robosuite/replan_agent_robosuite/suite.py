# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""robosuite's tasks as a benchmark suite, judged by robosuite's own check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from replan_agent_bench.outcome import Job, Outcome
from replan_agent_bench.suite import Column, Suite
from replan_agent_bench.suites.cells import FALSE, INTERVAL, OK, ROBOT, SUCCESS
from replan_agent_bench.timed_episode import Episode

from replan_agent import Agent, Config, ConfigError, RobotParts

from .robots import MEANT, WIPER
from .tasks import PICK_PLACE, TASKS, Task

CAMERA, TRUTH = 'camera', 'ground_truth'
LOWEST_M = -0.2  # robosuite's tables are below the base of the arm


@dataclass(frozen=True)
class RobosuiteRow:
    """A task; the seed is that of robosuite's random start."""

    task: Task
    title: str
    episodes: int = 50
    bar: float | None = None

    @property
    def name(self) -> str:
        return self.task.env


TITLES = {'Lift': 'Lift: a cube', 'Stack': 'Stack: a cube on another',
          'PickPlaceMilk': 'PickPlace: milk', 'PickPlaceBread': 'PickPlace: bread',
          'PickPlaceCereal': 'PickPlace: cereal', 'PickPlaceCan': 'PickPlace: can',
          'PickPlace': 'PickPlace: all four in one task',
          'NutAssemblySquare': 'NutAssembly: the square nut',
          'NutAssemblyRound': 'NutAssembly: the round nut',
          'Door': 'Door: with a latch', 'Wipe': 'Wipe: a line of dirt'}
ROWS = tuple(RobosuiteRow(TASKS[name], title) for name, title in TITLES.items())


@dataclass(frozen=True)
class RobosuiteOutcome(Outcome):
    replans: int = 0


def run_task(config: Config, job: Job, video: Path | None = None) -> list[RobosuiteOutcome]:
    """Run the job with the whole agent. robosuite judges after the world is left alone."""
    from .cell import robosuite_cell

    task = TASKS[job.row]
    config = settings(config, task, job.column or CAMERA)
    episode = Episode(job)
    cell = robosuite_cell(RobotParts(config, task.env, job.seed))
    with Agent(cell, config=config, seed=job.seed) as agent:
        world = cell.world
        result = episode.run_in(
            lambda: agent.run(task.sentence), lambda: world.time,
            lambda settle_s: [world.advance() for _ in range(round(settle_s / world.period))])
        objection = '' if cell.world.judged() else "robosuite's check says no"
    return [RobosuiteOutcome(**episode.fields(result, objection), replans=result.replans)]


def settings(config: Config, task: Task, column: str) -> Config:
    """The benchmark's settings for a task: which perception, and how low the arm may go.

    The planner is `search`: what could not be taken comes last, once others are out of its way.
    """
    camera = 'robosuite_camera' if task.scene == PICK_PLACE else 'camera'
    model = config.robot.model
    return replace(config, planner='search',
                   robot=replace(config.robot, model=MEANT.get(model, model) + task.wipes * WIPER),
                   perception=camera if column == CAMERA else column,
                   workspace=replace(config.workspace,
                                     z_min=min(config.workspace.z_min, LOWEST_M)))


@dataclass(frozen=True)
class RobosuiteNumbers:
    reasons: dict[str, int]
    replans: int


def numbers(outcomes: Sequence[RobosuiteOutcome]) -> RobosuiteNumbers:
    return RobosuiteNumbers(dict(Counter(o.final_reason for o in outcomes).most_common()),
                            sum(o.replans for o in outcomes))


def flaws(outcome: RobosuiteOutcome) -> list[str]:
    if outcome.success and outcome.claimed:
        return []
    return [outcome.objection or 'done, but reported as failed',
            f'{outcome.final_reason}: {outcome.final_detail}']


def check(jobs: Sequence[Job]) -> None:
    """Raise ConfigError if robosuite cannot be used here."""
    try:
        from . import cell  # noqa: F401  it needs robosuite, and the package of its skills
    except Exception as error:  # it raises many things with a mujoco that it does not know
        raise ConfigError(f'robosuite cannot be used: {type(error).__name__}: {error}; make its '
                          'environment with: make robosuite') from error


@dataclass(frozen=True)
class RobosuiteSuite(Suite[RobosuiteRow, RobosuiteOutcome, RobosuiteNumbers]):
    def jobs(self, rows: Sequence[RobosuiteRow], n: int | None, seed: int) -> list[Job]:
        """Without those of a camera that does not see what the task needs."""
        return [job for job in super().jobs(rows, n, seed)
                if job.column != CAMERA or not TASKS[job.row].only_truth]


ROBOSUITE = RobosuiteSuite(
    'robosuite', "robosuite's tasks and judge, planner search", ROWS, RobosuiteOutcome, run_task,
    numbers, flaws, cells=(OK, INTERVAL, FALSE, ROBOT), panels=(SUCCESS,),
    row_heading='task', columns=(Column(CAMERA, 'camera'), Column(TRUTH, 'truth', '#b9bec4')),
    column_heading='seen by', filmed=None, option='perception', check=check)
