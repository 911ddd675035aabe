"""Whether an object has room to stand somewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator

from .scene import Scene, SceneObject
from .support import footprint, weight_off_m

RELEASE_GAP_M = 0.004  # an object is lowered this close to its support before the release
SPACING_M = 0.02  # free space around an object that is put down
UNDER_M = 0.05  # an object that starts higher than this above the point is not in the way
EDGE_M = 0.03  # stay this far from the table's edge
RADII_M = (0.50, 0.45, 0.55, 0.40, 0.60, 0.35)
BEARINGS_DEG = (0, 15, -15, 30, -30, 45, -45, 60, -60)


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


def free_points(thing: SceneObject, table: SceneObject, scene: Scene
                ) -> Iterator[tuple[float, float]]:
    """Where (x, y, m) it has room on the table: nearest first, then a fan in front of the arm."""
    here = (thing.position[0], thing.position[1])
    fan = [(r * math.cos(math.radians(b)), r * math.sin(math.radians(b)))
           for r in RADII_M for b in BEARINGS_DEG]
    edge_m = EDGE_M + weight_off_m(thing)  # however it is turned
    for at in [here, *sorted(fan, key=lambda p: math.dist(p, here))]:
        stands = (*at, table.top_z + RELEASE_GAP_M)
        if is_on_top(table, at, edge_m) and not occupants(thing, stands, scene, table.name):
            yield at
