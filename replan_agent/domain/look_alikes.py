"""When a goal may switch to a look-alike of an object that was proved impossible to use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .failure import Attempt
from .goal import Goal
from .scene import Scene, SceneObject

SAME_SIZE = 0.15  # relative


def is_look_alike(one: SceneObject, other: SceneObject) -> bool:
    """Whether the two look the same: same shape, same colour, about the same size."""
    sizes = zip(sorted(one.size), sorted(other.size))
    return (one.shape is other.shape and one.colour == other.colour
            and all(abs(a - b) <= SAME_SIZE * max(a, b) for a, b in sizes))


def may_replace(old: Sequence[Goal], new: Sequence[Goal], scene: Scene,
                attempts: Iterable[Attempt]) -> bool:
    """Whether `new` is `old` with impossible objects replaced by their look-alikes.

    Any other change would weaken the goal.
    """
    hopeless = {name for a in attempts if a.diagnosis and a.diagnosis.proved
                for name in a.args.values() if isinstance(name, str)}
    return len(old) == len(new) and all(
        a == b or _swaps(a, b, scene, hopeless) for a, b in zip(old, new))


def _swaps(old: Goal, new: Goal, scene: Scene, hopeless: set[str]) -> bool:
    if replace(new, object=old.object) != old or old.object not in hopeless:
        return False
    before, now = scene.get(old.object or ''), scene.get(new.object or '')
    return before is not None and now is not None and is_look_alike(before, now)
