# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random scenes: objects in front of the arm that do not overlap."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Shape
from replan_agent.domain.shape import CONTAINER_FLOOR_M
from replan_agent.robot.mujoco.scene.placement import Placed, height_above, overlap
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, Range

from .space import FRANKA, Size, Space

Point = tuple[float, float]

RADIUS_M: Range = (0.30, 0.72)
BEARING_RAD: Range = (-math.pi / 4, math.pi / 4)
DENSITY = 900.0  # kg/m³: a 40 mm cube weighs 58 g
ATTEMPTS = 10_000

WALL_SIZE: Size = (0.30, 0.02, 0.35)
WALL_FROM_TARGET_M = 0.13
BIN_SIZE: Size = (0.13, 0.13, 0.06)
BIN_FOR_M = 0.04  # the cube that it is made for
BIN_PLAY_M = 0.006  # how far off the middle of the bin the cube may be, in x and y
BOWL_SIZE: Size = (0.16, 0.16, 0.055)
NEIGHBOURS = ('blue', 'green', 'yellow', 'purple')
NEIGHBOUR_AWAY_M: Range = (0.065, 0.100)


def point(rng: np.random.Generator, radius: Range = RADIUS_M,
          bearing: Range = BEARING_RAD) -> Point:
    """A point in front of the arm, uniform between the radii (m) and bearings (rad)."""
    r = math.sqrt(rng.uniform(radius[0] ** 2, radius[1] ** 2))
    angle = rng.uniform(*bearing)
    return r * math.cos(angle), r * math.sin(angle)


def point_away(rng: np.random.Generator, others: Sequence[Point], least_m: float,
               radius: Range = RADIUS_M) -> Point:
    """A point that is at least `least_m` from all of `others`."""
    return first(lambda: point(rng, radius),
                 lambda p: all(math.dist(p, other) >= least_m for other in others))


def first(draw: Callable[[], Point], fits: Callable[[Point], bool]) -> Point:
    """The first draw that fits."""
    for _ in range(ATTEMPTS):
        drawn = draw()
        if fits(drawn):
            return drawn
    raise RuntimeError(f'nothing fits after {ATTEMPTS} draws: the row asks for too much')


def thing(name: str, size: Size, at: Point, rng: np.random.Generator,
          shape: Shape = Shape.BOX, lying: bool = False) -> ObjectSpec:
    """A movable object on the table at any yaw; `lying` puts its own z axis level.

    Its colour is the first word of its name.
    """
    yaw = float(rng.uniform(-math.pi, math.pi))
    volume = math.prod(size) * (math.pi / 4 if shape is Shape.CYLINDER else 1.0)
    return ObjectSpec(name, shape, size, Colour.named(name.split('_')[0]), (*at, None),
                      (math.pi / 2 if lying else 0.0, 0.0, yaw), mass=DENSITY * volume)


def cube(name: str, side_m: float, at: Point, rng: np.random.Generator) -> ObjectSpec:
    return thing(name, (side_m, side_m, side_m), at, rng)


def neighbours(target: ObjectSpec, rng: np.random.Generator,
               space: Space = FRANKA) -> tuple[ObjectSpec, ...]:
    """Four 40 mm cubes around the target, their centres 65 to 100 mm from its centre."""
    placed = [_placed(target)]
    for colour in NEIGHBOURS:
        for _ in range(ATTEMPTS):
            away = space.wide * rng.uniform(*NEIGHBOUR_AWAY_M)
            angle = rng.uniform(-math.pi, math.pi)
            at = (target.position[0] + away * math.cos(angle),
                  target.position[1] + away * math.sin(angle))
            one = _placed(cube(f'{colour}_cube', 0.04 * space.wide, at, rng))
            if not any(overlap(one, other) for other in placed):
                placed.append(one)
                break
        else:
            # The yaws left no room for the last one: start again.
            return neighbours(target, rng, space)
    return tuple(one.spec for one in placed[1:])


def wall_beside(target: ObjectSpec, space: Space = FRANKA) -> ObjectSpec:
    """A wall 13 cm to the home side of a target, along the arm's own direction to it.

    Home is straight ahead, so the hand has to rise over the wall or go around its far end.
    """
    x, y, _ = target.position
    bearing = math.atan2(y, x)
    side = -math.copysign(1.0, bearing)
    offset = WALL_FROM_TARGET_M + WALL_SIZE[1] / 2
    at = (x - side * offset * math.sin(bearing), y + side * offset * math.cos(bearing), None)
    length, thickness, height = WALL_SIZE
    size = (space.far * length, thickness, space.far * height)
    return ObjectSpec('wall', Shape.WALL, size, Colour.named('grey'), at,
                      (0.0, 0.0, bearing), fixed=True)


def bin_around(target: ObjectSpec, rng: np.random.Generator,
               space: Space = FRANKA) -> tuple[ObjectSpec, ObjectSpec]:
    """The target on the floor of a bin, a little off its middle; the bin, and the target in it."""
    x, y, _ = target.position
    dx, dy = rng.uniform(-BIN_PLAY_M, BIN_PLAY_M, 2)
    across = space.around_hand(BIN_SIZE[0], BIN_FOR_M)
    size = (across, across, BIN_SIZE[2])
    box = ObjectSpec('bin', Shape.BIN, size, Colour.named('grey'), (x, y, None),
                     (0.0, 0.0, float(rng.uniform(-math.pi, math.pi))), mass=0.35)
    z = CONTAINER_FLOOR_M + target.size[2] / 2 + 0.0005
    return box, replace(target, position=(x + dx, y + dy, z))


def bowl(at: Point) -> ObjectSpec:
    return ObjectSpec('bowl', Shape.BOWL, BOWL_SIZE, Colour.named('white'), (*at, None), mass=0.25)


def _placed(spec: ObjectSpec) -> Placed:
    x, y, _ = spec.position
    pose = Pose.from_rpy(x, y, 0.0, *spec.rpy)
    return Placed(spec, Pose((x, y, height_above(spec, pose)), pose.quaternion))
