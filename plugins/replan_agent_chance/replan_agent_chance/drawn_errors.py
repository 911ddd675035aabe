# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One draw of all that is not known: how far off each thing is seen, and what it is like."""

from __future__ import annotations

import itertools
import math
import zlib
from dataclasses import dataclass, replace

import numpy as np

from replan_agent.agent.ports import Perception
from replan_agent.domain.context import Context
from replan_agent.domain.scene import ROUND, Scene, SceneObject, Shape
from replan_agent.perceive.wrapped import WrappedPerception

from .uncertainty import Uncertainty

LEAST_M = 0.005  # no thing is seen smaller
LEAST_SHARE = 0.1  # no hand presses with less of its force
Lengths = tuple[float, float, float]


@dataclass(frozen=True)
class OwnError:
    """How one thing is seen (m, rad, base frame), what it is like, and the draws behind it.

    The draws are in standard deviations; those of friction and density are ranks from 0 to 1.
    """

    offset_m: tuple[float, float]
    yaw_rad: float
    longer_m: Lengths
    friction: float
    density: float
    draws: dict[str, float]


@dataclass(frozen=True)
class OwnHand:
    """What the hand really does, and the draws behind it.

    `share` of its force presses. The middle between its fingers is beside where the arm thinks (m,
    across the fingers, in the hand's frame).
    """

    share: float
    beside_m: float
    draws: dict[str, float]


class DrawnErrors:
    """The errors of one sensor and one hand in one world.

    The seed decides them, whatever is asked first.
    """

    def __init__(self, known: Uncertainty, seed: int) -> None:
        self.known, self._seed = known, seed
        rng = np.random.default_rng([seed, 1])
        self.common_m: tuple[float, float] = tuple(
            (known.common_m * rng.normal(size=2)).tolist())
        self._found: dict[str, OwnError] = {}
        force, beside = np.random.default_rng([seed, 3]).normal(size=2).tolist()
        self.hand = OwnHand(max(LEAST_SHARE, 1 + known.grip * force), known.fingers_m * beside, {
            'how hard the hand presses': force if known.grip else 0.0,
            'where its fingers are': abs(beside) if known.fingers_m else 0.0})

    def of(self, thing: SceneObject) -> OwnError:
        """The errors of this thing: the same in each look."""
        if thing.name not in self._found:
            self._found[thing.name] = self._drawn(thing)
        return self._found[thing.name]

    def _drawn(self, thing: SceneObject) -> OwnError:
        rng, known = np.random.default_rng([self._seed, zlib.crc32(thing.name.encode())]), \
            self.known
        x, y, yaw, *longer = rng.normal(size=6).tolist()
        slippery, light = rng.random(2).tolist()
        round_ = thing.shape in ROUND
        where, name = math.hypot(x, y), thing.name
        draws = {f'where {name} is': where if known.own_m else 0.0,
                 f'how {name} is turned': abs(yaw) if known.yaw_rad and not round_ else 0.0,
                 f'how large {name} is': float(np.mean(longer)) if known.size_m else 0.0,
                 f'how slippery {name} is': slippery, f'how heavy {name} is': light}
        return OwnError(
            (known.own_m * x, known.own_m * y), 0.0 if round_ else known.yaw_rad * yaw,
            _lengths(thing, [known.size_m * v for v in longer]),
            _ranked(known.friction, slippery), _ranked(known.density, light), draws)

    def jitter_m(self, look: int) -> tuple[float, float]:
        """What is new in this look (x, y, m)."""
        x, y = self.known.look_m * np.random.default_rng([self._seed, 2, look]).normal(size=2)
        return float(x), float(y)

    def offset_m(self, thing: SceneObject, look: int) -> tuple[float, float]:
        """How far from its place the thing is seen in this look."""
        own, new = self.of(thing).offset_m, self.jitter_m(look)
        return (self.common_m[0] + own[0] + new[0], self.common_m[1] + own[1] + new[1])


class UnsurePerception(WrappedPerception):
    """What another perception sees, with these errors. What the hand holds, the hand feels.

    `seen` is how things were seen already: their shapes and lengths are told so again.
    """

    def __init__(self, perception: Perception, errors: DrawnErrors,
                 seen: Scene | None = None) -> None:
        super().__init__(perception)
        self._errors, self._seen = errors, seen
        self._looks = itertools.count()

    def observe(self, ctx: Context) -> Scene:
        scene, look = self._perception.observe(ctx), next(self._looks)
        return replace(scene, objects=tuple(
            thing if thing.shape is Shape.TABLE or thing.name == scene.held
            else self._as_seen(thing, look) for thing in scene.objects))

    def _as_seen(self, thing: SceneObject, look: int) -> SceneObject:
        own = self._errors.of(thing)
        before = self._seen.get(thing.name) if self._seen is not None else None
        sized = replace(thing, shape=before.shape, size=before.size, pieces=before.pieces
                        ) if before is not None else resized(thing, own.longer_m)
        dx, dy = self._errors.offset_m(thing, look)
        up = (sized.size[2] - thing.size[2]) / 2 if _stands(thing) else 0.0
        return replace(sized, pose=thing.pose.moved(dx, dy, up).turned(own.yaw_rad))


def truly(thing: SceneObject, errors: DrawnErrors, up_m: float = 0.0) -> SceneObject:
    """What it would be if it was seen in the first look with these errors.

    It stands on the same ground, `up_m` higher.
    """
    own, (dx, dy) = errors.of(thing), errors.offset_m(thing, 0)
    sized = resized(thing, tuple(-v for v in own.longer_m))  # type: ignore[arg-type]
    up = up_m + ((sized.size[2] - thing.size[2]) / 2 if _stands(thing) else 0.0)
    return replace(sized, pose=thing.pose.moved(-dx, -dy, up).turned(-own.yaw_rad))


def resized(thing: SceneObject, longer_m: Lengths) -> SceneObject:
    """The thing with other lengths; irregular ones keep theirs."""
    if thing.pieces:
        return thing
    x, y, z = (max(LEAST_M, side + more) for side, more in zip(thing.size, longer_m))
    return replace(thing, size=(x, y, z))


def _lengths(thing: SceneObject, longer_m: list[float]) -> Lengths:
    """A ball and a round thing stay round, and what cannot be sized stays as it is."""
    x, y, z = longer_m
    if thing.shape is Shape.SPHERE:
        return x, x, x
    return (x, x, z) if thing.shape in ROUND else (x, y, z)


def _stands(thing: SceneObject) -> bool:
    return abs(float(thing.pose.rotation[2, 2])) > 0.99


def _ranked(samples: tuple[float, ...], rank: float) -> float:
    ordered = sorted(samples)
    return ordered[min(int(rank * len(ordered)), len(ordered) - 1)]
