"""The suite `contact`: furniture that is moved by its handles, judged by physics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from replan_agent_bench.outcome import Job, Outcome
from replan_agent_bench.suite import Cell, Column, DrawnRow, Suite, find
from replan_agent_bench.suites.cells import BAR, FALSE, INTERVAL, OK, ROBOT, SUCCESS
from replan_agent_bench.timed_episode import Episode

from replan_agent import Agent, Config
from replan_agent.app.terminal.film import filmed

from .cell import furnished
from .contact_rows import ROWS, ContactCase
from .furniture import parse_furnished

EVERY_S = 0.01  # a force is read from physics
PULLED_N = 30.0  # with less nobody knows that it is locked


@dataclass(frozen=True)
class ContactOutcome(Outcome):
    """`force_n` is the most with which the hand pulled or pushed along a joint, in physics."""

    task: str = ''
    force_n: float = 0.0


@dataclass(frozen=True)
class ContactNumbers:
    most_n: float


def run_case(config: Config, job: Job, video: Path | None = None) -> list[ContactOutcome]:
    """Run a task with the whole agent, and judge it from physics."""
    case, episode = find(ROWS, job.row).case(job.seed), Episode(job)
    config = replace(config, planner='search', perception='ground_truth')
    world, cell = furnished(config, *parse_furnished(case.values, job.row), job.seed)
    forces = [0.0]
    end = world.on_step(lambda: forces.append(max(
        (abs(world.pull_n(part.name)) for part in world.parts), default=0.0)), EVERY_S)
    with filmed(world, video):
        result = episode.run_in(lambda: Agent(cell, config=config).run(case.task),
                                lambda: world.time,
                                lambda s: world.step(round(s / world.timestep)))
    end()
    objection = '; '.join(case.judge(world))
    if case.is_locked:
        proved = any(step.result.proved_impossible for step in result.steps)
        objection = ('' if proved and not result.success and max(forces) >= PULLED_N else
                     f'not told as locked, or pulled with {max(forces):.0f} N only')
    return [ContactOutcome(**episode.fields(result, objection), task=case.task,
                           force_n=max(forces))]


def numbers(outcomes: Sequence[ContactOutcome]) -> ContactNumbers:
    return ContactNumbers(max(o.force_n for o in outcomes))


def flaws(outcome: ContactOutcome) -> list[str]:
    case = find(ROWS, outcome.row).case(outcome.seed)
    if outcome.success and outcome.claimed is not case.is_locked:
        return []
    return [outcome.task, outcome.objection or 'done, but reported as failed',
            f'{outcome.final_reason}: {outcome.final_detail}']


CONTACT: Suite[DrawnRow[ContactCase], ContactOutcome, ContactNumbers] = Suite(
    'contact', 'ground truth, search planner, judged by physics', ROWS, ContactOutcome, run_case,
    numbers, flaws,
    cells=(OK, INTERVAL, BAR, FALSE, ROBOT,
           Cell('N', 'the most along a joint, in physics', lambda s: f'{s.own.most_n:.0f}')),
    panels=(SUCCESS,), columns=(Column(),), shown_flaws=1000)
