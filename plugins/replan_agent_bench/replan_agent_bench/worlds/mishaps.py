# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trouble with the camera: wraps a perception so that a few looks fail or are wrong.

For benchmarks of recovery. The world itself does not change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from replan_agent.agent.ports import Perception
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.perceive.wrapped import WrappedPerception

UNCOVERED_M = 0.05  # a thing that moved this far shows what it hid


@dataclass(frozen=True)
class Blackout:
    """The looks from number `first` on (0 is the first), `count` of them, show nothing."""

    first: int
    count: int

    def around(self, perception: Perception) -> Perception:
        return _WithBlackout(perception, self)


@dataclass(frozen=True)
class WrongAtFirst:
    """The first look reports an object `offset` (x, y, m) from where it is."""

    name: str
    offset: tuple[float, float]

    def around(self, perception: Perception) -> Perception:
        return _WithWrongPose(perception, self)


@dataclass(frozen=True)
class HiddenBy:
    """Some objects are not seen as long as another one is where it was at first."""

    names: tuple[str, ...]
    by: str

    def around(self, perception: Perception) -> Perception:
        return _WithHidden(perception, self)


Mishap = Blackout | WrongAtFirst | HiddenBy


class CountedPerception(WrappedPerception):
    """Wraps a perception and counts the looks."""

    def __init__(self, perception: Perception) -> None:
        super().__init__(perception)
        self._looks = 0

    def _count(self) -> int:
        self._looks += 1
        return self._looks - 1


class _WithBlackout(CountedPerception):
    def __init__(self, perception: Perception, blackout: Blackout) -> None:
        super().__init__(perception)
        self._blackout = blackout

    def observe(self, ctx: Context) -> Scene:
        since = self._count() - self._blackout.first
        if 0 <= since < self._blackout.count:
            raise PerceptionError('the camera gives no picture')
        return self._perception.observe(ctx)


class _WithWrongPose(CountedPerception):
    def __init__(self, perception: Perception, wrong: WrongAtFirst) -> None:
        super().__init__(perception)
        self._wrong = wrong

    def observe(self, ctx: Context) -> Scene:
        scene = self._perception.observe(ctx)
        if self._count() > 0:
            return scene
        return replace(scene, objects=tuple(map(self._seen, scene.objects)))

    def _seen(self, thing: SceneObject) -> SceneObject:
        if thing.name != self._wrong.name:
            return thing
        return replace(thing, pose=thing.pose.moved(*self._wrong.offset))


class _WithHidden(CountedPerception):
    def __init__(self, perception: Perception, hidden: HiddenBy) -> None:
        super().__init__(perception)
        self._hidden = hidden
        self._first: tuple[float, float, float] | None = None

    def observe(self, ctx: Context) -> Scene:
        scene = self._perception.observe(ctx)
        thing = scene.get(self._hidden.by)
        if thing is None:
            return scene
        self._first = self._first or thing.position
        if math.dist(thing.position, self._first) > UNCOVERED_M:
            self._hidden = replace(self._hidden, names=())  # once seen, it is known
        return replace(scene, objects=tuple(scene.without(self._hidden.names)))
