# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One thing of a set on the table, in any pose: the agent picks it up, physics is the judge."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from transforms3d import euler

from replan_agent.app.build.compose import Simulation
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import Config
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.scene.mesh_pieces import extents
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec
from replan_agent_bench.outcome import Job, Outcome
from replan_agent_bench.suite import find
from replan_agent_bench.timed_episode import Episode
from replan_agent_bench.worlds import scenes
from replan_agent_bench.worlds.graspable import is_graspable
from replan_agent_bench.worlds.judges import Rose, Truth
from replan_agent_bench.worlds.object_sets import SETS, ObjectSet, SetThing
from replan_agent_bench.worlds.space import FRANKA, Space

COLOURS = ('red', 'green', 'blue', 'yellow', 'purple', 'orange', 'cyan')
RADIUS_M = (0.38, 0.60)
CAMERA, TRUTH = 'camera', 'ground_truth'


@dataclass(frozen=True)
class ObjectRow:
    """A set. The seed is the number of the thing in it, and draws its pose and colour."""

    set: ObjectSet
    episodes: int
    bar: float | None = None

    @property
    def name(self) -> str:
        return self.set.name

    @property
    def title(self) -> str:
        return self.set.title


ROWS = tuple(ObjectRow(each, count) for each, count in zip(SETS, (60, 60, 40)))


@dataclass(frozen=True)
class ObjectsOutcome(Outcome):
    """`graspable`: it was picked, or a search over its true shape finds a grasp.

    `picture` is the file, '' for none.
    """

    thing: str = ''
    graspable: bool = True
    replans: int = 0
    picture: str = ''


@dataclass(frozen=True)
class Case:
    """What a seed draws."""

    thing: SetThing
    spec: ObjectSpec
    task: str


def draw(thing: SetThing, seed: int, upright: bool = False, space: Space = FRANKA) -> Case:
    """The thing in a random colour and orientation, dropped somewhere within easy reach.

    If `upright`, only its yaw is random.
    """
    rng = np.random.default_rng(seed)
    colour = str(rng.choice(COLOURS))
    at = scenes.point(rng, space.radii(RADIUS_M))
    w, x, y, z = rng.normal(size=4)  # any direction of a normal 4-vector is equally likely
    roll, pitch, yaw = euler.quat2euler(np.array([w, x, y, z]) / math.hypot(w, x, y, z))
    turn = (0.0, 0.0, yaw) if upright else (roll, pitch, yaw)
    pieces = thing.pieces()
    spec = ObjectSpec(thing.name, Shape.IRREGULAR, extents(pieces), Colour.named(colour),
                      (*at, None), turn, thing.mass_of(pieces), thing.friction, pieces=pieces)
    return Case(thing, spec, f'pick up the {colour} object')


@lru_cache(maxsize=4)
def things_of(name: str, folder: Path | None) -> tuple[SetThing, ...]:
    """The things of a set; read once in each process."""
    return tuple(find(SETS, name, 'set').things(folder))


def run_object(config: Config, job: Job, video: Path | None = None) -> list[ObjectsOutcome]:
    """Run the job with the whole agent and judge it. A failure leaves its picture, if wanted."""
    things = things_of(job.row, job.objects)
    upright = find(SETS, job.row, 'set').upright
    arm = arm_named(config.robot.model)
    space = Space.of(arm)
    case = draw(things[job.seed % len(things)], job.seed, upright, space)
    episode = Episode(job)
    with Simulation(SceneSpec(f'bench_{job.row}', objects=(case.spec,), table=space.table()),
                    config=replace(config, perception=job.column or CAMERA),
                    seed=job.seed) as sim:
        name = case.spec.name
        before, table = (Truth(sim.world).object(each) for each in (name, 'table'))
        picture = sim.show() if job.pictures else None
        result = episode.run(sim, case.task, video)
        objection = Rose(name, before.position[2])(Truth(sim.world))
    outcome = ObjectsOutcome(
        **episode.fields(result, objection), thing=case.thing.name, replans=result.replans,
        graspable=not objection or is_graspable(before, table, case.spec.friction,
                                                 arm))
    if picture and job.pictures and (objection or not result.success):
        file = job.pictures / f'{job.row}-{case.thing.name}-{job.seed}.png'
        picture.save(file)
        outcome = replace(outcome, picture=str(file))
    return [outcome]
