# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A person in the simulation who takes what is presented: a force applied to the thing itself.

Nothing welds it to a hand of theirs. Once it is free, the same force, like a soft hand, keeps it
beside where it was presented.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from replan_agent.domain.pose import FloatArray

from .furnished_world import FurnishedWorld

EVERY_S = 0.002
STILL_M_S = 0.005  # a thing that moves less is presented,
RAISED_M = 0.15  # if it is so much higher than at the start
RISES_S = 0.4  # until the whole force is there
FREE_M = 0.03  # what was pulled so far is theirs
TAKES_M = 0.12  # so far beyond where it was presented it ends
SOFT_1_S = 8.0  # how quickly the soft hand brings it there


@dataclass
class Person:
    """Pulls at a thing `waits_s` after it is presented, with `force_n` (N) for `lasts_s`."""

    world: FurnishedWorld
    thing: str
    force_n: tuple[float, float, float]
    waits_s: float
    lasts_s: float = 60.0
    began_s: float | None = None  # when the pull began
    has_it: bool = False
    _still_s: float = 0.0
    _low_z: float = field(default=0.0, init=False)
    _at: FloatArray = field(default_factory=lambda: np.zeros(3), init=False)

    def __post_init__(self) -> None:
        self._low_z = self._place()[2]
        self.world.on_step(self._act, EVERY_S)

    def _act(self) -> None:
        body, joint = self.world.data.body(self.thing), self.world.data.joint(self.thing)
        speed, place, way = joint.qvel, self._place(), np.array(self.force_n)
        if self.began_s is None:
            still = np.linalg.norm(speed[:3]) < STILL_M_S and (
                place[2] > self._low_z + RAISED_M)
            self._still_s = self._still_s + EVERY_S if still else 0.0
            if self._still_s >= self.waits_s:
                self.began_s, self._at = self.world.time, place
            return
        past_s = self.world.time - self.began_s
        self.has_it = self.has_it or float(np.linalg.norm(place - self._at)) > FREE_M
        mass = float(self.world.model.body(self.thing).mass[0])
        if self.has_it:
            to = self._at + TAKES_M * way / np.linalg.norm(way)
            pull = mass * (SOFT_1_S ** 2 * (to - place) - 2 * SOFT_1_S * speed[:3])
            body.xfrc_applied[:3] = pull - mass * self.world.model.opt.gravity
            turning = self.world.model.body(self.thing).inertia * speed[3:] * SOFT_1_S
            body.xfrc_applied[3:] = -body.xmat.reshape(3, 3) @ turning
        else:
            body.xfrc_applied[:3] = way * min(1.0, past_s / RISES_S) * (past_s < self.lasts_s)

    def _place(self) -> FloatArray:
        return np.array(self.world.data.joint(self.thing).qpos[:3])
