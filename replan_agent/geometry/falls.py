# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What fell or toppled between two looks."""

from __future__ import annotations

from collections.abc import Collection

from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.shape import Shape

from .judging import is_inside, supports
from .support import is_upright, up_alignment

FELL_M = 0.02  # an object that is this much lower has fallen
TOPPLED = 0.3  # change of the cosine between its own axis and the vertical
SAME_SIZE_M, LOWER_M = 0.006, 0.015  # a camera sees a box upright: lying, its sides are swapped
SEEN_S = 0.5  # an object that was seen this long before the look counts as seen in it


def falls(before: Scene, after: Scene, except_for: Collection[str] = ()) -> list[str]:
    """Sentences about the movable objects that fell, toppled, or are not seen any more."""
    found = []
    for thing in before.movable():
        if thing.name in (*except_for, before.held, after.held):
            continue
        now = after.get(thing.name)
        if now is not None:
            found.append(fall(thing, now))
        elif before.stamp - thing.seen_at <= SEEN_S:
            found.append(f'{thing.name} is not seen any more')
    return [said for said in found if said]


def fall(before: SceneObject, now: SceneObject) -> str:
    """How the object fell or toppled, in a sentence; empty if it did not."""
    lower = before.position[2] - now.position[2]
    if lower > FELL_M:
        return f'{now.name} fell: it is {lower * 1000:.0f} mm lower than before'
    is_over = abs(_leans_more(before, now)) > TOPPLED or _lies_lower(before, now)
    return f'{now.name} toppled' if is_over else ''


def toppled(before: Scene, after: Scene) -> tuple[str, ...]:
    """The movable objects that stood, and lie on their sides now. In a container they may lie."""
    return tuple(
        now.name for thing in before.movable()
        if (now := after.get(thing.name)) is not None and now.name != after.held
        and (after.table is None or supports(now, after))  # else a person has it
        and (_leans_more(thing, now) > TOPPLED or _lies_lower(thing, now))
        and not any(o.is_container and is_inside(now, o) for o in after.objects))


def _leans_more(before: SceneObject, now: SceneObject) -> float:
    """How much further an object's own axis is from the vertical; 0 for a ball."""
    if before.shape is Shape.SPHERE:
        return 0.0
    return abs(up_alignment(before)) - abs(up_alignment(now))


def _lies_lower(before: SceneObject, now: SceneObject) -> bool:
    """Whether both looks show it upright with the same sides, but not as high as before."""
    return (all(o.shape in (Shape.BOX, Shape.IRREGULAR) and is_upright(o)
                for o in (before, now))
            and all(abs(a - b) <= SAME_SIZE_M
                    for a, b in zip(sorted(before.size), sorted(now.size)))
            and before.size[2] - now.size[2] > LOWER_M)
