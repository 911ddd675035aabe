"""Things that were on or in something, and are not seen any more: they may still be there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .goal import Goal, Predicate, is_resting_on
from .scene import Scene, SceneObject


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
