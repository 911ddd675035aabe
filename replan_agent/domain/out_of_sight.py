"""Things that were on or in something, and are not seen any more: they may still be there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .goal import Goal, Predicate, is_inside, is_resting_on
from .scene import Scene, SceneObject

COVERED_M = 0.02  # a thing that is no farther away than this may have slid over another one


def keeping_contents(before: Scene, now: Scene) -> Scene:
    """The scene now, with things that were in a container and that its other contents may cover.

    A thing that lay in a bin does not leave it by itself. It stays where it was seen last,
    relative to its container.
    """
    kept = []
    for thing in () if now.stale else before.movable():
        if thing.name in (before.held, now.held) or now.get(thing.name) is not None:
            continue
        inside = next((c for c in before.objects if c.is_container and c.name != thing.name
                       and is_inside(thing, c)), None)
        container = now.get(inside.name) if inside is not None else None
        if inside is None or container is None or _has_new_name(thing, before, now):
            continue
        dx, dy, dz = (b - a for a, b in zip(inside.position, container.position))
        there = replace(thing, pose=thing.pose.moved(dx, dy, dz))
        if any(is_inside(other, container) and _may_cover(other, there)
               for other in now.movable() if other.name not in (container.name, now.held)):
            kept.append(there)
    return replace(now, objects=(*now.objects, *kept)) if kept else now


def _may_cover(other: SceneObject, thing: SceneObject) -> bool:
    reach = [math.hypot(*o.half_extents_in_base()[:2]) for o in (other, thing)]
    return math.dist(other.position[:2], thing.position[:2]) < sum(reach) + COVERED_M


def may_still_be_there(goals: Iterable[Goal], scenes: Sequence[Scene]) -> list[str]:
    """The things that may keep something from being clear in the last of the scenes.

    Each was last seen on it, in it or in the hand. It counts as seen if a new thing of its colour
    was seen since: the camera may take a part of a cube for a cylinder.
    """
    now, found = scenes[-1], dict[str, None]()
    last = {o.name: scene for scene in scenes for o in scene.objects if o.movable}
    targets = [part.object for goal in goals
               if goal.predicate is Predicate.CLEAR and not goal.negated
               for part in goal.named(now)]
    for name, scene in last.items():
        thing = scene.get(name)
        if thing is None or now.get(name) is not None or _has_new_name(thing, scene, now):
            continue
        on = [below for target in targets if (below := scene.get(target or '')) is not None
              and below.name != name and (scene.held == name or is_resting_on(thing, below))]
        found.update({name: None} if on else {})
    return list(found)


def _has_new_name(thing: SceneObject, then: Scene, now: Scene) -> bool:
    return any(o.colour == thing.colour and then.get(o.name) is None for o in now.objects)
