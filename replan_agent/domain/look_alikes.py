"""When a goal may be about another object: one that looks the same, in place of a hopeless one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .failure import Attempt
from .goal import Goal
from .scene import Scene, SceneObject

SAME_SIZE = 0.15  # relative


def is_look_alike(one: SceneObject, other: SceneObject) -> bool:
    """Whether words about looks mean both: same shape, colour and about the same size."""
    sizes = zip(sorted(one.size), sorted(other.size))
    return (one.shape is other.shape and one.colour == other.colour
            and all(abs(a - b) <= SAME_SIZE * max(a, b) for a, b in sizes))


def may_replace(old: Sequence[Goal], new: Sequence[Goal], scene: Scene,
                attempts: Iterable[Attempt]) -> bool:
    """Whether `new` asks for the same as `old` of look-alikes of what was proved impossible.

    Anything else would weaken the goal.
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
