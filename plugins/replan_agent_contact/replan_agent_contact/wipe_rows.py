# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random stains and sponges for the suite `contact`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from replan_agent_bench.suite import DrawnRow

from replan_agent import SceneObject

from .contact_rows import ContactCase, Random, Values, cube
from .furnished_world import FurnishedWorld
from .stain import CLEAN, Stain
from .wiping import FORCE_N, HIGH

OFF_M, OFF_Z_M = 0.002, 0.001  # a stain is seen so far from where it is, at most
SNATCH_N, SNATCH_S, AFTER_S = 60.0, 0.5, 1.0  # somebody pulls the sponge out of the hand
EVERY_S = 0.002


def wipe_stain(random: Random) -> ContactCase:
    values = dirty(random)
    dx, dy = (float(v) for v in random.uniform(-OFF_M, OFF_M, 2))
    dz = float(random.uniform(-OFF_Z_M, OFF_Z_M))

    def seen(thing: SceneObject) -> SceneObject:
        is_stain = isinstance(thing, Stain)
        return replace(thing, pose=thing.pose.moved(dx, dy, dz)) if is_stain else thing

    return ContactCase(values, 'wipe the stain', is_clean, limit_n=HIGH * FORCE_N, seen=seen)


def blocked_stain(random: Random) -> ContactCase:
    """A cube stands on it."""
    case = wipe_stain(random)
    (stain,) = case.values['stains']
    aside = random.uniform(-0.4, 0.4, 2) * stain['size']
    c, s = math.cos(stain['yaw']), math.sin(stain['yaw'])
    at = [round(float(stain['position'][0] + c * aside[0] - s * aside[1]), 3),
          round(float(stain['position'][1] + s * aside[0] + c * aside[1]), 3)]
    case.values['objects'].append({**cube(random), 'position': at})
    return case


def snatched(random: Random) -> ContactCase:
    """Somebody pulls the sponge away while the stain is wiped, once."""
    way = float(random.uniform(-math.pi, math.pi))

    def start(world: FurnishedWorld) -> None:
        began: list[float] = []

        def pull() -> None:
            if not world.dirt[0].is_there.all() and not began:
                began.append(world.time)
            past = world.time - began[0] - AFTER_S if began else -1.0
            force = SNATCH_N * (0 <= past < SNATCH_S)
            world.data.body('sponge').xfrc_applied[:2] = force * np.array(
                [math.cos(way), math.sin(way)])

        world.on_step(pull, EVERY_S)

    return replace(wipe_stain(random), start=start, limit_n=math.inf)


WIPE_ROWS: tuple[DrawnRow[ContactCase], ...] = (
    DrawnRow('wipe', 'wipe a stain', 'with a sponge that lies beside it', wipe_stain, bar=0.95),
    DrawnRow('wipe_blocked', 'wipe a stain that a cube stands on', 'the cube is taken away',
             blocked_stain, bar=0.95),
    DrawnRow('wipe_snatched', 'wipe a stain', 'the sponge is pulled out of the hand once',
             snatched, bar=0.95))


def is_clean(world: FurnishedWorld) -> Iterator[str]:
    left = float(world.dirt[0].is_there.mean())
    if left > CLEAN:
        yield f'{left:.0%} of the stain is left'


def dirty(random: Random) -> Values:
    """A stain in front of the arm, and a sponge or a cloth at its side."""
    bearing, far = random.uniform(-0.45, 0.45), random.uniform(0.42, 0.58)
    side = float(random.choice([-1.0, 1.0]))
    beside, away = bearing + side * random.uniform(0.7, 1.0), random.uniform(0.40, 0.52)
    sponge = [round(float(random.uniform(*limits)), 3)
              for limits in ((0.07, 0.11), (0.04, 0.065), (0.03, 0.045))]
    return {
        'objects': [{'name': 'sponge', 'shape': 'box', 'size': sponge, 'colour': 'yellow',
                     'mass': round(float(random.uniform(0.02, 0.06)), 3), **_at(beside, away),
                     'yaw': round(float(random.uniform(-1.5, 1.5)), 2)}],
        'stains': [{'name': 'stain', 'size': [round(float(random.uniform(0.05, 0.15)), 3),
                                              round(float(random.uniform(0.05, 0.18)), 3)],
                    **_at(bearing, far), 'yaw': round(float(random.uniform(-1.5, 1.5)), 2)}]}


def _at(bearing: float, far: float) -> Values:
    return {'position': [round(float(far * math.cos(bearing)), 3),
                         round(float(far * math.sin(bearing)), 3)]}
