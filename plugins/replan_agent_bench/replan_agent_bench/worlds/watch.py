# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Watches every physics step of an episode for unintended contacts and for the joints' limits.

It reads the simulator's contact list, which the agent never sees.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from replan_agent.robot.mujoco.world import World
from replan_agent_bench.worlds.accelerations import Accelerations
from replan_agent_bench.worlds.touches import Touch, TouchedPart, Touches

FORCE_N = 0.1  # half the weight of the lightest cube; less is not felt
FINGERS = ('leftfinger', 'rightfinger')


@dataclass(frozen=True)
class Contact:
    """Two things that touched and should not have: when first, how long, how hard at worst."""

    first: str
    second: str
    at_s: float  # robot time
    lasted_s: float
    peak_n: float

    def __str__(self) -> str:
        return f'{self.first}–{self.second} at {self.at_s:.2f} s ({self.peak_n:.1f} N)'


@dataclass(frozen=True)
class Intended:
    """What may touch: the fingers the target, and the target its supports.

    A support is an object ('bowl') or a part of one ('bin_floor').
    """

    target: str
    supports: Collection[str] = ('table',)

    def forbids(self, a: TouchedPart, b: TouchedPart) -> bool:
        """Whether a contact of the two is a collision: one is the arm or the target."""
        if b.of_arm or b.body == self.target and not a.of_arm:
            a, b = b, a
        if a.of_arm:
            return not (b.body == self.target and a.body in FINGERS)
        return a.body == self.target and b.body != self.target and not (
            b.name in self.supports or b.body in self.supports)


class Watch:
    """Watches a world from now until `end`. `spent_s` is the time that watching takes (wall)."""

    def __init__(self, world: World, intended: Intended) -> None:
        started = time.perf_counter()
        self._world = world
        self._touches = Touches(world, intended.forbids)
        self._speeds = world.data.qvel[:world.arm.joint_count]
        self._limits = world.arm.limits
        self._contacts: dict[tuple[str, str], Contact] = {}
        self._peaks = np.zeros(world.arm.joint_count)  # rad/s
        self._pushes = world.data.qfrc_constraint[:world.arm.joint_count]
        self._accelerations = Accelerations(world.arm.joint_count, world.timestep)
        self.end = world.on_step(self._look, world.timestep)
        self.spent_s = time.perf_counter() - started

    @property
    def peak_speed(self) -> float:
        """The highest speed of a joint so far, as a share of its limit."""
        return float(np.max(self._peaks / self._limits.velocity))

    @property
    def peak_acceleration(self) -> float:
        """The highest acceleration of a joint so far, as a share of its limit."""
        return float(np.max(self._accelerations.peaks / self._limits.acceleration))

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Unintended contacts so far, in the order in which they first happened."""
        return tuple(self._contacts.values())

    def _look(self) -> None:
        started = time.perf_counter()
        np.maximum(self._peaks, np.abs(self._speeds), out=self._peaks)
        self._accelerations.note(self._speeds, self._pushes)
        pairs: dict[tuple[str, str], float] = {}
        for touch in self._touches.now():
            pair = _pair(touch)
            pairs[pair] = pairs.get(pair, 0.0) + touch.force_n
        for pair, force_n in pairs.items():
            if force_n > FORCE_N:
                self._note(pair, force_n)
        self.spent_s += time.perf_counter() - started

    def _note(self, pair: tuple[str, str], force_n: float) -> None:
        before = self._contacts.get(pair, Contact(*pair, self._world.time, 0.0, 0.0))
        self._contacts[pair] = Contact(*pair, before.at_s,
                                       before.lasted_s + self._world.timestep,
                                       max(before.peak_n, force_n))


def _pair(touch: Touch) -> tuple[str, str]:
    """The names of the two, the arm's part first."""
    a, b = touch.first, touch.second
    if b.of_arm and not a.of_arm:
        a, b = b, a
    first, second = (p.body if p.of_arm else p.name for p in (a, b))
    return (first, second) if a.of_arm != b.of_arm else (min(first, second), max(first, second))
