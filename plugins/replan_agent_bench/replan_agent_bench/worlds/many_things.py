# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random tables with many things, a bowl and a bin: drawn, and judged by the simulator's poses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from replan_agent.domain.scene import Shape
from replan_agent.domain.shape import CONTAINER_FLOOR_M, CONTAINER_WALL_M
from replan_agent.geometry.judging import is_inside
from replan_agent.geometry.support import up_alignment
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, Range

from . import scenes
from .judges import RESTING_M, STACKED_M, UPRIGHT, All, Judge, PlacedAt, Truth

COLOURS = ('red', 'green', 'blue', 'yellow', 'purple', 'orange', 'cyan')
X_M: Range = (0.30, 0.64)
Y_M: Range = (-0.14, 0.17)
APART_M, IN_BIN_M, FROM_WALL_M = 0.025, 0.004, 0.012
CUBE_M: Range = (0.034, 0.042)
CAN_M: Range = (0.032, 0.042)  # across
CAN_HIGH_M: Range = (0.045, 0.065)
BAR_M: Range = (0.070, 0.100)
BOWL = ObjectSpec('bowl', Shape.BOWL, (0.20, 0.20, 0.06), Colour.named('white'),
                  (0.50, 0.33, None), mass=0.35)
BIN = ObjectSpec('bin', Shape.BIN, (0.28, 0.22, 0.065), Colour.named('grey'), (0.48, -0.32, None),
                 mass=0.8)


@dataclass(frozen=True)
class ManyCase:
    """The objects, the task in words, and the judge."""

    objects: tuple[ObjectSpec, ...]
    task: str
    judge: Judge


def draw_things(rng: np.random.Generator, kinds: Sequence[str]) -> list[ObjectSpec]:
    """Things of these kinds (cube, cylinder, bar) between bowl and bin, each of its own look."""
    looks = [(c, k) for c in rng.permutation(COLOURS) for k in ('cube', 'cylinder', 'bar')]
    found: list[ObjectSpec] = []
    for kind in sorted(kinds, key=lambda k: k != 'bar'):  # the long ones first: they need room
        colour = next(c for c, k in looks if k == kind)
        looks.remove((colour, kind))
        spec = _thing(f'{colour}_{kind}', kind, rng)
        at = _free(spec, found, (X_M, Y_M), APART_M, rng)
        found.append(replace(spec, position=(*at, None)))
    return found


def _free(spec: ObjectSpec, others: Sequence[ObjectSpec], within: Sequence[Range],
          apart_m: float, rng: np.random.Generator) -> scenes.Point:
    """A point within the ranges of x and y at which the thing is apart from the others."""
    def draw() -> scenes.Point:
        return float(rng.uniform(*within[0])), float(rng.uniform(*within[1]))

    return scenes.first(draw, lambda p: all(
        math.dist(p, o.position[:2]) > _radius(spec) + _radius(o) + apart_m for o in others))


def _thing(name: str, kind: str, rng: np.random.Generator) -> ObjectSpec:
    if kind == 'cube':
        return scenes.cube(name, float(rng.uniform(*CUBE_M)), (0, 0), rng)
    if kind == 'bar':
        return scenes.thing(name, (0.024, float(rng.uniform(*BAR_M)), 0.024), (0, 0), rng)
    across = float(rng.uniform(*CAN_M))
    return scenes.thing(name, (across, across, float(rng.uniform(*CAN_HIGH_M))), (0, 0), rng,
                        Shape.CYLINDER)


def _radius(spec: ObjectSpec) -> float:
    if spec.shape is Shape.CYLINDER:
        return spec.size[0] / 2
    return math.hypot(*spec.size[:2]) / 2


