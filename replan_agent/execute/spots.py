# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a held object can be put: on a thing, into a container, or somewhere on the table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.geometry.room import free_place
from replan_agent.geometry.room.container_room import Room
from replan_agent.geometry.room.hand_parts import hand_parts
from replan_agent.geometry.room.hand_room import RELEASE_ROOM_M

DROPPED_M = 0.006  # a thing that is let go higher than this is dropped


@dataclass(frozen=True)
class PutSpot:
    """The place (m, base frame) for the bottom centre of the held object."""

    x: float
    y: float
    z: float
    support: str
    yaw: float | None = None  # align with this angle (rad)
    fold: float = math.pi / 2  # angles that differ by this are equally good
    turn: float | None = None  # turn the object by this angle (rad)
    drop: bool = False  # let go in the air
    snug: bool = False  # between neighbours: only contact counts, not the room around it


def spot_at(x: float, y: float, table: SceneObject, yaw: float | None = None,
            snug: bool = False, fold: float = math.pi / 2) -> PutSpot:
    return PutSpot(x, y, table.top_z + free_place.RELEASE_GAP_M, table.name, yaw, fold, snug=snug)


def spot_on(target: SceneObject, at: tuple[float, float] | None = None) -> PutSpot:
    """The middle of the top of something solid, or a point (m, base frame) on it."""
    x, y = at or target.position[:2]
    return PutSpot(x, y, target.top_z + free_place.RELEASE_GAP_M, target.name,
                target.pose.yaw if at is None else None, turn=None if at is None else 0.0)


def spots_on(held: SceneObject, target: SceneObject, scene: Scene) -> Iterator[PutSpot]:
    """The middle of its top, and other places on it that are free, such as on a plate."""
    first = free_place.middle_is_top(target)
    if first:
        yield spot_on(target)
    for x, y in free_place.free_tops(held, target, scene):
        if (x, y) != target.position[:2]:
            yield PutSpot(x, y, target.top_z + free_place.RELEASE_GAP_M, target.name, turn=0.0)
        elif not first:
            yield spot_on(target)


def spots_in(held: SceneObject, container: SceneObject, scene: Scene,
             hand: HandShape) -> Iterator[PutSpot]:
    """Places inside a container, the best first: see `Room.places`."""
    arm, parts = scene.arm, []
    if arm is not None:
        parts = hand_parts(hand, arm.tcp, arm.gripper_width, RELEASE_ROOM_M)
    for place in Room(container, scene, [held.name]).places(held, parts):
        yield PutSpot(place.x, place.y, place.release_z + free_place.RELEASE_GAP_M, container.name,
                   turn=place.turn, drop=place.release_z - place.rest_z > DROPPED_M)


def free_spots(held: SceneObject, table: SceneObject, scene: Scene) -> Iterator[PutSpot]:
    """Spots on the table: first those nearest to the object, then a fan in front of the arm."""
    fan = free_place.fan(held.position[:2])
    return (spot_at(x, y, table) for x, y in free_place.free_places(held, scene, fan))


def occupant(spot: PutSpot, held: SceneObject, scene: Scene, turn: float) -> str | None:
    """The name of the object that is in the way at the spot, or None."""
    support = scene.get(spot.support)
    if spot.snug or (support is not None and support.is_container):
        return None  # `Room` knows what is inside
    found = free_place.occupants(held, (spot.x, spot.y, spot.z), scene, spot.support, turn)
    return found[0].name if found else None
