# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Somebody who meddles: whatever the arm puts aside, more is put in its way."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from replan_agent.robot.mujoco.world import World

from ..judges import Truth

EVERY_S = 0.1
MOVED_M = 0.05  # what is this far from where it was has been put aside
GAP_M = 0.002


@dataclass(frozen=True)
class Meddler:
    """Whenever a thing was put aside, puts the next `at_a_time` of the `supply` on another one."""

    onto: str
    supply: tuple[str, ...]
    at_a_time: int = 2

    def begin(self, world: World) -> None:
        _Meddling(self, world)


class _Meddling:
    def __init__(self, meddler: Meddler, world: World) -> None:
        self._meddler, self._truth = meddler, Truth(world)
        self._supply = list(meddler.supply)
        self._watched = {o.name: o.position for o in world.true_objects()
                         if o.movable and o.name not in (meddler.onto, *meddler.supply)}
        world.on_step(self._act, EVERY_S)

    def _act(self) -> None:
        for name, was in list(self._watched.items()):
            now = self._truth.object(name).position
            if math.dist(now[:2], was[:2]) > MOVED_M and not self._truth.let_go(name):
                del self._watched[name]
                for _ in range(min(self._meddler.at_a_time, len(self._supply))):
                    self._put_on_top(self._supply.pop(0))

    def _put_on_top(self, name: str) -> None:
        world, below = self._truth.world, self._truth.object(self._meddler.onto)
        thing, (x, y, _) = self._truth.object(name), below.position
        tops = [o.top_z for o in world.true_objects() if o.name != name
                and math.dist(o.position[:2], (x, y)) < below.size[0] / 2]
        joint = world.data.joint(name)
        joint.qpos[:] = np.array([x, y, max(tops) + thing.size[2] / 2 + GAP_M,
                                  *below.pose.quaternion])
        joint.qvel[:] = 0.0
        world.refresh_view()
        self._watched[name] = (x, y, 0.0)
