# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Does memory help? The same trouble twice, in new poses, with a memory and without.

One seed is one robot's life: it meets a thing for the first time with an empty memory, meets it
again elsewhere, and then meets an ordinary cube. The second meeting is also run without a memory,
in exactly the same pose. At the end it meets, several times, an ordinary thing that looks and is
named like the first one: what was learned is of no use there, and costs force and time.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from replan_agent.app.build.compose import Simulation
from replan_agent.domain.config import Config
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Shape
from replan_agent.domain.skill import SkillSpec
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, Range, SceneSpec
from replan_agent_bench.outcome import SETTLE_S, Job, Outcome, machine
from replan_agent_bench.suite import DrawnRow, find
from replan_agent_bench.worlds import scenes
from replan_agent_bench.worlds.judges import Held, Truth

FIRST, SECOND, OFF, OTHER, ALIKE = 'first', 'second', 'off', 'other', 'alike'
LOOK_ALIKES = 8  # meetings with the ordinary thing that looks alike
NEAR_M: Range = (0.40, 0.60)
OILY = 0.06  # friction; a dry cube has 0.8
OILY_KG: Range = (0.48, 0.72)  # 40 N hold 0.49 kg at rest with that friction, 60 N 0.73 kg
OILY_SIZE: scenes.Size = (0.04, 0.04, 0.08)
BAR_SIZE: scenes.Size = (0.06, 0.03, 0.05)
PANE_SIZE: scenes.Size = (0.08, 0.006, 0.05)
PANE_GAP_M = 0.015  # between the bar and each pane: no room for a finger

Put = Callable[[np.random.Generator], tuple[ObjectSpec, ...]]


@dataclass(frozen=True)
class MemoryRow(DrawnRow[Put]):
    """A trouble that recurs: a case is one thing, put somewhere new at each call.

    `alike` puts an ordinary thing that looks the same.
    """

    episodes: int = 40  # lives, of four meetings each and those with the look-alike
    alike: Put = lambda rng: ()


@dataclass(frozen=True)
class MemoryOutcome(Outcome):
    """One meeting: the picks that were executed, and the causes of those that failed.

    `force_n` is the mean force of the picks.
    """

    picks: int = 0
    force_n: float = 0.0
    causes: tuple[str, ...] = ()
    adapted: bool = False  # whether the first pick was already changed


def _oily(rng: np.random.Generator) -> Put:
    """A block that drops out of a normal grip and needs a firm one. Its mass is random."""
    mass = float(rng.uniform(*OILY_KG))

    def put(where: np.random.Generator) -> tuple[ObjectSpec, ...]:
        block = scenes.thing('cyan_block', OILY_SIZE, scenes.point(where, NEAR_M), where)
        return (replace(block, mass=mass, friction=OILY),)

    return put


def _between_panes(rng: np.random.Generator) -> Put:
    """A bar between two clear panes along its long sides, which no perception shows."""
    gap = PANE_GAP_M + float(rng.uniform(-0.002, 0.003))

    def put(where: np.random.Generator) -> tuple[ObjectSpec, ...]:
        bar = scenes.thing('blue_bar', BAR_SIZE, scenes.point(where, NEAR_M), where)
        return (bar, *(_pane(bar, side, gap) for side in (1, -1)))

    return put


def _dry_block(rng: np.random.Generator) -> tuple[ObjectSpec, ...]:
    return (scenes.thing('cyan_block', OILY_SIZE, scenes.point(rng, NEAR_M), rng),)


def _free_bar(rng: np.random.Generator) -> tuple[ObjectSpec, ...]:
    return (scenes.thing('blue_bar', BAR_SIZE, scenes.point(rng, NEAR_M), rng),)


def _pane(bar: ObjectSpec, side: int, gap: float) -> ObjectSpec:
    x, y, _ = bar.position
    yaw, away = bar.rpy[2], side * (bar.size[1] / 2 + gap + PANE_SIZE[1] / 2)
    at = (x - away * math.sin(yaw), y + away * math.cos(yaw), None)
    return ObjectSpec(f'pane_{"left" if side > 0 else "right"}', Shape.WALL, PANE_SIZE,
                      Colour.named('white'), at, bar.rpy, fixed=True, unseen=True)


def _ordinary(rng: np.random.Generator) -> tuple[ObjectSpec, ...]:
    return (scenes.cube('red_cube', 0.04, scenes.point(rng, NEAR_M), rng),)


ROWS = (
    MemoryRow('slippery', 'slippery', 'a block that drops out of a normal grip', _oily,
              alike=_dry_block),
    MemoryRow('blocked', 'blocked side', 'a bar between two panes that are not seen',
              _between_panes, alike=_free_bar),
)


def run_life(config: Config, job: Job, video: Path | None = None) -> list[MemoryOutcome]:
    """All the meetings of one seed, one after the other with one memory file. Not filmed."""
    row = find(ROWS, job.row)
    # Independent streams: what the thing is, and the places.
    kind, here, there, elsewhere, *others = np.random.default_rng(job.seed).spawn(4 + LOOK_ALIKES)
    put = row.draw(kind)
    once, again, ordinary = put(here), put(there), _ordinary(elsewhere)
    with tempfile.TemporaryDirectory() as folder:
        memory = str(Path(folder) / 'memory.db')
        return [_meet(config, replace(job, column=which), objects, file)
                for which, objects, file in (
                    (FIRST, once, memory), (SECOND, again, memory), (OFF, again, ''),
                    (OTHER, ordinary, memory),
                    *((ALIKE, row.alike(place), memory) for place in others))]


def _meet(config: Config, job: Job, objects: tuple[ObjectSpec, ...],
          memory: str) -> MemoryOutcome:
    started = time.perf_counter()
    config = replace(config, agent=replace(config.agent, memory=memory, memory_seed=job.seed))
    target = objects[0].name
    sim = Simulation(SceneSpec(f'memory_{job.column}', '', objects), config=config, seed=job.seed)
    result = sim.agent(MemoryRecorder()).run(f'pick up the {target.replace("_", " ")}')
    wall_s, robot_s = time.perf_counter() - started, sim.world.time
    sim.world.step(round(SETTLE_S / sim.world.timestep))
    objection = Held(target)(Truth(sim.world))
    takes = {spec.name: spec for spec in sim.skills.specs() if spec.effect.takes}
    picks = [record for record in result.steps if record.step.skill in takes]
    forces = [_force_n(takes[record.step.skill], record.step) for record in picks]
    return MemoryOutcome(
        row=job.row, column=job.column, seed=job.seed, success=not objection,
        objection=objection, claimed=result.success, final_reason=result.final_reason.value,
        final_detail=result.final_detail, picks=len(picks),
        force_n=sum(forces) / max(1, len(forces)),
        causes=tuple(a.diagnosis.cause.value for a in result.attempts
                     if a.diagnosis and a.diagnosis.cause),
        adapted=bool(picks) and len(picks[0].step.args) > 1, robot_s=robot_s, wall_s=wall_s,
        machine=machine())


def _force_n(skill: SkillSpec, step: Step) -> float:
    """The force (N) that the step asks for."""
    default = skill.argument_schema(skill.effect.force).get('default', 0.0)
    return float(step.args.get(skill.effect.force, default))