def sort(count: int, rng: np.random.Generator) -> ManyCase:
    """A quarter of the things are cylinders for the bowl, the rest is for the bin."""
    cans = max(1, count // 4)
    rest = count - cans
    bars = int(rng.integers(max(0, rest - len(COLOURS)), 1 + rest // 2))
    kinds = ['cylinder'] * cans + ['bar'] * bars + ['cube'] * (rest - bars)
    things = draw_things(rng, kinds)
    homes = {t.name: 'bowl' if t.shape is Shape.CYLINDER else 'bin' for t in things}
    return ManyCase((*things, BOWL, BIN),
                    'put the cylinders in the bowl and everything else in the bin', Sorted(homes))


def swap(rng: np.random.Generator) -> ManyCase:
    things = draw_things(rng, ['cube', 'cube', 'cylinder', 'bar'])
    one, other = (t for t in things if t.name.endswith('cube'))
    names = [t.name.replace('_', ' ') for t in (one, other)]
    return ManyCase((*things, BOWL, BIN), f'swap the {names[0]} and the {names[1]}', All((
        PlacedAt(one.name, other.position[:2]), PlacedAt(other.name, one.position[:2]))))


def tower(count: int, rng: np.random.Generator) -> ManyCase:
    things = draw_things(rng, ['cube'] * count)
    words = {3: 'three', 4: 'four'}[count]
    return ManyCase((*things, BOWL, BIN), f'build a tower of {words} cubes',
                    Tower(tuple(t.name for t in things)))


def empty(rng: np.random.Generator) -> ManyCase:
    """Four things in the bin, somewhere on its floor."""
    things = draw_things(rng, ['cube', 'cube', 'cube', 'cylinder'])
    half = [side / 2 - CONTAINER_WALL_M for side in BIN.size[:2]]
    inside: list[ObjectSpec] = []
    for spec in sorted(things, key=_radius, reverse=True):
        room = [h - _radius(spec) - FROM_WALL_M for h in half]
        within = [(c - e, c + e) for c, e in zip(BIN.position[:2], room)]
        at = _free(spec, inside, within, IN_BIN_M, rng)
        inside.append(replace(spec, position=(*at, CONTAINER_FLOOR_M + spec.size[2] / 2 + 0.001)))
    return ManyCase((*inside, BOWL, BIN), 'empty the bin',
                    Emptied(tuple(t.name for t in inside)))


@dataclass(frozen=True)
class Sorted:
    """Every thing is in its container, which stands upright."""

    homes: dict[str, str]

    def __call__(self, truth: Truth) -> str:
        wrong = [name for name, home in self.homes.items()
                 if not is_inside(truth.object(name), truth.object(home))
                 or up_alignment(truth.object(home)) < UPRIGHT]
        return (f'not in its container: {", ".join(wrong)}' if wrong else
                '; '.join(filter(None, map(truth.let_go, self.homes))))


@dataclass(frozen=True)
class Tower:
    """Each stands on the next lower one, the lowest on the table."""

    names: tuple[str, ...]

    def __call__(self, truth: Truth) -> str:
        things = sorted(map(truth.object, self.names), key=lambda thing: thing.position[2])
        if abs(things[0].bottom_z - truth.object('table').top_z) > RESTING_M:
            return f'{things[0].name} does not stand on the table'
        for lower, upper in zip(things, things[1:]):
            gap, away = upper.bottom_z - lower.top_z, math.dist(upper.position[:2],
                                                                lower.position[:2])
            if abs(gap) > RESTING_M or away > STACKED_M:
                return (f'{upper.name} is {1000 * away:.0f} mm beside and {1000 * gap:.0f} mm '
                        f'above the top of {lower.name}')
        return '; '.join(filter(None, map(truth.let_go, self.names)))


@dataclass(frozen=True)
class Emptied:
    """Nothing is in the bin, everything is on the table."""

    names: tuple[str, ...]

    def __call__(self, truth: Truth) -> str:
        table = truth.object('table')
        wrong = [t.name for t in map(truth.object, self.names)
                 if is_inside(t, truth.object('bin')) or t.bottom_z < table.top_z - RESTING_M]
        return f'in the bin or off the table: {", ".join(wrong)}' if wrong else ''
