# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Judges whether a task was really done, by the simulator's poses. The agent has no say.

A judge is called after the world has settled. It returns what is wrong, '' if the task is done.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.shape import CONTAINER_FLOOR_M
from replan_agent.geometry.support import centre_of_weight, in_own_frame, up_alignment
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.world import World
from replan_agent_bench.worlds.touches import Touches

LIFTED_M = 0.05
AT_M = 0.02  # from the point that the sentence names
RESTING_M = 0.004
STACKED_M = 0.02  # between the two centres, seen from above: half a cube; or from the edge
STILL_M_S = 0.01
UPRIGHT = math.cos(math.radians(10))

Judge = Callable[['Truth'], str]


@dataclass(frozen=True)
class Truth:
    """The true state of the world."""

    world: World

    def object(self, name: str) -> SceneObject:
        return next(o for o in self.world.true_objects() if o.name == name)

    def in_hand(self, name: str) -> bool:
        """Whether any part of the arm touches it."""
        touches = Touches(self.world, lambda a, b: a.of_arm and b.body == name
                          or b.of_arm and a.body == name)
        return bool(touches.now())

    def carriers(self, name: str) -> set[str]:
        """What presses up on it: all that carries it, if the arm does not."""
        touches = Touches(self.world, lambda a, b: name in (a.body, b.body) and a.body != b.body)
        model = self.world.model
        flags = model.opt.enableflags
        model.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)  # no contacts in sleep
        mujoco.mj_forward(model, self.world.data)
        model.opt.enableflags = flags
        pushed = [(t.first, t.up) if t.second.body == name else (t.second, -t.up)
                  for t in touches.now() if t.force_n > 0]
        return {part.body for part, up in pushed if up > 0}

    def speed(self, name: str) -> float:
        """How fast its centre moves (m/s)."""
        return float(np.linalg.norm(self.world.data.joint(name).qvel[:3]))

    def let_go(self, name: str) -> str:
        """'' if the object is at rest and free of the arm, else what is wrong."""
        if self.in_hand(name):
            return f'the arm still touches {name}'
        if self.speed(name) > STILL_M_S:
            return f'{name} still moves, at {self.speed(name):.3f} m/s'
        return ''


@dataclass(frozen=True)
class Held:
    """The object hangs in the air, in the hand."""

    name: str

    def __call__(self, truth: Truth) -> str:
        up = truth.object(self.name).bottom_z
        if up <= LIFTED_M:
            return f'{self.name} is {1000 * up:.0f} mm above the table'
        return '' if truth.in_hand(self.name) else f'{self.name} is up, but not in the hand'


@dataclass(frozen=True)
class Rose:
    """The object, of any shape, is higher than before, off the table, and in the hand."""

    name: str
    from_z: float

    def __call__(self, truth: Truth) -> str:
        thing = truth.object(self.name)
        rise = thing.position[2] - self.from_z
        if rise <= LIFTED_M or thing.bottom_z <= RESTING_M:
            return (f'{self.name} rose {1000 * rise:.0f} mm and its lowest point is '
                    f'{1000 * thing.bottom_z:.0f} mm above the table')
        return '' if truth.in_hand(self.name) else f'{self.name} is up, but not in the hand'


def centres(thing: SceneObject) -> FloatArray:
    """What may be called its centre (n, 2; m), seen from above.

    An object of any shape has several: that of its own axes, that of its weight, and the middle of
    each rectangle around it.
    """
    known = np.array([thing.position[:2], centre_of_weight(thing)[:2]])
    if not thing.pieces:
        return known
    corners = np.vstack([piece.corners for piece in thing.pieces]) @ thing.pose.rotation[:2].T
    turns = np.radians(np.arange(90))
    axes = np.array([[np.cos(turns), np.sin(turns)], [-np.sin(turns), np.cos(turns)]])
    along = np.einsum('nk,akt->tan', corners, axes)
    middles = np.einsum('ta,akt->tk', (along.min(axis=2) + along.max(axis=2)) / 2, axes)
    return np.vstack([known, middles + thing.position[:2]])


@dataclass(frozen=True)
class PlacedAt:
    """The object lies on the table with a centre at a point, and the arm does not touch it."""

    name: str
    point: tuple[float, float]

    def __call__(self, truth: Truth) -> str:
        thing = truth.object(self.name)
        away = float(np.linalg.norm(centres(thing) - self.point, axis=1).min())
        if away > AT_M:
            return f'{self.name} is {1000 * away:.0f} mm from where it should be'
        if abs(thing.bottom_z - truth.object('table').top_z) > RESTING_M:
            return f'{self.name} is {1000 * thing.bottom_z:.0f} mm above the table'
        return truth.let_go(self.name)


@dataclass(frozen=True)
class InBowl:
    """Its centre is over the upright bowl and below the rim, or it is small and not above that."""

    name: str
    bowl: str

    def __call__(self, truth: Truth) -> str:
        thing, bowl = truth.object(self.name), truth.object(self.bowl)
        if up_alignment(bowl) < UPRIGHT:
            return f'{self.bowl} is tipped over'
        away = math.dist(thing.position[:2], bowl.position[:2])
        far = max(thing.half_extents_in_base()[:2])
        small = 2 * far < bowl.size[0] / 2  # may be on a heap
        floor = bowl.bottom_z + CONTAINER_FLOOR_M
        deep = 0.25 if away + far > bowl.size[0] / 2 else 0.5  # of what sticks out, or not
        is_low = thing.bottom_z < floor + deep * (bowl.top_z - floor) or (
            thing.bottom_z < bowl.top_z - RESTING_M
            and (small or thing.position[2] < bowl.top_z))
        if away > bowl.size[0] / 2 or not is_low:
            return (f'{self.name} is {1000 * away:.0f} mm from the middle of {self.bowl}, '
                    f'{1000 * thing.bottom_z:.0f} mm above the table')
        return truth.let_go(self.name)


@dataclass(frozen=True)
class StackedOn:
    """The object rests on top of the lower one, which still stands on the table.

    Its middle is above that of the other, or its weight well inside the edges of a wide one. An
    object of any shape is on what alone carries it, also if an end hangs down beside it.
    """

    name: str
    lower: str

    def __call__(self, truth: Truth) -> str:
        thing, lower = truth.object(self.name), truth.object(self.lower)
        gap = thing.bottom_z - lower.top_z
        away = math.dist(thing.position[:2], lower.position[:2])
        x, y, _ = in_own_frame(lower, centre_of_weight(thing))
        inside = min(lower.size[0] / 2 - abs(x), lower.size[1] / 2 - abs(y))
        carried = thing.pieces and gap < RESTING_M and not lower.is_container and (
            truth.carriers(self.name) == {self.lower})
        if not carried and (abs(gap) > RESTING_M or away > STACKED_M > inside):
            return (f'{self.name} is {1000 * away:.0f} mm beside and {1000 * gap:.0f} mm above '
                    f'the top of {self.lower}')
        if abs(lower.bottom_z - truth.object('table').top_z) > RESTING_M:
            return f'{self.lower} does not stand on the table'
        return truth.let_go(self.name)


@dataclass(frozen=True)
class All:
    """Every one of several judges agrees."""

    judges: tuple[Judge, ...]

    def __call__(self, truth: Truth) -> str:
        return '; '.join(filter(None, (judge(truth) for judge in self.judges)))
