# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A physical disturbance: something pushes an object across the table."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from replan_agent.robot.mujoco.world import World

SPEED_M_S = 0.4
FORCE_N = 3.0  # like a finger: it slides a cube but cannot move the arm
LONGEST_S = 0.5
REST = 0.01  # m/s, and rad/s
SLIDES_S = 1.0  # longest time on its own
GRAVITY = 9.81  # m/s²
SERVO_HZ = 100.0  # how fast the force reacts to the object's speed


@dataclass(frozen=True)
class WorldPush:
    """A push of an object by `distance_m` along `direction` (rad, base frame).

    From `at_s` (robot time) on, a horizontal force of at most FORCE_N acts on its centre and
    drives it at SPEED_M_S, until it has slid that far or LONGEST_S are over. An obstacle, also
    the fingers, stops it.
    """

    name: str
    direction: float
    distance_m: float = 0.06
    at_s: float = 1.6

    def begin(self, world: World) -> Pushing:
        """Start it in `world`; it acts when its time comes."""
        return Pushing(self, world)


class Pushing:
    """A push that waits for its time, acts and ends when the object is at rest again.

    `moved_m` is how far the object moved in all, with what it slid or tipped on by itself.
    """

    def __init__(self, push: WorldPush, world: World) -> None:
        self._push, self._world = push, world
        self._along = np.array([math.cos(push.direction), math.sin(push.direction)])
        self._body = world.model.body(push.name).id
        self._mass = float(world.model.body_mass[self._body])
        own = world.model.geom_bodyid == self._body
        self._friction = float(world.model.geom_friction[own].max(axis=0)[0])
        self._joint = world.data.joint(push.name)
        self._start: float | None = None
        self._is_over = False  # the force has ended; the object may still slide
        self.moved_m = 0.0
        self._end = world.on_step(self._act, world.timestep)

    def _act(self) -> None:
        since = self._world.time - self._push.at_s
        if since < 0:
            return
        if self._is_over:
            self._follow(since)
            return
        at = float(self._along @ self._joint.qpos[:2])
        self._start = at if self._start is None else self._start
        self.moved_m = at - self._start
        force = self._world.data.xfrc_applied[self._body]
        speed = float(self._along @ self._joint.qvel[:2])
        coasting = speed * speed / (2 * self._friction * GRAVITY)  # after the force ends
        if since > LONGEST_S or self.moved_m + coasting >= self._push.distance_m:
            force[:] = 0.0
            self._is_over = True
            return
        pull = self._mass * SERVO_HZ * (SPEED_M_S - speed)
        force[:2] = self._along * min(max(pull, 0.0), FORCE_N)

    def _follow(self, since: float) -> None:
        """Measure until the object is at rest: a hand that takes it later does not count."""
        self.moved_m = float(self._along @ self._joint.qpos[:2]) - (self._start or 0.0)
        if np.abs(self._joint.qvel).max() < REST or since > LONGEST_S + SLIDES_S:
            self._end()
