"""Whether a container has room left, from the outlines of what is in it."""

from __future__ import annotations

import math
from itertools import product

from .goal import RIM_MARGIN_M, is_inside
from .scene import Scene, SceneObject, Shape
from .support import half_extent_along, surface_height

BEARINGS = 16  # directions in which a round bowl is searched for room


def fillers(container: SceneObject, thing: SceneObject, scene: Scene) -> tuple[str, ...]:
    """The objects in the container that leave no room for `thing`; empty if there is room.

    An object fills a container if it reaches up to the rim and `thing` fits nowhere beside it.
    """
    needed = min(thing.size[:2])
    inside = [o for o in scene.without([thing.name, container.name]) if is_inside(o, container)]
    tall = [o for o in inside if o.top_z >= container.top_z - RIM_MARGIN_M]
    return tuple(o.name for o in tall if room_beside_m(o, container) < needed
                 and not _has_free_corner(o, container, needed))


def room_beside_m(thing: SceneObject, container: SceneObject) -> float:
    """The widest gap (m) between an object in a container and the container's walls."""
    (x, y, _), (cx, cy, _) = thing.position, container.position
    count = BEARINGS if container.shape is Shape.BOWL else 4
    gaps = []
    for k in range(count):
        yaw = container.pose.yaw + k * math.tau / count
        off = (x - cx) * math.cos(yaw) + (y - cy) * math.sin(yaw)
        gaps.append(half_extent_along(container, yaw) - off - half_extent_along(thing, yaw))
    return max(0.0, *gaps)


def _has_free_corner(thing: SceneObject, container: SceneObject, side: float) -> bool:
    """Whether a square of this side (m) fits into a corner of a bin beside the object."""
    if container.shape is Shape.BOWL:
        return False
    (cx, cy, _), yaw = container.position, container.pose.yaw
    along, across = (extent / 2 - side for extent in container.size[:2])
    for u, v in product((along, -along), (across, -across)):
        x, y = u * math.cos(yaw) - v * math.sin(yaw), u * math.sin(yaw) + v * math.cos(yaw)
        if surface_height(thing, cx + x, cy + y) is None:
            return True
    return False
