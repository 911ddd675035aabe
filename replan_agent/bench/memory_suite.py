"""Does memory pay? The same trouble met twice, in new poses, with a memory and without.

One seed is one robot's life: it meets a thing for the first time with an empty memory, meets it
again elsewhere, and then something ordinary. The second meeting is also run without a memory, in
the very same pose.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from replan_agent.app.build.compose import simulation
from replan_agent.domain.config import Config
from replan_agent.domain.scene import Shape
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, Range, SceneSpec

from . import scenes
from .judges import Held, Truth
from .motion_episode import SETTLE_S, machine

FIRST, SECOND, OFF, OTHER = 'first', 'second', 'off', 'other'
ENCOUNTERS: Mapping[str, str] = {
    FIRST: 'first meeting', SECOND: 'second, with memory', OFF: 'second, memory off',
    OTHER: 'ordinary cube'}
NEAR_M: Range = (0.40, 0.60)
OILY = 0.06  # friction; a dry cube has 0.8
OILY_KG: Range = (0.48, 0.72)  # 40 N hold 0.49 kg at rest with that friction, 60 N 0.73 kg
OILY_SIZE: scenes.Size = (0.04, 0.04, 0.08)
BAR_SIZE: scenes.Size = (0.06, 0.03, 0.05)
PANE_SIZE: scenes.Size = (0.08, 0.006, 0.05)
PANE_GAP_M = 0.015  # between the bar and each pane: no room for a finger

Draw = Callable[[np.random.Generator], Callable[[np.random.Generator], tuple[ObjectSpec, ...]]]


@dataclass(frozen=True)
class MemoryRow:
    """A trouble that recurs: `draw` makes a thing, and puts it somewhere new at each call."""

    name: str
    title: str
    target: str
    draw: Draw


@dataclass(frozen=True)
class MemoryJob:
    """A life to run. It travels to another process as these two words."""

    row: str
    seed: int


@dataclass(frozen=True)
class Encounter:
    """One meeting: picks executed, whether it was done by the physics, robot time (s)."""

    which: str
    success: bool
    claimed: bool
    picks: int
    causes: tuple[str, ...]
    adapted: bool  # whether the first pick was already changed
    robot_s: float
    objection: str = ''
    final: str = ''


@dataclass(frozen=True)
class MemoryOutcome:
    row: str
    seed: int
    encounters: tuple[Encounter, ...]
    wall_s: float = 0.0
    machine: str = ''

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def _oily(rng: np.random.Generator) -> Callable[[np.random.Generator], tuple[ObjectSpec, ...]]:
    """A block that drops out of a normal grip, and needs a firm one; each weighs its own."""
    mass = float(rng.uniform(*OILY_KG))

    def put(where: np.random.Generator) -> tuple[ObjectSpec, ...]:
        block = scenes.thing('cyan_block', OILY_SIZE, scenes.point(where, NEAR_M), where)
        return (replace(block, mass=mass, friction=OILY),)

    return put


def _between_panes(rng: np.random.Generator,
                   ) -> Callable[[np.random.Generator], tuple[ObjectSpec, ...]]:
    """A bar between two clear panes along its long sides, which no perception shows."""
    gap = PANE_GAP_M + float(rng.uniform(-0.002, 0.003))

    def put(where: np.random.Generator) -> tuple[ObjectSpec, ...]:
        bar = scenes.thing('blue_bar', BAR_SIZE, scenes.point(where, NEAR_M), where)
        return (bar, *(_pane(bar, side, gap) for side in (1, -1)))

    return put


def _pane(bar: ObjectSpec, side: int, gap: float) -> ObjectSpec:
    x, y, _ = bar.position
    yaw, away = bar.rpy[2], side * (bar.size[1] / 2 + gap + PANE_SIZE[1] / 2)
    at = (x - away * math.sin(yaw), y + away * math.cos(yaw), None)
    return ObjectSpec(f'pane_{"left" if side > 0 else "right"}', Shape.WALL, PANE_SIZE,
                      Colour.named('white'), at, bar.rpy, fixed=True, unseen=True)


def _ordinary(rng: np.random.Generator) -> tuple[ObjectSpec, ...]:
    return (scenes.cube('red_cube', 0.04, scenes.point(rng, NEAR_M), rng),)


ROWS = (
    MemoryRow('slippery', 'slippery', 'cyan_block', _oily),
    MemoryRow('blocked', 'blocked side', 'blue_bar', _between_panes),
)


def find_memory_row(name: str) -> MemoryRow:
    """The row of that name; a wrong one raises ValueError that lists the right ones."""
    for row in ROWS:
        if row.name == name:
            return row
    raise ValueError(f'no row named {name!r}; choose from: {", ".join(r.name for r in ROWS)}')


def run_life(config: Config, job: MemoryJob) -> MemoryOutcome:
    """All the meetings of one seed, one after the other on one memory file."""
    row, started = find_memory_row(job.row), time.perf_counter()
    # Four independent streams: what the thing is, and three places.
    kind, here, there, elsewhere = np.random.default_rng(job.seed).spawn(4)
    put = row.draw(kind)
    once, again, ordinary = put(here), put(there), _ordinary(elsewhere)
    with tempfile.TemporaryDirectory() as folder:
        memory = str(Path(folder) / 'memory.db')
        encounters = tuple(
            _meet(config, job.seed, which, objects, file) for which, objects, file in (
                (FIRST, once, memory), (SECOND, again, memory), (OFF, again, ''),
                (OTHER, ordinary, memory)))
    return MemoryOutcome(job.row, job.seed, encounters, time.perf_counter() - started, machine())


def _meet(config: Config, seed: int, which: str, objects: tuple[ObjectSpec, ...],
          memory: str) -> Encounter:
    config = replace(config, agent=replace(config.agent, memory=memory))
    target = objects[0].name
    sim = simulation(config, SceneSpec(f'memory_{which}', '', objects), seed)
    recorder = MemoryRecorder()
    result = sim.agent(recorder).run(f'pick up the {target.replace("_", " ")}')
    robot_s = sim.world.time
    sim.world.step(round(SETTLE_S / sim.world.timestep))
    objection = Held(target)(Truth(sim.world))
    takes = {spec.name for spec in sim.skills.specs() if spec.effect.takes}
    picks = [record for record in result.steps if record.step.skill in takes]
    return Encounter(
        which, not objection, result.success, len(picks),
        tuple(a.diagnosis.cause.value for a in result.attempts
              if a.diagnosis and a.diagnosis.cause),
        bool(picks) and len(picks[0].step.args) > 1, robot_s, objection,
        '' if result.success else f'{result.final_reason.value}: {result.final_detail}')
