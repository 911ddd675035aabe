# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether the hand has room around a thing that it takes or puts down: by the outlines of all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache

from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.shape import ROUND, Shape

from ..outlines import Part, gap_m, parts
from ..support import half_extent_along, may_be_near
from .free_place import RELEASE_GAP_M, has_room, stands_on
from .hand_parts import half_hand_m, hand_parts

FINGER_GAP_M = 0.004  # free space that the open fingers need outside
PALM_GAP_M = 0.003
PLAY_M = 0.008  # free space that the two pads need on the way in
RELEASE_ROOM_M = 0.02  # by how much the pads open to let go
TURNS = tuple(math.radians(d) for d in (0, 90, -90, 180, 45, -45, 135, -135))  # of a put-down
BEARINGS = 8  # closing directions around a round thing

Placed = Sequence[Part]  # a hand


def closings(thing: SceneObject) -> list[float]:
    """Horizontal directions (rad) along which fingers can close on the object."""
    if thing.shape in ROUND or thing.shape is Shape.SPHERE:
        return [math.pi * k / BEARINGS for k in range(BEARINGS)]
    return [thing.pose.yaw, thing.pose.yaw + math.pi / 2]


def hand_at(thing: SceneObject, yaw: float, hand: HandShape,
            spread_m: float = 2 * FINGER_GAP_M) -> list[Part]:
    """The hand around the object, from above, with the fingers closing along `yaw`.

    `spread_m` is how much wider than the object they are open.
    """
    x, y, z = thing.position
    z = max(z, thing.top_z - hand.palm_above_tcp_m + PALM_GAP_M)
    tcp = Pose.from_rpy(x, y, z, roll=math.pi, yaw=yaw + math.pi / 2)
    return hand_parts(hand, tcp, 2 * half_extent_along(thing, yaw), spread_m)


def meets(hand: Placed, other: SceneObject) -> bool:
    """Whether a part of the hand would be inside the other thing."""
    return any(part.bottom_z < own.top_z and part.top_z > own.bottom_z
               and gap_m([part], [own]) < 0.0 for part in hand for own in parts(other))


def fits_between_pads(width_m: float, hand: HandShape) -> bool:
    """Whether the open fingers go around something so wide."""
    return width_m + PLAY_M <= hand.max_width_m


def too_wide(name: str, width_m: float, widest_m: float, about: str = '') -> str:
    """The sentence about something that the open fingers do not go around."""
    play = f', {PLAY_M * 1000:.0f} mm of it to pass its sides' * (width_m <= widest_m)
    return (f'{name} is {about}{width_m * 1000:.0f} mm across at its narrowest as it lies, too '
            f'wide for a gripper that opens {widest_m * 1000:.0f} mm{play}')


def hand_can_put(thing: SceneObject, at: tuple[float, float], scene: Scene,
                 turns: Sequence[float] = TURNS) -> bool:
    """Whether the hand has room to put the thing down at a point (m) of the table.

    In one of the turns (rad), and with the grasp at hand; before there is one, with every grasp
    from above that may be chosen. What the arm reaches is another question. If the scene does not
    say which hand there is, the thing alone needs room.
    """
    table = scene.table
    if table is None:
        return False
    z = table.top_z + RELEASE_GAP_M
    others = [o for o in scene.without([thing.name]) if o is not table
              and scene.hand is not None and may_be_near(thing, at, o, half_hand_m(scene.hand))]
    rise = z - thing.bottom_z

    @cache
    def fits(turn: float) -> bool:
        return (stands_on(thing, table, at, turn)
                and has_room(thing, (*at, z), scene, table.name, turn))

    def is_free(hand: Placed, turn: float) -> bool:
        there = [part.placed(turn, thing.position, at, rise) for part in hand]
        return not any(meets(there, other) for other in others)

    return any(map(fits, turns)) and all(any(fits(turn) and is_free(hand, turn) for turn in turns)
                                         for hand in _hands(thing, scene))


def _hands(thing: SceneObject, scene: Scene) -> list[list[Part]]:
    """The hand as it holds the thing; before that, the hands that may."""
    arm, hand = scene.arm, scene.hand
    if hand is None:
        return []
    if (scene.held == thing.name and arm is not None
            and math.dist(arm.tcp.position, thing.position) <= max(thing.size)):
        return [hand_parts(hand, arm.tcp, arm.gripper_width, RELEASE_ROOM_M)]
    return _likely_hands(thing, hand)


@lru_cache(maxsize=64)
def _likely_hands(thing: SceneObject, hand: HandShape) -> list[list[Part]]:
    return [hand_at(thing, yaw, hand, RELEASE_ROOM_M) for yaw in closings(thing)
            if fits_between_pads(2 * half_extent_along(thing, yaw), hand)]
