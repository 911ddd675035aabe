# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scenes in which one of the decisions after a local action is the right one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from replan_agent.domain.local_planning import Decision
from replan_agent.domain.scene import Shape

from ..mishaps import HiddenBy
from .blocked_scenes import (
    COLOURS,
    STARTS_ABOVE_M,
    TOO_HEAVY,
    Blocked,
    Rng,
    beside,
    box,
    centre,
    occupied,
    pit,
    side_of,
)
from .meddling import Meddler

BLOCK_M = 0.03


def deciding(draw: Callable[[Rng], Blocked], decision: Decision) -> Callable[[Rng], Blocked]:
    """The same scene, in which this decision must be made."""
    return lambda rng: replace(draw(rng), decides=decision)


def heavy_place(rng: Rng) -> Blocked:
    """What stands on the place cannot be lifted, which must be found out. It can be pushed."""
    case = occupied('one')(rng)
    red, blue = case.objects
    return replace(case, objects=(red, replace(blue, **TOO_HEAVY)),  # type: ignore[arg-type]
                   decides=Decision.EXPLORE)


def late_wall(rng: Rng) -> Blocked:
    """The pit, of which the cube hides one wall: to move the cube seems to help."""
    return replace(pit(rng), mishap=HiddenBy(('grey_wall0',), 'yellow_cube'),
                   decides=Decision.REVERT)


def late_walls_below(count: int) -> Callable[[Rng], Blocked]:
    """A stack on top hides walls all around: to take it off seems to help."""
    def draw(rng: Rng) -> Blocked:
        at, side = centre(rng), side_of(rng)
        things = [box('red_cube', at, side)]
        for k in range(4):
            x, y, yaw = beside(at, k, side / 2 + rng.uniform(0.004, 0.007) + 0.005)
            things.append(box(f'grey_wall{k}', (x, y, yaw + k * math.pi / 2), (0.01, side, side),
                              shape=Shape.WALL, fixed=True))
        things += [box(f'{COLOURS[k]}_cube', at, side, on=(k + 1) * (side + STARTS_ABOVE_M))
                   for k in range(count)]
        walls = tuple(o.name for o in things if o.fixed)
        return Blocked(tuple(things), decides=Decision.REVERT,
                       mishap=HiddenBy(walls, f'{COLOURS[0]}_cube'))
    return draw


def meddled(draw: Callable[[Rng], Blocked], onto: str) -> Callable[[Rng], Blocked]:
    """Somebody puts two more blocks on a thing whenever something is put aside."""
    def drawn(rng: Rng) -> Blocked:
        case = draw(rng)
        blocks = [box(f'{COLOURS[4 + k]}_block', (0.30 + 0.09 * (k % 3), 0.40 + 0.09 * (k // 3),
                                                  0.0), BLOCK_M) for k in range(6)]
        return replace(case, objects=(*case.objects, *blocks), decides=Decision.CANCEL,
                       meddler=Meddler(onto, tuple(block.name for block in blocks)))
    return drawn
