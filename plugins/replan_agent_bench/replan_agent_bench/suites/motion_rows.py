# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rows of motion and perception: random scene, task and judge of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.scene.scene_spec import (
    CameraNoise,
    CameraSpec,
    ObjectSpec,
    Range,
    SceneSpec,
)
from replan_agent_bench.suite import find
from replan_agent_bench.worlds import scenes
from replan_agent_bench.worlds.judges import Held, InBowl, Judge, PlacedAt, StackedOn
from replan_agent_bench.worlds.nudge import WorldPush
from replan_agent_bench.worlds.space import FRANKA, Size, Space
from replan_agent_bench.worlds.watch import Intended

FOR_99, ELSEWHERE = 400, 100  # episodes: how many it takes to claim 99 %
CUBE_M = 0.04
WALL_BEARING_RAD: Range = (math.radians(30), math.radians(60))
WALL_RADIUS_M: Range = (0.40, 0.65)
EASY_RADIUS_M: Range = (0.35, 0.62)  # can be reached from straight above


@dataclass(frozen=True)
class Case:
    """One random episode: the objects, the task in words, and the judge."""

    objects: tuple[ObjectSpec, ...]
    task: str
    intended: Intended
    judge: Judge
    push: WorldPush | None = None


Draw = Callable[[np.random.Generator, Space], Case]


@dataclass(frozen=True)
class MotionRow:
    """A row whose cases are random: the same for the same seed and arm everywhere.

    `perception` is the one that the agent uses, `noise` is that of the camera.
    """

    name: str
    title: str
    about: str
    draw: Draw
    episodes: int = ELSEWHERE
    bar: float | None = None
    perception: str = 'ground_truth'
    noise: CameraNoise = CameraNoise()

    def case(self, seed: int, space: Space = FRANKA) -> Case:
        return self.draw(np.random.default_rng(seed), space)

    def scene(self, case: Case, space: Space = FRANKA) -> SceneSpec:
        return SceneSpec(f'bench_{self.name}', self.about, case.objects, space.table(),
                         CameraSpec(noise=self.noise))

    def with_camera(self, label: str, noise: CameraNoise, bar: float | None = None) -> MotionRow:
        """The same episodes with the camera instead of ground truth."""
        return replace(self, name=f'{self.name}-{label}', title=f'{self.title}, {label}',
                       episodes=ELSEWHERE, bar=bar, perception='camera', noise=noise)


def _pick(target: ObjectSpec, *others: ObjectSpec, supports: tuple[str, ...] = ('table',),
          push: WorldPush | None = None) -> Case:
    return Case((target, *others), f'pick up the {target.name.replace("_", " ")}',
                Intended(target.name, supports), Held(target.name), push)


def _single(name: str, size: Size, shape: Shape = Shape.BOX, lying: bool = False) -> Draw:
    return lambda rng, space: _pick(scenes.thing(
        name, space.sized(size), _point(rng, space), rng, shape, lying))


def _point(rng: np.random.Generator, space: Space,
           radius: Range = scenes.RADIUS_M) -> scenes.Point:
    return scenes.point(rng, space.radii(radius))


def _away(rng: np.random.Generator, space: Space, other: ObjectSpec,
          least_m: float) -> scenes.Point:
    x, y, _ = other.position
    return scenes.point_away(rng, [(x, y)], least_m, space.radii(scenes.RADIUS_M))


def _cube(rng: np.random.Generator, space: Space, at: scenes.Point,
          colour: str = 'red') -> ObjectSpec:
    return scenes.cube(f'{colour}_cube', space.wide * CUBE_M, at, rng)


def _red_cube(rng: np.random.Generator, space: Space,
              radius: Range = scenes.RADIUS_M) -> ObjectSpec:
    return _cube(rng, space, _point(rng, space, radius))


def _clutter(rng: np.random.Generator, space: Space) -> Case:
    target = _red_cube(rng, space)
    return _pick(target, *scenes.neighbours(target, rng, space))


def _place(rng: np.random.Generator, space: Space) -> Case:
    target = _red_cube(rng, space)
    x, y = _away(rng, space, target, 0.08)
    where = (round(x, 3), round(y, 3))
    return Case((target,), f'place the red cube at ({where[0]}, {where[1]})',
                Intended(target.name), PlacedAt(target.name, where))


def _place_in_bowl(rng: np.random.Generator, space: Space) -> Case:
    bowl = scenes.bowl(_point(rng, space, EASY_RADIUS_M))
    target = _cube(rng, space, _away(rng, space, bowl, 0.15))
    return Case((target, bowl), 'put the red cube in the bowl',
                Intended(target.name, ('table', 'bowl')), InBowl(target.name, 'bowl'))


