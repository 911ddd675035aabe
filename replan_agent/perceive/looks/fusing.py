# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several looks at one table: what each one shows of the same thing is put together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import CLEAR, SceneObject
from replan_agent.perceive.camera.fitting import Fitted
from replan_agent.perceive.camera.irregular import irregular_thing, without_strays
from replan_agent.perceive.camera.one_look import OneLook
from replan_agent.perceive.camera.residual import is_explained
from replan_agent.perceive.camera.segments import Segment

from .in_hand import inside

NEAR_M = 0.006  # how far the looks may disagree: calibration, encoders, noise
SAME_SHARE = 0.2  # of the points of one look: in the thing that another look shows
SURE_SHARE = 0.6  # of the points of both
SAME_CONTAINER_M = 0.04
INSIDE_SHARE = 0.95  # of the points of another look: they are in the shapes of this one
SLACK_M = 0.003  # the same for surfaces
MOST_POINTS = 1500  # of one look at one thing; to compare two looks,
ENOUGH_POINTS = 300
NOT_IN_PICTURE = Segment((0, 0), np.zeros((1, 1), dtype=bool))


@dataclass(frozen=True)
class _Part:
    """A fit and the number of its look; 0 is the main one."""

    fit: Fitted
    number: int

    @property
    def thing(self) -> SceneObject:
        return self.fit.thing


def fused(looks: Sequence[OneLook], stamp: float) -> list[Fitted]:
    """The things that the looks show together. The first look is the main one.

    The segment of a fit belongs to the picture of the main look; it is empty if that does not
    show the thing.
    """
    if len(looks) == 1:
        return list(looks[0].fits)
    parts = [_Part(fit, number) for number, each in enumerate(looks) for fit in each.fits]
    return [fit for group in _groups(parts) for fit in _together(group, looks, stamp)]


def as_one(parts: Sequence[Fitted], looks: Sequence[OneLook], stamp: float) -> Fitted:
    """One thing of any shape around all points of fits in the main picture."""
    return _irregular([_Part(fit, 0) for fit in parts], looks, stamp)


def _groups(parts: Sequence[_Part]) -> list[list[_Part]]:
    """The parts that show the same thing, or things that one look cannot tell apart."""
    group = list(range(len(parts)))
    for a, b in itertools.combinations(range(len(parts)), 2):
        if (parts[a].number != parts[b].number and group[a] != group[b]
                and _same(parts[a].fit, parts[b].fit)):
            group = [group[a] if g == group[b] else g for g in group]
    return [[part for part, g in zip(parts, group) if g == number]
            for number in dict.fromkeys(group)]


def _same(a: Fitted, b: Fitted) -> bool:
    """Whether two looks show the same thing. From another side its colour may look different."""
    if math.dist(a.thing.position, b.thing.position) > (math.hypot(*a.thing.size)
                                                        + math.hypot(*b.thing.size)) / 2:
        return False
    shares = _share(a.thing, b.points), _share(b.thing, a.points)
    if min(shares) > SURE_SHARE:
        return True
    if a.thing.is_container and b.thing.is_container:
        return math.dist(a.thing.position[:2], b.thing.position[:2]) < SAME_CONTAINER_M
    if a.thing.colour != b.thing.colour:
        return False
    if a.thing.is_container or b.thing.is_container:
        return shares[0 if a.thing.is_container else 1] > INSIDE_SHARE
    return max(shares) > SAME_SHARE


def _together(group: Sequence[_Part], looks: Sequence[OneLook], stamp: float) -> Iterator[Fitted]:
    """The shapes of the look that explains the whole group, otherwise one irregular thing."""
    if len(group) == 1:
        yield _in_main_picture(group[0])
        return
    for choice in sorted(_by_look(group), reverse=True, key=lambda choice: (
            min(part.fit.confidence for part in choice), choice[0].number == 0)):
        if _explain(choice, group, looks):
            number = len({part.number for part in group})
            latest = max(part.thing.seen_at for part in group)
            yield from (replace(_in_main_picture(part), looks=number,
                                thing=replace(part.thing, seen_at=latest)) for part in choice)
            return
    yield _irregular(group, looks, stamp)


def _explain(choice: Sequence[_Part], group: Sequence[_Part], looks: Sequence[OneLook]) -> bool:
    """Whether the shapes that one look found are also what the others show."""
    things = [part.thing for part in choice]
    others = [part for part in group if part not in choice]
    if any(thing.pieces for thing in things) or any(
            np.mean(np.any([inside(thing, _some(part.fit.points), NEAR_M) for thing in things],
                           axis=0)) < INSIDE_SHARE for part in others):
        return False
    if any(thing.is_container for thing in things):
        return _lead(group, lambda parts: any(part.thing.is_container for part in parts)) >= 0
    if len(things) > 1:
        return all(_is_clear(part) for part in choice) and _lead(
            group, lambda parts: len(parts) > 1) > 0
    return all(is_explained(looks[part.number].picture, replace(part.fit, thing=things[0]),
                            SLACK_M) for part in others)


def _lead(group: Sequence[_Part], agrees: Callable[[Sequence[_Part]], bool]) -> int:
    """How many more looks agree than show one irregular thing clearly."""
    by_look = _by_look(group)
    against = [parts for parts in by_look if len(parts) == 1 and _is_clear(parts[0])
               and parts[0].thing.pieces]
    return sum(map(agrees, by_look)) - len(against)


def _by_look(group: Sequence[_Part]) -> list[list[_Part]]:
    return [[part for part in group if part.number == number]
            for number in dict.fromkeys(part.number for part in group)]


def _is_clear(part: _Part) -> bool:
    return part.fit.bottom_seen and part.fit.confidence >= CLEAR


def _irregular(group: Sequence[_Part], looks: Sequence[OneLook], stamp: float) -> Fitted:
    """One thing of any shape around all points of the group."""
    noise_m = max(each.picture.table.noise_m for each in looks)
    seen = [part.fit.points for part in group]
    kept = without_strays(np.concatenate(seen), noise_m)
    points, heights = [], []
    for part, own in zip(group, np.split(kept, np.cumsum([len(each) for each in seen])[:-1])):
        some = _some(part.fit.points[own])
        points.append(some)
        heights.append(looks[part.number].picture.table.point_heights(some))
    best = max(group, key=lambda part: part.fit.confidence)
    bottom_seen = any(part.fit.bottom_seen for part in group)
    every, high = np.concatenate(points), np.concatenate(heights)
    floor = 0.0 if float(high.min()) < NEAR_M else min(float(high.min()), *(
        part.thing.bottom_z - looks[part.number].picture.table.z for part in group))
    thing = replace(irregular_thing(every, high, floor), seen_at=stamp,
                    colour=best.thing.colour, confidence=best.fit.confidence)
    segment = next((part.fit.segment for part in group if part.number == 0), NOT_IN_PICTURE)
    return Fitted(thing, 0.0, max(part.fit.top for part in group), bottom_seen, segment, every,
               len({part.number for part in group}))


def _in_main_picture(part: _Part) -> Fitted:
    return part.fit if part.number == 0 else replace(part.fit, segment=NOT_IN_PICTURE)


def _some(points: FloatArray, most: int = MOST_POINTS) -> FloatArray:
    return points[::max(1, math.ceil(len(points) / most))]


def _share(thing: SceneObject, points: FloatArray) -> float:
    return float(np.mean(inside(thing, _some(points, ENOUGH_POINTS), NEAR_M)))
