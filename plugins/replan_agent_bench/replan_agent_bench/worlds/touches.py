# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The contacts in a simulated world and their forces. For judges only: no robot has this sense."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.world import World

LINK = re.compile(r'link\d+')


@dataclass(frozen=True)
class TouchedPart:
    """A solid: `body` is the object or link it belongs to ('hand', 'link4', 'red_cube')."""

    name: str  # its own, e.g. 'bin_floor'; the body's name if it has none
    body: str
    of_arm: bool


@dataclass(frozen=True)
class Touch:
    """Two parts that touch now, the normal force (N) between them, and where (m).

    `up` is how far the second one is pushed up, of 1.
    """

    first: TouchedPart
    second: TouchedPart
    force_n: float
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    up: float = 0.0


class Touches:
    """The contacts of a World between the pairs of parts for which `matters` is true."""

    def __init__(self, world: World, matters: Callable[[TouchedPart, TouchedPart], bool]) -> None:
        self._model, self._data = world.model, world.data
        self._parts = [_part(world, geom) for geom in range(world.model.ngeom)]
        self._matters = matters
        self._pairs, self._found = b'', list[tuple[int, int, int]]()  # of the last list of pairs
        self._force = np.zeros(6)

    def now(self) -> list[Touch]:
        """What touched in the last physics step."""
        if not self._data.ncon:
            return []
        geoms = self._data.contact.geom
        pairs = geoms.tobytes()
        if pairs != self._pairs:  # mostly the same pairs touch as in the step before
            self._pairs, self._found = pairs, [
                (k, a, b) for k, (a, b) in enumerate(geoms.tolist())
                if self._matters(self._parts[a], self._parts[b])]
        return [self._touch(*each) for each in self._found]

    def _touch(self, contact: int, first: int, second: int) -> Touch:
        mujoco.mj_contactForce(self._model, self._data, contact, self._force)
        x, y, z = map(float, self._data.contact.pos[contact])
        return Touch(self._parts[first], self._parts[second], float(self._force[0]), (x, y, z),
                     float(self._data.contact.frame[contact][2]))


def _part(world: World, geom: int) -> TouchedPart:
    model = world.model
    body = str(model.body(model.geom_bodyid[geom]).name)
    name = str(model.geom(geom).name) or body
    stripped = body.removeprefix(world.arm.frame(''))
    if stripped != body and (stripped in world.arm.hand_parts or LINK.fullmatch(stripped)):
        return TouchedPart(name, stripped, True)
    return TouchedPart(name, name if body == 'world' else body, False)
