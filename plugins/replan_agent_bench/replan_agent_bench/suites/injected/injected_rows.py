# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rows of the recovery benchmark in which faults are injected, as in the literature.

In each step something goes wrong with a probability, as LERa and DoReMi do it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec
from replan_agent_bench.worlds import scenes
from replan_agent_bench.worlds.injections import RandomFaults
from replan_agent_bench.worlds.judges import All, InBowl, PlacedAt, StackedOn

from ..troubles import CUBE_M, NEAR_M, Trouble, TroubleRow

APART_M = 0.15
PROBABILITIES = (0.0, 0.1, 0.2, 0.3)


def _injected(probability: float, rng: np.random.Generator) -> Trouble:
    """Two things to bring somewhere, in four steps: the same for each probability."""
    kind, points = int(rng.integers(3)), _points(rng, 5)
    a, b, c = (scenes.cube(f'{colour}_cube', CUBE_M, at, rng)
               for colour, at in zip(('red', 'blue', 'green'), points))
    (x, y), (u, v) = ((round(p[0], 3), round(p[1], 3)) for p in points[3:])
    things: tuple[ObjectSpec, ...]
    faults_seed = int(rng.integers(2**31))
    if kind == 0:
        things, task = (a, b, scenes.bowl((x, y))), (
            'put the red cube in the bowl then put the blue cube in the bowl')
        judge = All((InBowl(a.name, 'bowl'), InBowl(b.name, 'bowl')))
    elif kind == 1:
        things, task = (a, b), (f'place the red cube at ({x}, {y}) then place the blue cube at '
                                f'({u}, {v})')
        judge = All((PlacedAt(a.name, (x, y)), PlacedAt(b.name, (u, v))))
    else:
        things, task = (a, b, c), ('stack the red cube on the blue cube then place the green '
                                   f'cube at ({x}, {y})')
        judge = All((StackedOn(a.name, b.name), PlacedAt(c.name, (x, y))))
    return Trouble(things, task, judge, injection=lambda: RandomFaults(probability, faults_seed))


def _points(rng: np.random.Generator, count: int) -> list[scenes.Point]:
    found: list[scenes.Point] = []
    for _ in range(count):
        found.append(scenes.point_away(rng, found, APART_M, NEAR_M))
    return found


INJECTED = tuple(
    TroubleRow(f'inject{round(10 * p)}', f'{round(100 * p)} % of the steps disturbed',
               'a drop, a miss, a shove, an occlusion, a wrong label, a late or aborted '
               f'controller, or a disturbed place in {round(100 * p)} % of the steps',
               partial(_injected, p)) for p in PROBABILITIES)
