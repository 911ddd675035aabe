"""What fell or toppled between two looks."""

from __future__ import annotations

from collections.abc import Collection

from .scene import Scene, SceneObject
from .shape import Shape
from .support import up_alignment

FELL_M = 0.02  # an object that is this much lower has fallen
TOPPLED = 0.3  # change of the cosine between its own axis and the vertical
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
    leans = abs(up_alignment(before)) - abs(up_alignment(now))
    if before.shape is not Shape.SPHERE and abs(leans) > TOPPLED:
        return f'{now.name} toppled'
    return ''
