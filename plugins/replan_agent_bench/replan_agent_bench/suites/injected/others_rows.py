# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rows of the recovery benchmark in which another agent changes the world, or glass is there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from replan_agent.domain import event as events
from replan_agent.domain.plan import Step
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec
from replan_agent_bench.worlds import scenes
from replan_agent_bench.worlds.faults import moved_by_another
from replan_agent_bench.worlds.injections import Injector
from replan_agent_bench.worlds.judges import All, Held, InBowl

from ..troubles import CUBE_M, NEAR_M, Trouble, TroubleRow

APART_M = 0.17
IN_BOWL_M = 0.03  # beside the middle of the bowl, and above its floor: where a cube is let go
ABOVE_M = 0.06
PANE_M = (0.24, 0.006, 0.16)  # a pane of glass that stands on its edge
PANE_AWAY_M = 0.07
BOTH = 'put the red cube in the bowl then put the blue cube in the bowl'

Point3 = tuple[float, float, float]


class Another(Injector):
    """Another agent: after `steps` successful ones it puts `name` to `there`.

    If it then puts it `back`, it does so as soon as a new plan begins to run.
    """

    def __init__(self, name: str, steps: int, there: Point3, back: Point3 | None = None) -> None:
        super().__init__()
        self._name, self._steps, self._there, self._back = name, steps, there, back
        self._first_plan = 1

    def step_finished(self, event: events.StepFinished) -> None:
        self._steps -= event.result.success
        if self._steps == 0 and not self.injected:
            self.happened()
            self._first_plan = event.plan_version
            moved_by_another(self.cell.world, self._name, self._there)

    def step_started(self, step: Step, plan_version: int) -> None:
        if self.injected and self._back is not None and plan_version > self._first_plan:
            moved_by_another(self.cell.world, self._name, self._back)
            self._back = None


def _two_and_a_bowl(rng: np.random.Generator) -> tuple[ObjectSpec, ObjectSpec, ObjectSpec, Point3]:
    """Two cubes, a bowl, and where a cube is let go in it."""
    points: list[scenes.Point] = []
    for _ in range(3):
        points.append(scenes.point_away(rng, points, APART_M, NEAR_M))
    red, blue = (scenes.cube(f'{colour}_cube', CUBE_M, at, rng)
                 for colour, at in zip(('red', 'blue'), points))
    x, y = points[2]
    return red, blue, scenes.bowl((x, y)), (x + IN_BOWL_M, y, ABOVE_M)


def _met_by_itself(rng: np.random.Generator) -> Trouble:
    red, blue, bowl, inside = _two_and_a_bowl(rng)
    return Trouble((red, blue, bowl), BOTH, _both_in(red, blue),
                   injection=partial(Another, blue.name, 1, inside))


def _restored(rng: np.random.Generator) -> Trouble:
    red, blue, bowl, inside = _two_and_a_bowl(rng)
    x, y, _ = red.position
    return Trouble((red, blue, bowl), BOTH, _both_in(red, blue), injection=partial(
        Another, red.name, 3, (x, y, CUBE_M / 2 + 0.002), inside))


def _both_in(red: ObjectSpec, blue: ObjectSpec) -> All:
    return All((InBowl(red.name, 'bowl'), InBowl(blue.name, 'bowl')))


def _hidden_pane(rng: np.random.Generator) -> Trouble:
    """A pane of glass between home and the cube: the hand must come over it, turned along it."""
    target = scenes.cube('red_cube', CUBE_M, scenes.point(rng, NEAR_M), rng)
    wall = scenes.wall_beside(target)
    x, y, _ = target.position
    share = PANE_AWAY_M / scenes.WALL_FROM_TARGET_M
    at = (x + share * (wall.position[0] - x), y + share * (wall.position[1] - y), None)
    pane = replace(wall, name='pane', size=PANE_M, position=at, unseen=True)
    target = replace(target, rpy=wall.rpy)  # so that one of its two grasps has room
    return Trouble((target, pane), 'pick up the red cube', Held(target.name))


OTHERS = (
    TroubleRow('itself', 'met by itself', 'the second cube gets into the bowl without the arm',
               _met_by_itself),
    TroubleRow('restored', 'restored by another', 'somebody takes the first cube out of the bowl, '
               'and puts it back when the arm comes for it', _restored),
    TroubleRow('pane', 'hidden pane', 'a pane of glass that no camera sees, beside the cube',
               _hidden_pane),
)
