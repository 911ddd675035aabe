"""Whether an object has room to stand somewhere."""

from __future__ import annotations

import math

from .scene import Scene, SceneObject
from .support import footprint

RELEASE_GAP_M = 0.004  # an object is lowered this close to its support before the release
SPACING_M = 0.02  # free space around an object that is put down
UNDER_M = 0.05  # an object that starts higher than this above the point is not in the way


def is_on_top(table: SceneObject, at: tuple[float, float], edge_m: float) -> bool:
    """Whether a point is over the table and at least `edge_m` from its edge."""
    half = table.half_extents_in_base()
    return all(abs(v - c) <= h - edge_m for v, c, h in zip(at, table.position, half))


def occupants(thing: SceneObject, at: tuple[float, float, float], scene: Scene,
              support: str = '') -> list[SceneObject]:
    """The objects in the way of putting an object's bottom at a point (m) above its support."""
    near = [o for o in scene.without([thing.name, support])
            if math.dist(at[:2], o.position[:2]) < footprint(thing) + footprint(o) + SPACING_M]
    return [o for o in near if o.top_z > at[2] and o.bottom_z < at[2] + UNDER_M]