def _stack(rng: np.random.Generator, space: Space) -> Case:
    lower = _cube(rng, space, _point(rng, space), 'blue')
    target = _cube(rng, space, _away(rng, space, lower, space.wide * 0.12))
    return Case((target, lower), 'stack the red cube on the blue cube',
                Intended(target.name, ('table', lower.name)), StackedOn(target.name, lower.name))


def _wall(rng: np.random.Generator, space: Space) -> Case:
    while True:
        side = float(rng.choice((-1.0, 1.0)))
        x, y = scenes.point(rng, space.radii(WALL_RADIUS_M), WALL_BEARING_RAD)
        target = _cube(rng, space, (x, side * y))
        wall = scenes.wall_beside(target, space)
        if space.is_clear(wall):
            return _pick(target, wall)


def _narrow_bin(rng: np.random.Generator, space: Space) -> Case:
    box, target = scenes.bin_around(_red_cube(rng, space, EASY_RADIUS_M), rng, space)
    return _pick(target, box, supports=('bin_floor',))


def _moved(rng: np.random.Generator, space: Space) -> Case:
    """The cube is pushed, but stays within reach."""
    target = _red_cube(rng, space, EASY_RADIUS_M)
    return _pick(target, push=WorldPush(target.name, float(rng.uniform(-math.pi, math.pi))))


MOTION = (
    MotionRow('cube24', 'cube 24 mm', 'pick a 24 mm cube',
              _single('red_cube', (0.024,) * 3), FOR_99, 0.99),
    MotionRow('cube40', 'cube 40 mm', 'pick a 40 mm cube',
              _single('red_cube', (0.040,) * 3), FOR_99, 0.99),
    MotionRow('cube56', 'cube 56 mm', 'pick a 56 mm cube',
              _single('red_cube', (0.056,) * 3), FOR_99, 0.99),
    MotionRow('bar', 'bar 24×110 mm', 'pick a lying 24×24×110 mm bar',
              _single('red_bar', (0.024, 0.110, 0.024)), FOR_99, 0.99),
    MotionRow('cylinder', 'cylinder', 'pick an upright cylinder, 50 mm across, 80 mm high',
              _single('red_cylinder', (0.05, 0.05, 0.08), Shape.CYLINDER), FOR_99, 0.99),
    MotionRow('lying', 'lying cylinder', 'pick the same cylinder lying on its side',
              _single('red_cylinder', (0.05, 0.05, 0.08), Shape.CYLINDER, lying=True),
              FOR_99, 0.99),
    MotionRow('clutter', 'clutter', 'pick a 40 mm cube, four more 65 to 100 mm from it',
              _clutter, FOR_99, 0.98),
    MotionRow('place', 'place', 'pick a 40 mm cube and place it at a random point',
              _place, FOR_99, 0.99),
    MotionRow('bowl', 'place in bowl', 'put a 40 mm cube in a bowl, 160 mm across',
              _place_in_bowl),
    MotionRow('stack', 'stack of two', 'stack a 40 mm cube on another', _stack, ELSEWHERE, 0.95),
    MotionRow('wall', 'wall', 'pick a 40 mm cube behind a wall, 350 mm high, 130 mm from it',
              _wall, ELSEWHERE, 0.97),
    MotionRow('bin', 'narrow bin',
              'pick a 40 mm cube out of a bin, 118 mm wide inside, 60 mm high', _narrow_bin),
    MotionRow('moved', 'moved mid-pick', 'pick a 40 mm cube that is pushed 60 mm at 1.6 s',
              _moved),
)
CLEAN = CameraNoise()
NOISY = CameraNoise(depth_sigma=0.002, dropout=0.05, exposure=0.8)
OFF = replace(NOISY, calibration_mm=2.0, calibration_deg=0.2)
CAMERA_BAR = 0.95  # of the rate with ground truth, on clean pictures


def _perception_rows() -> Iterator[MotionRow]:
    """Each row with ground truth, then with the camera: clean, noisy, badly calibrated."""
    names = ('cube24', 'cube40', 'cube56', 'bar', 'cylinder', 'lying', 'clutter', 'bowl', 'stack')
    for row in (row for row in MOTION if row.name in names):
        yield replace(row, episodes=ELSEWHERE)
        yield row.with_camera('camera', CLEAN, CAMERA_BAR)
        yield row.with_camera('noisy', NOISY)
        yield row.with_camera('off', OFF)


PERCEPTION = tuple(_perception_rows())


def find_row(name: str) -> MotionRow:
    """The row of that name. A wrong name raises ValueError with the right ones."""
    return find((*PERCEPTION, *MOTION), name)
