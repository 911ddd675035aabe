# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A free place: where a thing has room to stand, by the true outlines of all things.

Everyone who looks for a place has the same reach, room around the thing and edge of the table.
They differ in the points that they try, and in their order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.scene import Scene, SceneObject

from ..outlines import beyond_m, gap_m, parts, placed
from ..support import footprint, surface_height

RELEASE_GAP_M = 0.004  # an object is lowered this close to its support before the release
UNEVEN_M = RELEASE_GAP_M - 0.0015  # below the point so far, nothing is in the way: it is as high
SPACING_M = 0.025  # free space around an object that is put down: the fingers open there
UNDER_M = 0.05  # an object that starts higher than this above the point is not in the way
EDGE_M = 0.01  # the outline stays this far from the table's edge
FINGER_EDGE_M = 0.02  # closer to the edge than this, the fingers have little room
ASIDE_EDGE_M = FINGER_EDGE_M + EDGE_M  # of what is put aside: it may be taken again
FAN_RADII_M = (0.50, 0.45, 0.55, 0.40, 0.60, 0.35, 0.65)
FAN_BEARINGS_DEG = (0, 15, -15, 30, -30, 45, -45, 60, -60, 75, -75)
RINGS_M, RING_BEARINGS, MIDDLE_M = (0.10, 0.14, 0.18, 0.24, 0.30), 16, 0.5
GRID_M = 0.02
TOP_STEP_M = 0.01  # between the points that are tried on a plate
PACK_STEP_M, PACK_BEARINGS = 0.004, 16  # the same, for one of several things on it

Point = tuple[float, float]  # x, y (m)
KeepAway = tuple[tuple[Point, float], ...]  # circles (centre, radius in m) to stay out of


def is_on_top(table: SceneObject, at: Point, edge_m: float) -> bool:
    """Whether a point is over the table and at least `edge_m` from its edge."""
    half = table.half_extents_in_base()
    return all(abs(v - c) <= h - edge_m for v, c, h in zip(at, table.position, half))


def stands_on(thing: SceneObject, table: SceneObject, at: Point, turn: float = 0.0,
              edge_m: float = EDGE_M) -> bool:
    """Whether all of its outline would be on the table, turned by `turn` (rad) at a point."""
    return beyond_m(placed(thing, turn, at), table) <= -edge_m


def occupants(thing: SceneObject, at: tuple[float, float, float], scene: Scene,
              support: str = '', turn: float = 0.0) -> list[SceneObject]:
    """The objects in the way of putting an object's bottom at a point (m) above its support.

    The object is turned by `turn` (rad) there.
    """
    return list(_in_the_way(thing, at, scene, support, turn))


def has_room(thing: SceneObject, at: tuple[float, float, float], scene: Scene,
             support: str = '', turn: float = 0.0, spacing_m: float = SPACING_M) -> bool:
    """Whether no object is closer than the spacing there."""
    return next(_in_the_way(thing, at, scene, support, turn, spacing_m), None) is None


def _in_the_way(thing: SceneObject, at: tuple[float, float, float], scene: Scene, support: str,
                turn: float, spacing_m: float = SPACING_M) -> Iterator[SceneObject]:
    reach, own = footprint(thing) + spacing_m, None
    for o in scene.objects:
        if (o.name != thing.name and o.name != support
                and math.dist(at[:2], o.position[:2]) < reach + footprint(o)
                and o.top_z > at[2] - UNEVEN_M and o.bottom_z < at[2] + UNDER_M):
            own = own or placed(thing, turn, at)
            if gap_m(own, parts(o)) < spacing_m:
                yield o


def is_within_reach(at: Point, hand: HandShape | None) -> bool:
    return hand is None or hand.reach_m[0] <= math.hypot(*at) <= hand.reach_m[1]


def is_outside(at: Point, keep_away: KeepAway) -> bool:
    """Whether a point is in none of the circles."""
    return all(math.dist(at, centre) >= radius for centre, radius in keep_away)


def is_free(thing: SceneObject, at: Point, scene: Scene, turn: float = 0.0,
            spacing_m: float = SPACING_M, edge_m: float = EDGE_M) -> bool:
    """Whether it can stand at a point of the table, turned by `turn` (rad)."""
    table = scene.table
    return table is not None and stands_on(thing, table, at, turn, edge_m) and has_room(
        thing, (*at, table.top_z + RELEASE_GAP_M), scene, table.name, turn, spacing_m)


def free_places(thing: SceneObject, scene: Scene, points: Iterable[Point],
                keep_away: KeepAway = (), spacing_m: float = SPACING_M, edge_m: float = EDGE_M
                ) -> Iterator[Point]:
    """Those of the points on the table where the arm can put the thing down.

    Its centre stays out of the circles of `keep_away`.
    """
    return (at for at in points if is_within_reach(at, scene.hand) and is_outside(at, keep_away)
            and is_free(thing, at, scene, spacing_m=spacing_m, edge_m=edge_m))


def fan(here: Point) -> list[Point]:
    """This point, and a fan in front of the arm, the nearest first."""
    points = [(r * math.cos(math.radians(b)), r * math.sin(math.radians(b)))
              for r in FAN_RADII_M for b in FAN_BEARINGS_DEG]
    return [here, *sorted(points, key=lambda p: math.dist(p, here))]


def rings(here: Point) -> Iterator[Point]:
    """Points around this one, ring by ring; in each, those in the middle of the reach first."""
    for ring in RINGS_M:
        around = [(round(here[0] + ring * math.cos(math.tau * k / RING_BEARINGS), 3),
                   round(here[1] + ring * math.sin(math.tau * k / RING_BEARINGS), 3))
                  for k in range(RING_BEARINGS)]
        yield from sorted(around, key=lambda p: abs(math.hypot(*p) - MIDDLE_M))


def grid(hand: HandShape | None) -> list[Point]:
    """Points all over the reach of the arm."""
    points = ((i * GRID_M, j * GRID_M) for i in range(12, 38) for j in range(-30, 31))
    return [at for at in points if is_within_reach(at, hand)]


def free_tops(thing: SceneObject, target: SceneObject, scene: Scene) -> Iterator[Point]:
    """Where (x, y, m) it has room on top of a thing, such as a plate: the middle first.

    Anywhere else, all of its outline must be over the target. A middle below the top comes last,
    and one beside the target, as that of an L, does not count.
    """
    x, y, _ = target.position
    high, z = middle_is_top(target), target.top_z + RELEASE_GAP_M
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


def packed_top(thing: SceneObject, target: SceneObject, scene: Scene) -> Point | None:
    """The free place (x, y, m) on top of a thing that leaves most room for others, or None."""
    x, y, _ = target.position
    yaws = [target.pose.yaw + k * math.tau / PACK_BEARINGS for k in range(PACK_BEARINGS)]
    points = ((x + i * PACK_STEP_M * math.cos(yaw), y + i * PACK_STEP_M * math.sin(yaw))
              for i in range(int(footprint(target) / PACK_STEP_M), -1, -1) for yaw in yaws)
    return next((at for at in points if has_room(
        thing, (*at, target.top_z + RELEASE_GAP_M), scene, target.name
    ) and _is_on(thing, target, at)), None)


def _is_on(thing: SceneObject, target: SceneObject, at: Point) -> bool:
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
