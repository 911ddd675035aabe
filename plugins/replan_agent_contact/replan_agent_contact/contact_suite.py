# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suite `contact`: furniture that is moved by its handles, judged by physics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from replan_agent_bench.outcome import Job, Outcome
from replan_agent_bench.suite import Cell, Column, DrawnRow, Suite, find
from replan_agent_bench.suites.cells import BAR, FALSE, INTERVAL, OK, ROBOT, SUCCESS
from replan_agent_bench.timed_episode import Episode

from replan_agent import Agent, Config
from replan_agent.app.terminal.film import filmed

from .cell import furnished
from .contact_rows import ROWS, ContactCase
from .control_rows import CONTROL_ROWS
from .furniture import parse_furnished
from .give_rows import GIVE_ROWS
from .insert_rows import INSERT_ROWS
from .pour_rows import POUR_ROWS
from .wipe_rows import WIPE_ROWS

EVERY_S, SMOOTH = 0.002, 5  # a force is read from physics, and is the mean of so many readings
ALL_ROWS = (*ROWS, *CONTROL_ROWS, *INSERT_ROWS, *GIVE_ROWS, *WIPE_ROWS, *POUR_ROWS)


@dataclass(frozen=True)
class ContactOutcome(Outcome):
    """`force_n` is the most with which the hand moved a joint, or a thing pressed on a board with
    holes, for 10 ms, in physics.
    """

    task: str = ''
    force_n: float = 0.0


@dataclass(frozen=True)
class ContactNumbers:
    most_n: float


def run_case(config: Config, job: Job, video: Path | None = None) -> list[ContactOutcome]:
    """Run a task with the whole agent, and judge it from physics."""
    case, episode = find(ALL_ROWS, job.row).case(job.seed), Episode(job)
    config = replace(config, planner='search', perception='ground_truth')
    world, cell = furnished(config, *parse_furnished(case.values, job.row), job.seed)
    cell = replace(cell, true_objects=lambda: tuple(map(case.seen, world.visible_objects())))
    case.start(world)
    readings: list[list[float]] = []
    end = world.on_step(lambda: readings.append(world.forces_n()), EVERY_S)
    with filmed(world, video):
        result = episode.run_in(lambda: Agent(cell, config=config).run(case.task),
                                lambda: world.time,
                                lambda s: world.step(round(s / world.timestep)))
    end()
    force = most_force(readings)
    objection = '; '.join(case.judge(world))
    if case.trouble:
        told = not result.success and any(case.trouble(step.result) for step in result.steps)
        objection = '' if told and force >= case.least_n else (
            f'what is wrong is not told, or moved with {force:.0f} N only')
    if force > case.limit_n:
        objection = f'{objection}; {force:.0f} N, more than {case.limit_n:.0f}'.strip('; ')
    return [ContactOutcome(**episode.fields(result, objection), task=case.task, force_n=force)]


def most_force(readings: list[list[float]]) -> float:
    """The most of all joints, as a mean of some readings."""
    each = np.array(readings)
    if not each.size:
        return 0.0
    means = [np.convolve(column, np.ones(SMOOTH) / SMOOTH, 'same') for column in each.T]
    return float(np.abs(means).max())


def numbers(outcomes: Sequence[ContactOutcome]) -> ContactNumbers:
    return ContactNumbers(max(o.force_n for o in outcomes))


def flaws(outcome: ContactOutcome) -> list[str]:
    case = find(ALL_ROWS, outcome.row).case(outcome.seed)
    if outcome.success and outcome.claimed is (case.trouble is None):
        return []
    return [outcome.task, outcome.objection or 'done, but reported as failed',
            f'{outcome.final_reason}: {outcome.final_detail}']


CONTACT: Suite[DrawnRow[ContactCase], ContactOutcome, ContactNumbers] = Suite(
    'contact', 'ground truth, search planner, judged by physics', ALL_ROWS, ContactOutcome,
    run_case, numbers, flaws,
    cells=(OK, INTERVAL, BAR, FALSE, ROBOT,
           Cell('N', 'the most along a joint (of a knob N·m) or on a board, in physics',
                lambda s: f'{s.own.most_n:.2g}')),
    panels=(SUCCESS,), columns=(Column(),), shown_flaws=1000)
