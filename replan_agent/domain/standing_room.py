"""Whether an object has room to stand somewhere: by the true outlines of all things."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from .outlines import beyond_m, gap_m, parts, placed
from .scene import Scene, SceneObject
from .support import footprint, surface_height

RELEASE_GAP_M = 0.004  # an object is lowered this close to its support before the release
SPACING_M = 0.025  # free space around an object that is put down: the fingers open there
UNDER_M = 0.05  # an object that starts higher than this above the point is not in the way
EDGE_M = 0.01  # the outline stays this far from the table's edge
RADII_M = (0.50, 0.45, 0.55, 0.40, 0.60, 0.35, 0.65)
BEARINGS_DEG = (0, 15, -15, 30, -30, 45, -45, 60, -60, 75, -75)
TOP_STEP_M = 0.01  # between the points that are tried on a plate
PACK_STEP_M, PACK_BEARINGS = 0.004, 16  # the same, for one of several things on it


def is_on_top(table: SceneObject, at: tuple[float, float], edge_m: float) -> bool:
    """Whether a point is over the table and at least `edge_m` from its edge."""
    half = table.half_extents_in_base()
    return all(abs(v - c) <= h - edge_m for v, c, h in zip(at, table.position, half))


def stands_on(thing: SceneObject, table: SceneObject, at: tuple[float, float],
              turn: float = 0.0) -> bool:
    """Whether all of its outline would be on the table, turned by `turn` (rad) at a point."""
    return beyond_m(placed(thing, turn, at), table) <= -EDGE_M


def occupants(thing: SceneObject, at: tuple[float, float, float], scene: Scene,
              support: str = '', turn: float = 0.0) -> list[SceneObject]:
    """The objects in the way of putting an object's bottom at a point (m) above its support.

    The object is turned by `turn` (rad) there.
    """
    return list(_in_the_way(thing, at, scene, support, turn))


def has_room(thing: SceneObject, at: tuple[float, float, float], scene: Scene,
            support: str = '', turn: float = 0.0) -> bool:
    """Whether no object is in the way there: `occupants` would be empty."""
    return next(_in_the_way(thing, at, scene, support, turn), None) is None


def _in_the_way(thing: SceneObject, at: tuple[float, float, float], scene: Scene, support: str,
                turn: float) -> Iterator[SceneObject]:
    reach, own = footprint(thing) + SPACING_M, None
    for o in scene.objects:
        if (o.name != thing.name and o.name != support
                and math.dist(at[:2], o.position[:2]) < reach + footprint(o)
                and o.top_z > at[2] and o.bottom_z < at[2] + UNDER_M):
            own = own or placed(thing, turn, at)
            if gap_m(own, parts(o)) < SPACING_M:
                yield o


def free_points(thing: SceneObject, table: SceneObject, scene: Scene,
                keep_away: Sequence[tuple[tuple[float, float], float]] = (),
                ) -> Iterator[tuple[float, float]]:
    """Where (x, y, m) it has room on the table: nearest first, then a fan in front of the arm.

    Its circle stays out of the circles (centre, radius) of `keep_away`.
    """
    own = footprint(thing)
    here = (thing.position[0], thing.position[1])
    fan = [(r * math.cos(math.radians(b)), r * math.sin(math.radians(b)))
           for r in RADII_M for b in BEARINGS_DEG]
    for at in [here, *sorted(fan, key=lambda p: math.dist(p, here))]:
        stands = (*at, table.top_z + RELEASE_GAP_M)
        if (all(math.dist(at, centre) > own + room for centre, room in keep_away)
                and stands_on(thing, table, at)
                and has_room(thing, stands, scene, table.name)):
            yield at


def free_tops(thing: SceneObject, target: SceneObject, scene: Scene
              ) -> Iterator[tuple[float, float]]:
    """Where (x, y, m) it has room on top of a thing, such as a plate: the middle first.

    Anywhere else, all of its outline must be over the target. A middle below the top comes last,
    and one beside the target, as that of an L, does not count.
    """
    x, y, _ = target.position
    high = middle_is_top(target)
    z = target.top_z + RELEASE_GAP_M
    far = int(max(0.0, footprint(target) - min(thing.size[:2]) / 2) / TOP_STEP_M)
    steps = [(i * TOP_STEP_M, j * TOP_STEP_M) for i in range(-far, far + 1)
             for j in range(-far, far + 1)]
    for dx, dy in sorted(steps, key=lambda step: math.hypot(*step)):
        at = (x + dx, y + dy)
        if has_room(thing, (*at, z), scene, target.name) and (
                _is_on(thing, target, at) if dx or dy else high):
            yield at
    if (not high and surface_height(target, x, y) is not None
            and has_room(thing, (x, y, z), scene, target.name)):
        yield x, y


def packed_top(thing: SceneObject, target: SceneObject, scene: Scene
               ) -> tuple[float, float] | None:
    """The free place (x, y, m) on top of a thing that leaves most room for others, or None."""
    x, y, _ = target.position
    steps = [i * PACK_STEP_M for i in range(int(footprint(target) / PACK_STEP_M), -1, -1)]
    best: tuple[float, tuple[float, float]] | None = None
    for k in range(PACK_BEARINGS):
        yaw = target.pose.yaw + k * math.tau / PACK_BEARINGS
        for far in steps:
            if best is not None and far <= best[0]:
                break
            at = (x + far * math.cos(yaw), y + far * math.sin(yaw))
            z = target.top_z + RELEASE_GAP_M
            if has_room(thing, (*at, z), scene, target.name) and _is_on(thing, target, at):
                best = far, at
                break
    return best[1] if best is not None else None


def _is_on(thing: SceneObject, target: SceneObject, at: tuple[float, float]) -> bool:
    """Whether all of its outline would be over the target's top."""
    corners = [p for part in placed(thing, 0.0, at) for p in part.outline.tolist()]
    middle, most = target.position[:2], footprint(target)
    return (all(math.dist(p, middle) <= most for p in corners)  # cheap, and often enough for a no
            and all(is_top(target, *p) for p in corners))


def middle_is_top(target: SceneObject) -> bool:
    """Whether the middle of its footprint is on its top. That of an irregular thing may not be."""
    return not target.pieces or is_top(target, *target.position[:2])


def is_top(target: SceneObject, x: float, y: float) -> bool:
    """Whether the target's surface is there, and as high as its top."""
    height = surface_height(target, x, y)
    return height is not None and height > target.top_z - RELEASE_GAP_M
