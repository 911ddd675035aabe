"""Somebody who meddles: what the arm puts aside is put back where it is in the way."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from replan_agent.robot.mujoco.world import World

from .judges import Truth

EVERY_S = 0.1
MOVED_M = 0.05  # what is this far from where it was has been put aside
GAP_M = 0.002


@dataclass(frozen=True)
class Meddler:
    """Puts each thing that was put aside on top of another one, `times` at most."""

    onto: str
    times: int = 9

    def begin(self, world: World) -> None:
        _Meddling(self, world)


class _Meddling:
    def __init__(self, meddler: Meddler, world: World) -> None:
        self._meddler, self._truth = meddler, Truth(world)
        self._at = {o.name: o.position for o in world.true_objects()
                    if o.movable and o.name != meddler.onto}
        self._left = meddler.times
        world.on_step(self._act, EVERY_S)

    def _act(self) -> None:
        for name, was in self._at.items():
            thing = self._truth.object(name)
            if (self._left and math.dist(thing.position[:2], was[:2]) > MOVED_M
                    and not self._truth.let_go(name)):
                self._put_on_top(name)

    def _put_on_top(self, name: str) -> None:
        self._left -= 1
        below, thing = self._truth.object(self._meddler.onto), self._truth.object(name)
        x, y, _ = below.position
        tops = [o.top_z for o in self._truth.world.true_objects() if o.name != name
                and math.dist(o.position[:2], (x, y)) < below.size[0] / 2]
        world, z = self._truth.world, max(tops) + thing.size[2] / 2 + GAP_M
        joint = world.data.joint(name)
        joint.qpos[:] = np.array([x, y, z, *below.pose.quaternion])
        joint.qvel[:] = 0.0
        self._at[name] = (x, y, z)
