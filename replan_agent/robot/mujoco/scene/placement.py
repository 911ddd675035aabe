# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a scene's objects stand for one seed: sampled inside their ranges, without overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.shape import Shape, reach

from .scene_spec import ObjectSpec, Range, SceneSpec

CLEARANCE_M = 0.01
ATTEMPTS = 2000


@dataclass(frozen=True)
class Placed:
    """An object and the pose of its centre in the base frame."""

    spec: ObjectSpec
    pose: Pose


def thing_at(placed: Placed, pose: Pose | None = None, seen_at: float = 0.0) -> SceneObject:
    """The object as it truly is, at its own pose or another."""
    spec = placed.spec
    return SceneObject(name=spec.name, shape=spec.shape, size=spec.size, pose=pose or placed.pose,
                       colour=spec.colour.name, movable=not spec.fixed, seen_at=seen_at,
                       pieces=spec.pieces)


def table_of(scene: SceneSpec, seen_at: float = 0.0) -> SceneObject:
    table = scene.table
    centre = (*table.position, table.height - table.thickness / 2)
    return SceneObject(name='table', shape=Shape.TABLE, size=(*table.size, table.thickness),
                       pose=Pose(centre), colour=table.colour.name, movable=False, seen_at=seen_at)


def place(scene: SceneSpec, seed: int) -> tuple[Placed, ...]:
    """Every object with its pose, in the scene's order; the same seed gives the same poses."""
    rng = np.random.default_rng(seed)
    # Objects with fixed places come first, so that sampled ones keep clear of them.
    order = sorted(scene.objects, key=lambda spec: spec.randomize is not None)
    done: dict[str, Placed] = {}
    for spec in order:
        done[spec.name] = _place_one(scene, spec, tuple(done.values()), rng)
    return tuple(done[spec.name] for spec in scene.objects)


def _place_one(scene: SceneSpec, spec: ObjectSpec, others: tuple[Placed, ...],
               rng: np.random.Generator) -> Placed:
    if spec.randomize is None:
        return Placed(spec, _pose(scene, spec, *spec.position[:2], spec.rpy[2]))
    for _ in range(ATTEMPTS):
        placed = Placed(spec, _pose(scene, spec, *_sample(spec, rng)))
        if not any(overlap(placed, other) for other in others):
            return placed
    raise ConfigError(
        f'scene {scene.name}: object {spec.name}: no free place in its randomize ranges after '
        f'{ATTEMPTS} samples; widen them or move: {", ".join(o.spec.name for o in others)}')


def _sample(spec: ObjectSpec, rng: np.random.Generator) -> tuple[float, float, float]:
    ranges = spec.randomize
    assert ranges is not None

    def draw(range_: Range | None, fallback: float) -> float:
        return float(rng.uniform(*range_)) if range_ else fallback

    yaw = draw(ranges.yaw, spec.rpy[2])
    if ranges.radius:
        angle = draw(ranges.angle, 0.0)
        # The square is uniform, so that the object is uniform over the area.
        radius = math.sqrt(rng.uniform(ranges.radius[0] ** 2, ranges.radius[1] ** 2))
        return radius * math.cos(angle), radius * math.sin(angle), yaw
    return draw(ranges.x, spec.position[0]), draw(ranges.y, spec.position[1]), yaw


def _pose(scene: SceneSpec, spec: ObjectSpec, x: float, y: float, yaw: float) -> Pose:
    roll, pitch, _ = spec.rpy
    pose = Pose.from_rpy(x, y, 0.0, roll, pitch, yaw)
    z = spec.position[2]
    if z is None:
        z = scene.table.height + height_above(spec, pose)
    return Pose((x, y, z), pose.quaternion)


def height_above(spec: ObjectSpec, pose: Pose) -> float:
    """How high (m) the object's centre is above its lowest point at this orientation."""
    return float(reach(spec, -pose.matrix()[2, :3]))


def overlap(a: Placed, b: Placed, clearance_m: float = CLEARANCE_M) -> bool:
    """Whether the two are closer than the clearance, seen from above, at a common height."""
    above, below = (a, b) if a.pose.position[2] > b.pose.position[2] else (b, a)
    if above.pose.position[2] - below.pose.position[2] > (
            height_above(above.spec, above.pose)
            + float(reach(below.spec, below.pose.matrix()[2, :3]))):
        return False
    gap = np.asarray(b.pose.position[:2]) - np.asarray(a.pose.position[:2])
    axes = [*_axes(a), *_axes(b), gap / (np.linalg.norm(gap) or 1.0)]
    axes = [axis if axis @ gap >= 0 else -axis for axis in axes]
    return all(axis @ gap < _reach(a, axis) + _reach(b, -axis) + clearance_m for axis in axes)


def _axes(placed: Placed) -> list[FloatArray]:
    yaw = placed.pose.yaw
    return [np.array([math.cos(yaw), math.sin(yaw)]), np.array([-math.sin(yaw), math.cos(yaw)])]


def _reach(placed: Placed, axis: FloatArray) -> float:
    """How far (m) the object extends from its centre along a horizontal unit axis."""
    return float(reach(placed.spec, axis @ placed.pose.matrix()[:2, :3]))
