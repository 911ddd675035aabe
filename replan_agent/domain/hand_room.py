"""Whether the hand has room around a thing that it takes or puts down: by the outlines of all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache

from .franka import MAX_GRIPPER_WIDTH_M, PALM_ABOVE_TCP_M
from .hand_parts import HALF_HAND_M, hand_parts
from .outlines import Part, gap_m, parts
from .pose import Pose
from .scene import Scene, SceneObject
from .shape import ROUND, Shape
from .standing_room import RELEASE_GAP_M, has_room, stands_on
from .support import half_extent_along, may_be_near

FINGER_GAP_M = 0.004  # free space that the open fingers need outside
PALM_GAP_M = 0.003
PLAY_M = 0.008  # free space that the two pads need on the way in
RELEASE_ROOM_M = 0.02  # by how much the pads open to let go
TURNS = tuple(math.radians(d) for d in (0, 90, -90, 180, 45, -45, 135, -135))  # of a put-down
BEARINGS = 8  # closing directions around a round thing

Hand = Sequence[Part]


def closings(thing: SceneObject) -> list[float]:
    """Horizontal directions (rad) along which fingers can close on the object."""
    if thing.shape in ROUND or thing.shape is Shape.SPHERE:
        return [math.pi * k / BEARINGS for k in range(BEARINGS)]
    return [thing.pose.yaw, thing.pose.yaw + math.pi / 2]


def hand_at(thing: SceneObject, yaw: float, spread_m: float = 2 * FINGER_GAP_M) -> list[Part]:
    """The hand around the object, from above, with the fingers closing along `yaw`.

    `spread_m` is how much wider than the object they are open.
    """
    x, y, z = thing.position
    z = max(z, thing.top_z - PALM_ABOVE_TCP_M + PALM_GAP_M)
    tcp = Pose.from_rpy(x, y, z, roll=math.pi, yaw=yaw + math.pi / 2)
    return hand_parts(tcp, 2 * half_extent_along(thing, yaw), spread_m)


def meets(hand: Hand, other: SceneObject) -> bool:
    """Whether a part of the hand would be inside the other thing."""
    return any(part.bottom_z < own.top_z and part.top_z > own.bottom_z
               and gap_m([part], [own]) < 0.0 for part in hand for own in parts(other))


def fits_between_pads(width_m: float) -> bool:
    """Whether the open fingers go around something so wide."""
    return width_m + PLAY_M <= MAX_GRIPPER_WIDTH_M


def hand_can_put(thing: SceneObject, at: tuple[float, float], scene: Scene,
                 turns: Sequence[float] = TURNS) -> bool:
    """Whether the hand has room to put the thing down at a point (m) of the table.

    In one of the turns (rad), and with the grasp at hand; before there is one, with every grasp
    from above that may be chosen. What the arm reaches is another question.
    """
    table = scene.table
    if table is None:
        return False
    z = table.top_z + RELEASE_GAP_M
    others = [o for o in scene.without([thing.name]) if o is not table
              and may_be_near(thing, at, o, HALF_HAND_M)]
    rise = z - thing.bottom_z

    @cache
    def fits(turn: float) -> bool:
        return (stands_on(thing, table, at, turn)
                and has_room(thing, (*at, z), scene, table.name, turn))

    def is_free(hand: Hand, turn: float) -> bool:
        there = [part.placed(turn, thing.position, at, rise) for part in hand]
        return not any(meets(there, other) for other in others)

    return any(map(fits, turns)) and all(any(fits(turn) and is_free(hand, turn) for turn in turns)
                                         for hand in _hands(thing, scene))


def _hands(thing: SceneObject, scene: Scene) -> list[list[Part]]:
    """The hand as it holds the thing; before that, the hands that may."""
    arm = scene.arm
    if (scene.held == thing.name and arm is not None
            and math.dist(arm.tcp.position, thing.position) <= max(thing.size)):
        return [hand_parts(arm.tcp, arm.gripper_width, RELEASE_ROOM_M)]
    return _likely_hands(thing)


@lru_cache(maxsize=64)
def _likely_hands(thing: SceneObject) -> list[list[Part]]:
    return [hand_at(thing, yaw, RELEASE_ROOM_M) for yaw in closings(thing)
            if fits_between_pads(2 * half_extent_along(thing, yaw))]
