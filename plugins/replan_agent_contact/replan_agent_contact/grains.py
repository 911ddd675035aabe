# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Grains in a container: small balls that physics moves, and that nobody sees one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from replan_agent import SceneObject
from replan_agent.domain.config import setting
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import Shape, States
from replan_agent.domain.shape import CONTAINER_FLOOR_M, CONTAINER_WALL_M
from replan_agent.robot.mujoco.mjcf.mjcf_xml import node
from replan_agent.robot.mujoco.scene.placement import Placed
from replan_agent.robot.mujoco.scene.scene_spec import Colour
from replan_agent.robot.mujoco.scene.scene_values import word

POURED = 'poured'
MOST = 40
APART = 1.1  # diameters between them at the start
ENOUGH = 0.9  # of what was in a container: it is poured
SPREAD, GOLDEN = 0.15, 0.618  # grains are not all alike: the smallest are so much smaller
HARD = (0.004, 1)
DENSITY = 2500.0  # kg/m3, of beads
ABOVE_RIM_M = 0.02  # what lies on a heap is in it


@dataclass(frozen=True)
class GrainFields:
    """What a container holds at the start."""

    holder: str = setting(MISSING, 'the name of a bowl or bin', read=word)
    count: int = setting(30, 'how many', 1, MOST)
    size: float = setting(0.01, 'm across', 0.006, 0.03)
    friction: float = setting(0.5, 'of its surface', 0.05, 2)
    colour: Colour = setting(Colour.named('orange'), 'a name or [r, g, b]', read=Colour.read)


@dataclass(frozen=True)
class Holder(SceneObject):
    """A container; `grains` are in it now."""

    grains: int = 0


class Grains:
    """The grains that are in one container at the start."""

    def __init__(self, given: GrainFields) -> None:
        self.given = given
        self.names = [f'{given.holder}/grain{number}' for number in range(given.count)]

    def add(self, world: ET.Element, holder: Placed) -> None:
        """Put them into their container, layer by layer."""
        given, (wide, deep, high) = self.given, holder.spec.size
        step, radius = APART * given.size, given.size / 2
        share = 0.6 if holder.spec.shape is Shape.BOWL else 1.0  # narrow at its floor
        rooms = [max(1, int((share * side - 2 * CONTAINER_WALL_M) / step))
                 for side in (wide, deep)]
        for number, name in enumerate(self.names):
            rest, column = divmod(number, rooms[0])
            layer, row = divmod(rest, rooms[1])
            own = np.array([(column - (rooms[0] - 1) / 2) * step,
                            (row - (rooms[1] - 1) / 2) * step,
                            CONTAINER_FLOOR_M - high / 2 + radius + layer * step])
            at = holder.pose.position + holder.pose.rotation @ own
            body = node(world, 'body', name=name, pos=at)
            node(body, 'freejoint', name=name)
            size = radius * (1 - SPREAD * (number * GOLDEN % 1.0))
            node(body, 'geom', type='sphere', size=(size,), density=DENSITY, condim=4,
                 friction=(given.friction, 0.002, 0.0002), solref=HARD,
                 rgba=(*given.colour.rgb, 1))

    def seen(self, things: Iterable[SceneObject], places: FloatArray
             ) -> tuple[SceneObject, ...]:
        """The things with what is in them, as these places (n, 3) of the grains show."""
        found, amount = list(things), len(self.names)
        counts = {o.name: _inside(o, places) for o in found if o.is_container}
        others = max((n for name, n in counts.items() if name != self.given.holder), default=0)
        now = POURED if others >= ENOUGH * amount else ''
        return tuple(_with(o, counts.get(o.name), now if o.name == self.given.holder else None)
                     for o in found)


def _with(thing: SceneObject, grains: int | None, now: str | None) -> SceneObject:
    if grains is None:
        return thing
    if isinstance(thing, Holder):
        grains += thing.grains
    plain: dict[str, Any] = {f.name: getattr(thing, f.name) for f in fields(SceneObject)}
    if now is not None:
        plain['states'] = States(now, (POURED,), (thing.pose,))
    return Holder(**plain, grains=grains)


def _inside(thing: SceneObject, places: FloatArray) -> int:
    own = (places - thing.position) @ thing.pose.rotation
    half = np.array(thing.size) / 2
    half_up = half + (0.0, 0.0, ABOVE_RIM_M)
    return int(((own >= -half) & (own <= half_up)).all(axis=1).sum())


def grains_of(given: Iterable[GrainFields]) -> tuple[Grains, ...]:
    return tuple(map(Grains, given))

