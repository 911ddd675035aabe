# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a thing would stay on another one: a judgement by shapes and sizes, before it moves."""

from __future__ import annotations

import itertools
import math

import numpy as np

from replan_agent.domain.scene import SceneObject
from replan_agent.domain.shape import ROUND, Shape

from ..outlines import extents_m
from ..support import footprint
from .free_place import is_top

MOST_OVERHANG = 3.0  # how many times longer than its support is wide a thing may be
CONTAINER_OVERHANG = 1.7  # a bowl is carried by its rim and hangs askew: it needs its whole foot
LEAST_TOP_M = 0.02
LYING, LEVEL = math.cos(math.radians(45)), math.cos(math.radians(5))  # of the top
GRID_M = 0.005
FLAT_SHARE = 0.8  # of the rectangle around the highest part of an irregular thing


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
