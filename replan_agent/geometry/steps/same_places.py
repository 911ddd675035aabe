"""Whether two scenes show the same objects in the same places."""

from __future__ import annotations

import math
from collections.abc import Collection

from replan_agent.domain.scene import Scene


def same_places(before: Scene, now: Scene, moved_m: float, turned_rad: float = math.inf,
                ignoring: Collection[str | None] = ()) -> bool:
    """Same objects, same held object, none moved or turned by more than the limits.

    The places of those in `ignoring` do not matter.
    """
    if before.held != now.held or set(before.names()) != set(now.names()):
        return False
    for old in before.objects:
        new = now.get(old.name)
        if new is None or old.name in ignoring:
            continue
        if (old.pose.distance_to(new.pose) > moved_m
                or old.pose.angle_to(new.pose) > turned_rad):
            return False
    return True
