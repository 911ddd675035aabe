# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""RAI's manipulation scenarios: its scenes, its words, its scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from replan_agent_bench.outcome import Job, Outcome
from replan_agent_bench.suite import Cell, Column, Panel, Suite, find
from replan_agent_bench.suites.cells import FALSE, OK, ROBOT, count
from replan_agent_bench.timed_episode import Episode

from replan_agent.app.build.compose import Simulation
from replan_agent.domain.config import Config, ConfigError

from .rai_package import check_version
from .rai_worlds import RaiCase, cases

MOST_STEPS = 60  # nine things are 18 steps if nothing goes wrong
LEVELS = {'trivial': 'trivial', 'easy': 'easy', 'medium': 'medium', 'hard': 'hard',
          'very_hard': 'very hard'}
TASKS = {'left': ('MoveObjectsToLeftTask', 'move to the left side'),
         'place': ('PlaceObjectAtCoordTask', 'place at coordinates'),
         'cubes': ('PlaceCubesTask', 'cubes next to cubes'),
         'tower': ('BuildCubeTowerTask', 'build a tower'),
         'group': ('GroupObjectsTask', 'group by type')}
COUNTS = {  # of version 0.1.2: 160 in all
    'trivial': {'left': 2, 'place': 8}, 'easy': {'left': 8, 'place': 30, 'cubes': 4},
    'medium': {'left': 7, 'tower': 4, 'cubes': 4, 'group': 8},
    'hard': {'left': 11, 'tower': 4, 'cubes': 8, 'group': 15},
    'very_hard': {'tower': 26, 'group': 21}}


@dataclass(frozen=True)
class RaiRow:
    """The scenarios of a level and a kind of task. Seed 0 is its first scenario."""

    name: str
    title: str
    level: str
    task: str
    episodes: int
    bar: float | None = None

    def cases(self, folder: Path | None) -> list[RaiCase]:
        return cases(folder, self.level, TASKS[self.task][0])


ROWS = tuple(RaiRow(f'{level}_{task}', f'{LEVELS[level]}: {TASKS[task][1]}', level, task, n)
             for level, tasks in COUNTS.items() for task, n in tasks.items())


@dataclass(frozen=True)
class RaiOutcome(Outcome):
    """`success` is RAI's score of 1. `beyond` if it is only less because of things that the task
    does not name."""

    score: float = 0.0
    beyond: bool = False
    scene: str = ''
    task: str = ''
    replans: int = 0


@dataclass(frozen=True)
class RaiNumbers:
    mean: float
    false_named: int  # claimed, and not true of the things that the words name


def run_scenario(config: Config, job: Job, video: Path | None = None) -> list[RaiOutcome]:
    """Run a scenario with the whole agent, and let RAI score the world at its end."""
    row = find(ROWS, job.row)
    case = row.cases(job.problems)[job.seed]
    episode = Episode(job)
    config = replace(config, planner=job.column, perception='ground_truth', agent=replace(
        config.agent, max_steps=max(MOST_STEPS, config.agent.max_steps)))
    with Simulation(case.spec, seed=job.seed, config=config) as sim:
        result = episode.run(sim, case.task, video)
        now = sim.world.true_objects()
    score = case.score(now)
    beyond = score < 1 and row.task == 'cubes' and case.cubes_are_right(now)
    objection = '' if score == 1 else f"RAI's score is {score:.2f}"
    return [RaiOutcome(**episode.fields(result, objection), score=score, beyond=beyond,
                       scene=case.spec.name, task=case.task, replans=result.replans)]


def numbers(outcomes: Sequence[RaiOutcome]) -> RaiNumbers:
    return RaiNumbers(_mean(outcomes), sum(o.false_success and not o.beyond for o in outcomes))


def _mean(outcomes: Sequence[RaiOutcome]) -> float:
    return sum(o.score for o in outcomes) / len(outcomes)


def flaws(outcome: RaiOutcome) -> list[str]:
    if outcome.success and outcome.claimed:
        return []
    why = ' (only cubes are named, and these are right)' if outcome.beyond else ''
    return [f'{outcome.scene}: {outcome.task[:60]}',
            (outcome.objection or 'done, but reported as failed') + why,
            f'{outcome.final_reason}: {outcome.final_detail}']


def notes(outcomes: Sequence[RaiOutcome]) -> list[str]:
    """The mean scores by level and by task."""
    ran = [o for o in outcomes if o.took_place]
    found = []
    for kind, titles in (('level', LEVELS), ('task', {t: title for t, (_, title)
                                                      in TASKS.items()})):
        parts = [(title, [o for o in ran if getattr(find(ROWS, o.row), kind) == name])
                 for name, title in titles.items()]
        found.append(f'mean score by {kind}: ' + ', '.join(
            f'{title} {_mean(some):.3f} (n = {len(some)})' for title, some in parts if some))
    return found


def check(jobs: Sequence[Job]) -> None:
    """Raise ConfigError if RAI is missing, is another version, or has no such scenario."""
    check_version(jobs[0].problems)
    for name in dict.fromkeys(job.row for job in jobs):
        row = find(ROWS, name)
        there = len(row.cases(jobs[0].problems))
        last = max(job.seed for job in jobs if job.row == name)
        if last >= there:
            raise ConfigError(f'the row {name} has {there} scenarios, numbered from 0: there is '
                              f'no {last}')


RAI: Suite[RaiRow, RaiOutcome, RaiNumbers] = Suite(
    'rai', "RAI's manipulation scenarios, ground truth, RAI's own scores", ROWS, RaiOutcome,
    run_scenario, numbers, flaws,
    cells=(Cell('score', "mean of RAI's scores", lambda s: f'{s.own.mean:.3f}'), OK, FALSE,
           Cell('named', 'false, fruit not counted', lambda s: count(s.own.false_named)),
           Cell('wall', 's an episode, median', lambda s: f'{s.wall_median_s:.2f}'), ROBOT),
    panels=(Panel("mean of RAI's scores", lambda s: s.own.mean, high=1.02),),
    row_heading='scenarios', columns=tuple(Column(n, n) for n in ('stub', 'search', 'vlm')),
    column_heading='planner', filmed='stub', over_all='all scenarios', notes=notes, check=check,
    shown_flaws=1000, option='planner', problems=True)
