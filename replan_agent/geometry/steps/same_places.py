# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
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
    pairs = ((o.pose, now.get(o.name)) for o in before.objects if o.name not in ignoring)
    return all(new is None or (old.distance_to(new.pose) <= moved_m
                               and old.angle_to(new.pose) <= turned_rad) for old, new in pairs)
