# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Measures how far off the camera's things are: in simulation, where the truth is known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.scenes_by_name import scene_named
from replan_agent.app.build.share import share_path
from replan_agent.app.build.twin import material_m3
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.domain.scene import GROUND_TRUTH, Scene, SceneObject, Shape
from replan_agent.robot.mujoco.scene.scene_file import list_scenes
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec, SceneSpec

from .drawn_hand import Pressed, pressed
from .uncertainty import Uncertainty

SAME_M = 0.06  # what is seen farther from every true thing is no measurement of one
LEAST_VOLUME_M3 = 1e-7


@dataclass(frozen=True)
class Seen:
    """One thing in two looks of the same camera at the same scene."""

    off_m: tuple[float, float]
    later_m: tuple[float, float]
    yaw_rad: float | None
    longer_m: tuple[float, ...]


def looks(scene: SceneSpec, config: Config, seed: int) -> tuple[Seen, ...]:
    """What the camera sees in the scene, against the truth."""
    with Simulation(scene, config=replace(config, perception='camera', approver='none'),
                    seed=seed) as sim:
        truth = sim.world.true_objects()
        first, second = (sim.perception.observe(Context()) for _ in range(2))
        return tuple(_compared(truth, first, second))


def _compared(truth: Sequence[SceneObject], first: Scene, second: Scene) -> Iterator[Seen]:
    for true in truth:
        if true.shape is Shape.TABLE or not true.movable:
            continue
        one, two = _nearest(true, first), _nearest(true, second)
        if one is None or two is None:
            continue
        off, later = (_off(true, seen) for seen in (one, two))
        alike = one.shape is true.shape and not true.pieces
        yield Seen(off, later, _turned(true, one) if alike else None,
                   _longer(true, one) if alike else ())


def _nearest(true: SceneObject, scene: Scene) -> SceneObject | None:
    near = [o for o in scene.objects if o.colour == true.colour and o.shape is not Shape.TABLE
            and math.dist(o.position[:2], true.position[:2]) < SAME_M]
    return min(near, key=lambda o: math.dist(o.position, true.position), default=None)


def _off(true: SceneObject, seen: SceneObject) -> tuple[float, float]:
    return (seen.position[0] - true.position[0], seen.position[1] - true.position[1])


def _turned(true: SceneObject, seen: SceneObject) -> float | None:
    """How far it is turned (rad). Which of its sides is the longer one is not told by a turn."""
    if true.shape is not Shape.BOX:
        return None
    off = (seen.pose.yaw - true.pose.yaw) % (math.pi / 2)
    return min(off, math.pi / 2 - off)


def _longer(true: SceneObject, seen: SceneObject) -> tuple[float, ...]:
    return tuple(a - b for a, b in zip(sorted(seen.size), sorted(true.size)))


def deviations(scenes: Sequence[Sequence[Seen]], source: str) -> Uncertainty:
    """The standard deviations behind these measurements, of several scenes with their cameras."""
    scenes = [scene for scene in scenes if scene]
    every = [seen for scene in scenes for seen in scene]
    jitter = np.array([np.subtract(s.off_m, s.later_m) for s in every])
    look = float(np.sqrt(np.mean(jitter ** 2) / 2))
    inside = [np.var([s.off_m for s in scene], axis=0, ddof=1).mean()
              for scene in scenes if len(scene) > 1]
    own2 = max(0.0, float(np.mean(inside)) - look ** 2) if inside else 0.0
    means = np.array([np.mean([s.off_m for s in scene], axis=0) for scene in scenes])
    share = float(np.mean([1 / len(scene) for scene in scenes]))
    common2 = max(0.0, float(np.mean(means ** 2)) - (own2 + look ** 2) * share)
    turned = [s.yaw_rad for s in every if s.yaw_rad is not None]
    longer = [length for s in every for length in s.longer_m]
    return Uncertainty(
        common_m=_short(math.sqrt(common2)), own_m=_short(math.sqrt(own2)), look_m=_short(look),
        yaw_rad=_short(_root_mean_square(turned)), size_m=_short(_root_mean_square(longer)),
        source=source)


def grasp(scene: SceneSpec, task: str, config: Config, seed: int) -> Pressed | None:
    """How the hand presses on what it has picked up; None if it holds nothing."""
    with Simulation(scene, config=replace(config, perception=GROUND_TRUTH, approver='auto'),
                    seed=seed) as sim:
        return pressed(sim.world) if sim.run(task).success else None


def spread(grasps: Sequence[Pressed]) -> tuple[float, float]:
    """How far force (a share) and middle (m) are from what the arm thinks, one deviation each."""
    return (_root_mean_square([pad / each.motor_n - 1 for each in grasps for pad in each.pads_n]),
            _root_mean_square([each.beside_m for each in grasps]))


def _root_mean_square(values: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if values else 0.0


def _short(value: float) -> float:
    return round(value, 5)


def properties(source: str, grasps: Sequence[Pressed] = ()) -> Uncertainty:
    """Friction and density of the things of the scenes that come with replan_agent.

    And how far the hand was from what the arm thinks in these grasps.
    """
    things = [thing for scene in list_scenes(share_path('config', 'scenes'))
              for thing in _things(scene)]
    grip, fingers_m = spread(grasps)
    return Uncertainty(grip=round(grip, 4), fingers_m=_short(fingers_m),
                       friction=tuple(thing.friction for thing in things),
                       density=tuple(round(thing.mass / _volume(thing)) for thing in things),
                       source=source)


def _things(scene: str) -> list[ObjectSpec]:
    return [thing for thing in scene_named(scene).objects if not thing.fixed]


def _volume(thing: ObjectSpec) -> float:
    return max(LEAST_VOLUME_M3, material_m3(thing))
