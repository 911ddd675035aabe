# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dirt on the table: what is wiped over it with some force takes it off, cell by cell."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import MISSING, dataclass
from xml.etree import ElementTree as ET

import numpy as np

from replan_agent import Pose, SceneObject
from replan_agent.domain.config import setting
from replan_agent.domain.scene import Shape, States
from replan_agent.robot.mujoco.mjcf.mjcf_xml import node
from replan_agent.robot.mujoco.scene.scene_spec import FAR_M, Colour
from replan_agent.robot.mujoco.scene.scene_values import numbers, word

WIPED = 'wiped'
SOFT = ('sponge', 'cloth')  # words in the names of what wipes
CELL_M = 0.008
LEAST_N = 2.0  # with less pressed on the table, nothing wipes
GIVES_M = 0.002  # a sponge touches what is so far below it
CLEAN = 0.03  # of its cells may be left
THICK_M = 0.001


@dataclass(frozen=True)
class StainFields:
    """An area of the table that is dirty."""

    name: str = setting(MISSING, 'a name of its own', read=word)
    size: tuple[float, float] = setting(MISSING, '[along x, along y], m', read=numbers(
        2, low=0.01, high=0.5))
    position: tuple[float, float] = setting(MISSING, 'x and y of its middle, m',
                                            read=numbers(2, low=-FAR_M, high=FAR_M))
    yaw: float = setting(0.0, 'rad', -6.3, 6.3)
    colour: Colour = setting(Colour.named('brown'), 'a name or [r, g, b]', read=Colour.read)


@dataclass(frozen=True)
class Stain(SceneObject):
    """Dirt on the table; `left` is the share of it that is still there."""

    left: float = 1.0


class Dirt:
    """The cells of a stain, which only look like something: nothing touches them."""

    def __init__(self, given: StainFields, table_z: float) -> None:
        self.given = given
        self.pose = Pose.from_rpy(*given.position, table_z, yaw=given.yaw)
        numbers_ = [max(1, round(side / CELL_M)) for side in given.size]
        self._half = [side / number / 2 for side, number in zip(given.size, numbers_)]
        spots = [np.linspace(-side / 2, side / 2, 2 * number + 1)[1::2]
                 for side, number in zip(given.size, numbers_)]
        own = np.array([(x, y, 0.0) for x, y in itertools.product(*spots)])
        self._cells = own @ self.pose.rotation.T + self.pose.position
        self.is_there = np.ones(len(own), bool)

    def names(self) -> list[str]:
        return [f'{self.given.name}/{number}' for number in range(len(self.is_there))]

    def add(self, world: ET.Element) -> None:
        for name, at in zip(self.names(), self._cells):
            node(world, 'geom', name=name, type='box', pos=at, quat=self.pose.quaternion,
                 size=(*self._half, THICK_M / 2), contype=0, conaffinity=0,
                 rgba=(*self.given.colour.rgb, 1))

    def wiped(self, thing: SceneObject) -> list[int]:
        """The numbers of the cells that a thing pressed on the table takes off now."""
        above = self._cells + (0.0, 0.0, GIVES_M)
        inside = np.abs((above - thing.position) @ thing.pose.rotation) <= np.divide(thing.size, 2)
        gone = np.flatnonzero(inside.all(axis=1) & self.is_there)
        self.is_there[gone] = False
        return [int(number) for number in gone]

    def seen(self, stamp: float) -> Stain:
        left = float(self.is_there.mean())
        return Stain(self.given.name, Shape.BOX, (*self.given.size, THICK_M), self.pose,
                     self.given.colour.name, movable=False, seen_at=stamp, left=left,
                     states=States(WIPED if left <= CLEAN else '', (WIPED,), (self.pose,)))


def wipes(name: str) -> bool:
    return any(soft in name for soft in SOFT)


def dirt_of(given: Iterable[StainFields], table_z: float) -> tuple[Dirt, ...]:
    return tuple(Dirt(fields, table_z) for fields in given)
