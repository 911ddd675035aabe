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
from replan_agent_bench.suite import DrawnRow, find
from replan_agent_bench.worlds import scenes
from replan_agent_bench.worlds.judges import Held, InBowl, Judge, PlacedAt, StackedOn
from replan_agent_bench.worlds.nudge import WorldPush
from replan_agent_bench.worlds.scenes import Size
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


@dataclass(frozen=True)
class MotionRow(DrawnRow[Case]):
    """`perception` is the one that the agent uses, `noise` is that of the camera."""

    perception: str = 'ground_truth'
    noise: CameraNoise = CameraNoise()

    def scene(self, case: Case) -> SceneSpec:
        return SceneSpec(f'bench_{self.name}', self.about, case.objects,
                         camera=CameraSpec(noise=self.noise))

    def with_camera(self, label: str, noise: CameraNoise, bar: float | None = None) -> MotionRow:
        """The same episodes with the camera instead of ground truth."""
        return replace(self, name=f'{self.name}-{label}', title=f'{self.title}, {label}',
                       episodes=ELSEWHERE, bar=bar, perception='camera', noise=noise)


def _pick(target: ObjectSpec, *others: ObjectSpec, supports: tuple[str, ...] = ('table',),
          push: WorldPush | None = None) -> Case:
    return Case((target, *others), f'pick up the {target.name.replace("_", " ")}',
                Intended(target.name, supports), Held(target.name), push)


def _single(name: str, size: Size, shape: Shape = Shape.BOX,
            lying: bool = False) -> Callable[[np.random.Generator], Case]:
    return lambda rng: _pick(scenes.thing(name, size, scenes.point(rng), rng, shape, lying))


def _red_cube(rng: np.random.Generator, radius: Range = scenes.RADIUS_M) -> ObjectSpec:
    return scenes.cube('red_cube', CUBE_M, scenes.point(rng, radius), rng)


def _clutter(rng: np.random.Generator) -> Case:
    target = _red_cube(rng)
    return _pick(target, *scenes.neighbours(target, rng))


def _place(rng: np.random.Generator) -> Case:
    target = _red_cube(rng)
    x, y = scenes.point_away(rng, [target.position[:2]], 0.08)
    where = (round(x, 3), round(y, 3))
    return Case((target,), f'place the red cube at ({where[0]}, {where[1]})',
                Intended(target.name), PlacedAt(target.name, where))


def _place_in_bowl(rng: np.random.Generator) -> Case:
    bowl = scenes.bowl(scenes.point(rng, EASY_RADIUS_M))
    at = scenes.point_away(rng, [bowl.position[:2]], 0.15)
    target = scenes.cube('red_cube', CUBE_M, at, rng)
    return Case((target, bowl), 'put the red cube in the bowl',
                Intended(target.name, ('table', 'bowl')), InBowl(target.name, 'bowl'))


def _stack(rng: np.random.Generator) -> Case:
    lower = scenes.cube('blue_cube', CUBE_M, scenes.point(rng), rng)
    at = scenes.point_away(rng, [lower.position[:2]], 0.12)
    target = scenes.cube('red_cube', CUBE_M, at, rng)
    return Case((target, lower), 'stack the red cube on the blue cube',
                Intended(target.name, ('table', lower.name)), StackedOn(target.name, lower.name))


def _wall(rng: np.random.Generator) -> Case:
    side = float(rng.choice((-1.0, 1.0)))
    x, y = scenes.point(rng, WALL_RADIUS_M, WALL_BEARING_RAD)
    target = scenes.cube('red_cube', CUBE_M, (x, side * y), rng)
    return _pick(target, scenes.wall_beside(target))


def _narrow_bin(rng: np.random.Generator) -> Case:
    box, target = scenes.bin_around(_red_cube(rng, EASY_RADIUS_M), rng)
    return _pick(target, box, supports=('bin_floor',))


def _moved(rng: np.random.Generator) -> Case:
    """The cube is pushed, but stays within reach."""
    target = _red_cube(rng, EASY_RADIUS_M)
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
