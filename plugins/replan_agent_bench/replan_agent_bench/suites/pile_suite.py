# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Piles: five things of a set in a heap, "put everything in the bin". What is left?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.wiring import open_camera
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import FLATTEST_SEEN_M, SceneObject, Shape
from replan_agent.geometry.judging import is_inside
from replan_agent.perceive.camera.view import View
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec
from replan_agent.robot.mujoco.start_check import OVERLAP_M
from replan_agent_bench.outcome import Job, Outcome
from replan_agent_bench.suite import Cell, Suite
from replan_agent_bench.timed_episode import Episode
from replan_agent_bench.worlds.judges import Truth

from .cells import FALSE, OK, ROBOT, SUCCESS, count, percent
from .objects_episode import CAMERA, COLOURS, ROWS, ObjectRow, draw, things_of
from .objects_suite import BY_PERCEPTION, check

THINGS = 5
PILE_M = 0.125  # radius
CENTRE = (0.46, 0.13)
APART_M = 0.11  # in height, at the start: they fall onto each other
BESIDE_HAND_M = 0.45  # as high as this, a thing is beside the hand of the arm at home
ON_FLOOR_M = -0.1
MOST_DRAWS = 20
BIN = ObjectSpec('bin', Shape.BIN, (0.30, 0.24, 0.10), Colour.named('grey'), (0.47, -0.30, None),
                 mass=0.8)
TASK = 'put everything in the bin'


@dataclass(frozen=True)
class PileOutcome(Outcome):
    """How many of the things are in the bin and on the floor at the end.

    `too_flat` are left, but lower than the limit of sight that the verdict names: a success that
    misses nothing else is not false. It is counted apart, and not among the cleared piles.
    """

    in_bin: int = 0
    on_floor: int = 0
    too_flat: int = 0

    @property
    def false_success(self) -> bool:
        return super().false_success and self.in_bin + self.too_flat < THINGS


@dataclass(frozen=True)
class PileNumbers:
    in_bin: float  # share of all things
    on_floor: int
    too_flat: int  # piles of which nothing else is left, and that are told as cleared


def pile(row: str, folder: Path | None, seed: int, again: int = 0) -> tuple[ObjectSpec, ...]:
    """Five things of the set that follow each other, above each other within 25 cm.

    `again` counts further draws of the places of the same things.
    """
    things, rng = things_of(row, folder), np.random.default_rng((seed, again) if again else seed)
    colours = rng.permutation(COLOURS)
    specs = []
    for k in range(THINGS):
        spec = draw(things[(THINGS * seed + k) % len(things)], THINGS * seed + k).spec
        away, turn = PILE_M * math.sqrt(rng.uniform()), rng.uniform(0, 2 * math.pi)
        along, z, below = math.cos(turn), 0.08 + APART_M * k, _below_m(spec)
        z = below if below > z + OVERLAP_M else z  # it would start inside the table
        along = abs(along) if z > BESIDE_HAND_M else along  # the hand is on the near side
        at = (CENTRE[0] + away * along, CENTRE[1] + away * math.sin(turn), z)
        specs.append(replace(spec, name=f'{spec.name}_{k}', position=at,
                             colour=Colour.named(str(colours[k]))))
    return tuple(specs)


def _below_m(spec: ObjectSpec) -> float:
    """How far its lowest corner is below its centre."""
    up = Pose.from_rpy(0, 0, 0, *spec.rpy).rotation[2]
    return max((float(-(piece.corners @ up).min()) for piece in spec.pieces), default=0.0)


def heaped(config: Config, job: Job, again: int = 0) -> tuple[Simulation, tuple[ObjectSpec, ...]]:
    """The world after the heap has come to rest, and its things.

    A heap that starts inside itself is drawn again, and so is one of which something rolled off
    the table or out of the picture: the agent never saw that thing.
    """
    specs = pile(job.row, job.objects, job.seed, again)
    try:
        sim = Simulation(SceneSpec(f'pile_{job.row}', objects=(*specs, BIN), dropped=True),
                         seed=job.seed,
                         config=replace(config, perception=job.column or CAMERA,
                                        planner='search'))
    except ConfigError:
        if again == MOST_DRAWS:
            raise
        return heaped(config, job, again + 1)
    truth = Truth(sim.world)
    places = np.array([truth.object(spec.name).position for spec in specs])
    if again == MOST_DRAWS or places[:, 2].min() > ON_FLOOR_M and _are_in_picture(sim, places):
        return sim, specs
    sim.close()
    return heaped(config, job, again + 1)


def _are_in_picture(sim: Simulation, places: FloatArray) -> bool:
    with open_camera(sim.cell) as camera:
        view = View(camera.capture(Context()))
    shown = view.project(places)[:, :2]
    return bool(np.all((shown > 0) & (shown < (view.width_px - 1, view.height_px - 1))))


def run_pile(config: Config, job: Job, video: Path | None = None) -> list[PileOutcome]:
    """Run the job with the whole agent, and count what is where afterwards."""
    episode = Episode(job)
    sim, specs = heaped(config, job)
    with sim:
        result = episode.run(sim, TASK, video)
        truth = Truth(sim.world)
        found, container = [truth.object(spec.name) for spec in specs], truth.object(BIN.name)
    left = [thing for thing in found if not is_inside(thing, container)]
    objection = f'left: {", ".join(thing.name for thing in left)}' if left else ''
    return [PileOutcome(**episode.fields(result, objection), in_bin=THINGS - len(left),
                        on_floor=sum(thing.position[2] < ON_FLOOR_M for thing in found),
                        too_flat=too_flat(left, result.final_detail))]


def too_flat(left: Sequence[SceneObject], verdict: str) -> int:
    """How many of those left on the table are lower than the limit of sight that it names."""
    return sum(ON_FLOOR_M < thing.top_z < FLATTEST_SEEN_M for thing in left
               if f'lower than {FLATTEST_SEEN_M * 1000:.0f} mm' in verdict)


def pile_numbers(outcomes: Sequence[PileOutcome]) -> PileNumbers:
    return PileNumbers(sum(o.in_bin for o in outcomes) / (THINGS * max(1, len(outcomes))),
                       sum(o.on_floor for o in outcomes),
                       sum(o.claimed and not o.success and not o.false_success for o in outcomes))


def flaws(outcome: PileOutcome) -> list[str]:
    """The problems of an episode, one sentence each."""
    if outcome.success and outcome.claimed:
        return []
    return [outcome.objection or 'done, but reported as failed',
            f'{outcome.final_reason}: {outcome.final_detail}']


PILE: Suite[ObjectRow, PileOutcome, PileNumbers] = Suite(
    'pile', 'five things of a set in a pile of 25 cm, search planner',
    tuple(replace(row, episodes=20) for row in ROWS), PileOutcome, run_pile, pile_numbers, flaws,
    cells=(
        OK, FALSE,
        Cell('in bin %', 'of all things', lambda s: percent(s.own.in_bin)),
        Cell('flat', 'claimed success, and only things too flat to be seen are left',
             lambda s: count(s.own.too_flat)),
        Cell('floor', 'things that fell off the table', lambda s: count(s.own.on_floor)),
        Cell('wall', 's an episode, median', lambda s: f'{s.wall_median_s:.2f}'), ROBOT),
    panels=(SUCCESS,), row_heading='set', columns=BY_PERCEPTION, column_heading='seen by',
    filmed=CAMERA, shown_flaws=1000, check=check,
    option='perception')
