# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stacks of loose things, what would stay on another one, and how big a thing is."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from replan_agent.domain.kinds import is_loose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.shape import ROUND, Shape, Solid
from replan_agent.domain.skill_effect import FLAT_ON_TOP

from .judging import is_resting_on
from .outlines import extents_m
from .room.free_place import is_top
from .support import footprint

MOST_OVERHANG = 3.0  # how many times longer than its support is wide a thing may be
CONTAINER_OVERHANG = 1.7  # a bowl is carried by its rim and hangs askew: it needs its whole foot
LEAST_TOP_M = 0.02
LYING, LEVEL = math.cos(math.radians(45)), math.cos(math.radians(5))  # of the top
GRID_M = 0.005
FLAT_SHARE = 0.8  # of the rectangle around the highest part of an irregular thing


def below_it(thing: SceneObject, scene: Scene) -> list[SceneObject]:
    """The loose things of the stack below it, the next one first."""
    below = next((o for o in scene.without([thing.name]) if is_loose(o)
                  and is_resting_on(thing, o, scene)), None)
    return [below, *below_it(below, scene)] if below is not None else []


def foot_of(thing: SceneObject, scene: Scene) -> SceneObject:
    """The lowest loose thing of the stack that it is on; itself if it is on none."""
    return [thing, *below_it(thing, scene)][-1]


def tower_of(thing: SceneObject, scene: Scene) -> list[SceneObject]:
    """All loose things of the stack that it is part of."""
    foot = foot_of(thing, scene)
    return [o for o in scene.objects if is_loose(o) and foot_of(o, scene) == foot]


def is_stacked(thing: SceneObject, scene: Scene) -> bool:
    """Whether it is part of a stack of loose things."""
    return is_loose(thing) and len(tower_of(thing, scene)) > 1


def height(thing: SceneObject) -> float:
    return thing.top_z - thing.bottom_z


def volume(thing: Solid) -> float:
    """How big it is (m³): what is known of its solid, or the box around it."""
    if thing.pieces:
        return sum(piece.volume for piece in thing.pieces)
    share = {Shape.SPHERE: math.pi / 6, Shape.CYLINDER: math.pi / 4}.get(thing.shape, 1.0)
    return share * math.prod(thing.size)


def bottom_up(things: Sequence[SceneObject]) -> list[str]:
    """An order to stack them: flat tops below, the widest first."""
    return [o.name for o in sorted(
        things, key=lambda o: (o.shape not in FLAT_ON_TOP, -min(o.size[:2])))]


def why_unsteady(thing: SceneObject | None, below: SceneObject) -> str:
    """Why it would not stay on `below`, in words; '' if it would. None: is it for anything?"""
    if below.shape is Shape.SPHERE:
        return f'{below.name} is a ball'
    if below.shape is Shape.TABLE:
        return ''
    level = np.abs(below.pose.rotation[2, 2:] if below.shape in ROUND else below.pose.rotation[2])
    if below.shape in ROUND and level.max() < LYING:
        return f'{below.name} is round and lies on its side'
    if level.max() < LEVEL and not below.pieces:
        return f'{below.name} leans by {np.degrees(np.arccos(level.max())):.0f} degrees'
    width = _flat_width_m(below)
    if width < LEAST_TOP_M:
        return (f'the top of {below.name} is not flat, or less than '
                f'{LEAST_TOP_M * 1000:.0f} mm wide')
    long = extents_m(thing)[0] if thing is not None and thing.shape is not Shape.SPHERE else 0.0
    most = CONTAINER_OVERHANG if thing is not None and thing.is_container else MOST_OVERHANG
    return '' if thing is None or long <= most * width else (
        f'{thing.name} is {long * 1000:.0f} mm long, and the top of {below.name} is only '
        f'{width * 1000:.0f} mm wide')


def _flat_width_m(below: SceneObject) -> float:
    """The width (m) of its flat top; 0 for a top that is not flat."""
    if not below.pieces:
        return extents_m(below)[1]
    far, (x, y, _) = footprint(below), below.position
    steps = np.arange(-far, far + GRID_M, GRID_M)
    level = [at for at in itertools.product(steps, steps) if is_top(below, x + at[0], y + at[1])]
    sides = np.ptp(np.asarray(level or [(0.0, 0.0)]), axis=0) + GRID_M
    is_flat = len(level) * GRID_M ** 2 >= FLAT_SHARE * float(np.prod(sides))
    return float(sides.min()) if is_flat else 0.0
