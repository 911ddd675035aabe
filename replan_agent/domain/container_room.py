"""Whether a container has room left, from the outlines of what is in it."""

from __future__ import annotations

import math

from .goal import RIM_MARGIN_M, is_inside
from .scene import Scene, SceneObject, Shape
from .support import half_extent_along


def fillers(container: SceneObject, thing: SceneObject, scene: Scene) -> tuple[str, ...]:
    """The objects in the container that leave no room for `thing`; empty if there is room.

    An object fills a container if it reaches up to the rim and `thing` fits nowhere beside it.
    """
    inside = [o for o in scene.without([thing.name, container.name]) if is_inside(o, container)]
    tall = [o for o in inside if o.top_z >= container.top_z - RIM_MARGIN_M]
    needed = min(thing.size[:2])
    return tuple(o.name for o in tall if room_beside_m(o, container) < needed)


def room_beside_m(thing: SceneObject, container: SceneObject) -> float:
    """The widest gap (m) between an object in a container and the container's wall."""
    (x, y, _), (cx, cy, _) = thing.position, container.position
    quarters = [container.pose.yaw + k * math.pi / 2 for k in range(4)]
    gaps = []
    for yaw in quarters:
        off = (x - cx) * math.cos(yaw) + (y - cy) * math.sin(yaw)
        wall = (max(container.size[:2]) / 2 if container.shape is Shape.BOWL
                else half_extent_along(container, yaw))
        gaps.append(wall - off - half_extent_along(thing, yaw))
    return max(0.0, max(gaps))
