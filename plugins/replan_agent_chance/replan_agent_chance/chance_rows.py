# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tasks of the suite `chance`: of mixed difficulty, some seen with large errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from replan_agent_bench.outcome import CannotLoad
from replan_agent_bench.suites.motion_rows import find_row
from replan_agent_bench.suites.objects_episode import draw, things_of
from replan_agent_bench.worlds.judges import Judge, Rose
from replan_agent_bench.worlds.scenes import BEARING_RAD, RADIUS_M, thing

from replan_agent.domain.config import ConfigError
from replan_agent.robot.mujoco.scene.placement import place
from replan_agent.robot.mujoco.scene.scene_spec import (
    CameraNoise,
    CameraSpec,
    ObjectSpec,
    Randomize,
    SceneSpec,
)
from replan_agent.robot.mujoco.world import World

from .uncertainty import NEVER_SEEN, OF_A_BAD_ONE, Uncertainty

# One perception and one hand of the suite are unsure of so much; a task of so many times as much.
# 1 mm is what a hand may be off where it says that it is there (`gripper.WIDTH_TOLERANCE_M`).
UNSURE = Uncertainty(common_m=0.004, own_m=0.006, look_m=0.001, yaw_rad=0.06, size_m=0.001,
                     grip=0.1, fingers_m=0.001)
TIMES = (0.4, 2.5)
OTHER_COLOURS = ('green', 'yellow', 'purple', 'cyan')
# What the pictures of the suite's badly calibrated camera lack.
BAD_CAMERA = CameraNoise(depth_sigma=0.002, dropout=0.05, exposure=0.8, calibration_mm=22.0,
                         calibration_deg=0.6)


@dataclass(frozen=True)
class ChanceCase:
    """A task in a world, and what is unsure in it; `judge` is made when the world is at rest."""

    scene: SceneSpec
    task: str
    known: Uncertainty
    judge: Callable[[World], Judge]


@dataclass(frozen=True)
class ChanceRow:
    """Tasks of one kind. `of` are rows of the suites `motion` and `objects`.

    `by_camera`: they are seen by the badly calibrated camera; else errors are drawn and added to
    the truth.
    """

    name: str
    title: str
    about: str
    of: tuple[str, ...]
    episodes: int = 250
    bar: float | None = None
    by_camera: bool = False
    things: str = ''  # a set of things to pick up, instead of `of`
    others: tuple[int, ...] = (0,)  # so many stand around, as free as things that a scene places

    def case(self, seed: int) -> ChanceCase:
        rng = np.random.default_rng([seed, 40])
        known = self._known(float(np.exp(rng.uniform(*np.log(TIMES)))))
        objects, task, judge = self._drawn(rng, seed)
        if len(objects) < 3 and ' at ' not in task:  # there is room, also at the goal
            objects = with_bystanders(objects, int(rng.choice(self.others)), rng)
        objects = tuple(as_unknown(each, known, rng) for each in objects)
        noise = BAD_CAMERA if self.by_camera else CameraNoise()
        return ChanceCase(SceneSpec(f'chance_{self.name}', self.about, objects,
                                    camera=CameraSpec(noise=noise)), task, known, judge)

    def _known(self, times: float) -> Uncertainty:
        never_seen = Uncertainty.of(NEVER_SEEN) or Uncertainty()
        drawn = UNSURE.scaled(times)
        if not self.by_camera:
            return replace(drawn, friction=never_seen.friction, density=never_seen.density)
        found = Uncertainty.of(OF_A_BAD_ONE)
        if found is None:
            raise ConfigError(f'measured/{OF_A_BAD_ONE}.yaml is missing')
        return replace(found, grip=drawn.grip, fingers_m=drawn.fingers_m)

    def _drawn(self, rng: np.random.Generator, seed: int
               ) -> tuple[tuple[ObjectSpec, ...], str, Callable[[World], Judge]]:
        if self.things:
            return _picked(self.things, seed)
        row = find_row(str(rng.choice(self.of)))
        case = row.case(seed)
        return case.objects, case.task, lambda world: case.judge


def _picked(things: str, seed: int
            ) -> tuple[tuple[ObjectSpec, ...], str, Callable[[World], Judge]]:
    try:
        found = things_of(things, None)
    except ConfigError as error:
        raise CannotLoad(str(error)) from error
    case = draw(found[seed % len(found)], seed)

    def judge(world: World) -> Judge:
        before = next(o for o in world.true_objects() if o.name == case.spec.name)
        return Rose(case.spec.name, before.position[2])

    return (case.spec,), case.task, judge


def with_bystanders(things: tuple[ObjectSpec, ...], count: int, rng: np.random.Generator
                    ) -> tuple[ObjectSpec, ...]:
    """The things and others around them, at least 10 mm from each other."""
    if not count:
        return things
    free = Randomize(radius=RADIUS_M, angle=BEARING_RAD, yaw=(-math.pi, math.pi))
    others = []
    for number in range(count):
        name, side = f'{rng.choice(OTHER_COLOURS)}_block_{number}', float(rng.uniform(0.03, 0.06))
        others.append(replace(thing(name, (side, side, float(rng.uniform(0.03, 0.1))), (0.5, 0.0),
                                    rng), randomize=free))
    placed = place(SceneSpec('bystanders', objects=(*things, *others)), int(rng.integers(2**31)))
    return (*things, *(replace(one.spec, position=(*one.pose.position[:2], None),
                               rpy=(0.0, 0.0, one.pose.yaw), randomize=None)
                       for one in placed[len(things):]))


def as_unknown(spec: ObjectSpec, known: Uncertainty, rng: np.random.Generator) -> ObjectSpec:
    """The thing with a mass and a friction that nobody knows."""
    usual = 400.0 if spec.pieces else 900.0  # kg/m³, of which the rows make their things
    return replace(spec, friction=float(rng.choice(known.friction)),
                   mass=spec.mass * float(rng.choice(known.density)) / usual)


ROWS = (
    ChanceRow('pick', 'pick up', 'pick up a cube, a bar or a cylinder, seen with errors',
              ('cube24', 'cube40', 'cube56', 'bar', 'cylinder', 'clutter'),
              others=(0, 0, 0, 2, 4, 6)),
    ChanceRow('put', 'put somewhere', 'put a cube in a bowl, on a cube or at a point, seen with '
              'errors', ('bowl', 'stack', 'place'), others=(0, 0, 0, 2, 4, 6)),
    ChanceRow('things', 'our things', 'pick up a thing of any shape, seen with errors', (),
              things='ours'),
    ChanceRow('foreign', 'random things', 'pick up a thing that others made, seen with errors',
              (), things='random_urdfs'),
    ChanceRow('camera', 'bad camera', 'pick up or put something that a badly calibrated camera '
              'sees', ('cube24', 'cube40', 'cube56', 'bar', 'cylinder', 'bowl', 'stack'),
              by_camera=True),
)
