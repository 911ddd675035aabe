# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many things: sort them into bowl and bin, swap, build towers, empty the bin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from replan_agent.app.build.compose import Simulation
from replan_agent.domain.config import Config
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent_bench.outcome import Job, Outcome
from replan_agent_bench.suite import Cell, DrawnRow, Suite, find
from replan_agent_bench.timed_episode import Episode
from replan_agent_bench.worlds import many_things
from replan_agent_bench.worlds.judges import Truth
from replan_agent_bench.worlds.many_things import ManyCase

from .cells import BAR, FALSE, INTERVAL, OK, ROBOT, SUCCESS, count
from .objects_episode import CAMERA
from .objects_suite import BY_PERCEPTION

EPISODES, BAR_SHARE = 50, 0.95
ON_FLOOR_M = -0.1
MOST_STEPS = 60  # twelve things are 24 steps if nothing goes wrong


@dataclass(frozen=True)
class ManyOutcome(Outcome):
    """`causes` are those of the failed attempts, retried ones too."""

    replans: int = 0
    on_floor: int = 0
    causes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ManyNumbers:
    on_floor: int
    causes: dict[str, int]
    replans: int


def _row(name: str, title: str, about: str, draw: object) -> DrawnRow[ManyCase]:
    return DrawnRow(name, title, about, draw, EPISODES, BAR_SHARE)  # type: ignore[arg-type]


ROWS = (
    *(_row(f'sort{n}', f'sort {n}', f'{n} things into bowl and bin', partial(many_things.sort, n))
      for n in (3, 5, 8, 12)),
    _row('swap', 'swap two', 'two of four things change places', many_things.swap),
    *(_row(f'tower{n}', f'tower of {n}', f'{n} cubes', partial(many_things.tower, n))
      for n in (3, 4)),
    _row('empty', 'empty the bin', 'four things out of the bin', many_things.empty),
)


def run_many(config: Config, job: Job, video: Path | None = None) -> list[ManyOutcome]:
    """Run the job with the whole agent, and judge it."""
    case = find(ROWS, job.row).case(job.seed)
    episode = Episode(job)
    config = replace(config, perception=job.column or CAMERA, planner='search', agent=replace(
        config.agent, max_steps=max(MOST_STEPS, config.agent.max_steps)))
    with Simulation(SceneSpec(f'many_{job.row}', objects=case.objects), seed=job.seed,
                    config=config) as sim:
        result = episode.run(sim, case.task, video)
        objection = case.judge(Truth(sim.world))
        on_floor = sum(o.position[2] < ON_FLOOR_M for o in sim.world.true_objects())
    causes = tuple(a.diagnosis.cause.value for a in result.attempts
                   if a.diagnosis is not None and a.diagnosis.cause is not None)
    return [ManyOutcome(**episode.fields(result, objection), replans=result.replans,
                        on_floor=on_floor, causes=causes)]


def many_numbers(outcomes: Sequence[ManyOutcome]) -> ManyNumbers:
    return ManyNumbers(sum(o.on_floor for o in outcomes),
                       dict(Counter(c for o in outcomes for c in o.causes).most_common()),
                       sum(o.replans for o in outcomes))


def flaws(outcome: ManyOutcome) -> list[str]:
    """The problems of an episode, one sentence each."""
    if outcome.success and outcome.claimed:
        return []
    found = [outcome.objection or 'done, but reported as failed',
             f'{outcome.final_reason}: {outcome.final_detail}']
    return [*found, *([f'causes on the way: {", ".join(dict.fromkeys(outcome.causes))}']
                      if outcome.causes else [])]


MANY: Suite[DrawnRow[ManyCase], ManyOutcome, ManyNumbers] = Suite(
    'many', 'many things on the table, search planner', ROWS, ManyOutcome, run_many, many_numbers,
    flaws,
    cells=(
        OK, INTERVAL, BAR, FALSE,
        Cell('floor', 'things that fell off the table', lambda s: count(s.own.on_floor)),
        Cell('wall', 's an episode, median', lambda s: f'{s.wall_median_s:.2f}'), ROBOT),
    panels=(SUCCESS,), columns=BY_PERCEPTION, column_heading='seen by', filmed=CAMERA,
    shown_flaws=1000, option='perception')
