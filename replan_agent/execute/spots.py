"""Where a held object can be put: on a thing, into a container, or somewhere on the table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from replan_agent.domain.goal import is_inside
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.standing_room import RELEASE_GAP_M, free_points, occupants
from replan_agent.domain.support import footprint

HAND_BELOW_RIM_M = 0.030  # the fingers may dip this far into a container, the palm may not
WALL_M = 0.008  # thickness to allow for a bin's walls
FLOOR_M = 0.010  # thickness to allow for a container's floor


@dataclass(frozen=True)
class Spot:
    """The place (m, base frame) for the bottom centre of the held object."""

    x: float
    y: float
    z: float
    support: str
    yaw: float | None = None  # align with this angle (rad), modulo a quarter turn
    drop: bool = False  # let go in the air
    snug: bool = False  # between neighbours: only contact counts, not the room around it


def spot_at(x: float, y: float, table: SceneObject, yaw: float | None = None,
            snug: bool = False) -> Spot:
    return Spot(x, y, table.top_z + RELEASE_GAP_M, table.name, yaw, snug=snug)


def spot_on(target: SceneObject) -> Spot:
    """The middle of the top of something solid."""
    x, y, _ = target.position
    return Spot(x, y, target.top_z + RELEASE_GAP_M, target.name, target.pose.yaw)


def spots_in(held: SceneObject, container: SceneObject, scene: Scene) -> Iterator[Spot]:
    """Places inside a container: the emptiest first, each as deep as the hand can go.

    The same places follow again higher up, to drop the object from there.
    """
    others = [o for o in scene.without([held.name, container.name]) if is_inside(o, container)]
    floor = container.bottom_z + FLOOR_M
    places = [(max([floor, *(o.top_z for o in others if _over(o, held, at))]), at)
              for at in _inside(container, footprint(held))]
    places.sort(key=lambda place: place[0])  # stable: the middle stays first among equals
    # The TCP is near the middle of the held object. The palm must stay above the rim.
    middle = (held.top_z - held.bottom_z) / 2
    for dip in (HAND_BELOW_RIM_M, HAND_BELOW_RIM_M / 2, 0.0):
        for ground, (x, y) in places:
            z = max(ground + RELEASE_GAP_M, container.top_z - dip - middle)
            yield Spot(x, y, z, container.name, drop=True)


def _inside(container: SceneObject, room: float) -> list[tuple[float, float]]:
    """Points over a container's floor at least `room` from its walls, the middle first."""
    x, y, _ = container.position
    if container.shape is Shape.BOWL:
        return [(x, y)]
    c, s = math.cos(container.pose.yaw), math.sin(container.pose.yaw)
    ends = [max(0.0, side / 2 - WALL_M - room) for side in container.size[:2]]
    points = [(u * ends[0], v * ends[1]) for u in (0, 1, -1) for v in (0, 1, -1)]
    return [(x + c * u - s * v, y + s * u + c * v) for u, v in dict.fromkeys(points)]


def _over(other: SceneObject, held: SceneObject, at: tuple[float, float]) -> bool:
    return math.dist(other.position[:2], at) < footprint(other) + footprint(held)


def free_spots(held: SceneObject, table: SceneObject, scene: Scene) -> Iterator[Spot]:
    """Spots on the table: first those nearest to the object, then a fan in front of the arm."""
    return (spot_at(x, y, table) for x, y in free_points(held, table, scene))


def occupant(spot: Spot, held: SceneObject, scene: Scene) -> str | None:
    """The name of the object that already stands at the spot, or None."""
    support = scene.get(spot.support)
    if support is not None and support.is_container:
        return None  # objects pile up inside; `spots_in` sets the height
    found = occupants(held, (spot.x, spot.y, spot.z), scene, spot.support)
    return found[0].name if found else None
