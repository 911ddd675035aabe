"""The contacts in a simulated world and their forces. For judges only: no robot has this sense."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .gl import mujoco
from .world import World

ARM_BODIES = ('hand', 'leftfinger', 'rightfinger', *(f'link{i}' for i in range(8)))


@dataclass(frozen=True)
class Part:
    """A solid: `body` is the object or link it belongs to ('hand', 'link4', 'red_cube')."""

    name: str  # its own, e.g. 'bin_floor'; the body's name if it has none
    body: str
    of_arm: bool


@dataclass(frozen=True)
class Touch:
    """Two parts that touch now, and the normal force (N) between them."""

    first: Part
    second: Part
    force_n: float


class Touches:
    """The contacts of a World between the pairs of parts for which `matters` is true."""

    def __init__(self, world: World, matters: Callable[[Part, Part], bool]) -> None:
        self._model, self._data = world.model, world.data
        self._parts = [_part(world, geom) for geom in range(world.model.ngeom)]
        self._matters = np.array([[matters(a, b) for b in self._parts] for a in self._parts])
        self._force = np.zeros(6)

    def now(self) -> list[Touch]:
        """What touched in the last physics step."""
        pairs = self._data.contact.geom
        if not len(pairs):
            return []
        found = np.flatnonzero(self._matters[pairs[:, 0], pairs[:, 1]])
        return [self._touch(int(k), *pairs[k]) for k in found]

    def _touch(self, contact: int, first: int, second: int) -> Touch:
        mujoco.mj_contactForce(self._model, self._data, contact, self._force)
        return Touch(self._parts[first], self._parts[second], float(self._force[0]))


def _part(world: World, geom: int) -> Part:
    model = world.model
    body = str(model.body(model.geom_bodyid[geom]).name)
    name = str(model.geom(geom).name) or body
    stripped = body.removeprefix(f'{world.arm_model}_')
    if stripped in ARM_BODIES and stripped != body:
        return Part(name, stripped, True)
    return Part(name, name if body == 'world' else body, False)
