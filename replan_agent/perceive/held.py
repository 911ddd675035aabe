# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which object is in the gripper, from encoders and perceived geometry alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

from replan_agent.domain.hand import CLOSED_M, WIDTH_SLACK_M
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.geometry.spans import between_pads
from replan_agent.geometry.support import is_near, surface_height

WALL_AT_MOST_M = 0.03  # pads this close inside a bowl's box hold it by its wall
IDLE_M = 0.0005  # pads that moved less since the last look have taken nothing since then
OUTSIDE_M = 0.012  # the TCP may be this far outside the box of an object it holds,
HANGS_M = 0.03  # and so far of one that hangs in the air, this high above all that is below it


def held_object(objects: Iterable[SceneObject], arm: ArmSnapshot, hand: HandShape,
                last: Scene | None = None) -> str | None:
    """The name of the object between the closed pads, or None.

    The TCP must be inside the object's box (with a little slack), and the distance between the
    pads must match the object's width along the closing axis. What is in the air at pads that are
    no wider apart than it is held, too: by a slope, or by a corner. Pads that stand as in the last
    look, in which they held nothing, hold only what is in the air: that look may have missed it.
    """
    if arm.gripper_width <= CLOSED_M:
        return None
    things, idle = [*objects], last and not last.held and are_idle(last, arm)
    movable = [o for o in things if o.movable and not (idle and not _is_in_air(o, things))]
    return next((o.name for o in movable if _between_pads(o, arm, hand)), None) or next(
        (o.name for o in movable if _is_at(o, arm) and _is_in_air(o, things)), None)


def are_idle(last: Scene | None, arm: ArmSnapshot) -> bool:
    """Whether the pads have taken nothing since the last look: they did not move."""
    return bool(last and last.arm and abs(last.arm.gripper_width - arm.gripper_width) <= IDLE_M)


def _is_at(thing: SceneObject, arm: ArmSnapshot) -> bool:
    width = width_along(thing, thing.pose.rotation.T @ arm.tcp.rotation[:, 1])
    return not thing.is_container and arm.gripper_width <= width + WIDTH_SLACK_M and is_near(
        thing, arm.tcp.position, HANGS_M)


def _is_in_air(thing: SceneObject, things: Iterable[SceneObject]) -> bool:
    (x, y, z), (half_x, half_y, half_z) = thing.position, thing.half_extents_in_base()
    below = [top for other in things if other.name != thing.name and other.position[2] < z
             for dx, dy in itertools.product((-half_x, 0.0, half_x), (-half_y, 0.0, half_y))
             if (top := surface_height(other, x + dx, y + dy)) is not None]
    return bool(below) and max(below) < z - half_z - HANGS_M


def _between_pads(thing: SceneObject, arm: ArmSnapshot, hand: HandShape) -> bool:
    T_thing_tcp = np.linalg.inv(thing.pose.matrix()) @ arm.tcp.matrix()
    local = T_thing_tcp[:3, 3]
    if np.any(np.abs(local) > np.asarray(thing.size) / 2 + OUTSIDE_M):
        return False
    if thing.is_container:  # held by its wall
        off_centre = np.max(np.abs(local[:2]) / (np.asarray(thing.size[:2]) / 2))
        return bool(off_centre > 0.6) and arm.gripper_width < WALL_AT_MOST_M
    width = (_width_in_hand(thing, T_thing_tcp, arm.gripper_width, hand) if thing.pieces
             else width_along(thing, T_thing_tcp[:3, 1]))
    return abs(width - arm.gripper_width) <= WIDTH_SLACK_M


def _width_in_hand(thing: SceneObject, T_thing_tcp: np.ndarray, width: float,
                   hand: HandShape) -> float:
    """How far apart (m) pads that are at about `width` can be on an irregular thing; inf: no.

    What is outside the hand, as the far wall of a mug, does not count.
    """
    half_x, half_z = hand.pad_width_m / 2, hand.pad_height_m / 2
    between = between_pads(thing, T_thing_tcp, width + 2 * WIDTH_SLACK_M, itertools.product(
        np.linspace(-half_x, half_x, 5), np.linspace(-half_z, half_z, 5)))
    return float(np.ptp(between)) if between else float('inf')


def width_along(thing: SceneObject, direction: np.ndarray) -> float:
    """The object's width at its middle, along a direction in its own frame (m)."""
    if thing.shape is Shape.SPHERE or thing.shape is Shape.CYLINDER and abs(direction[2]) < 0.5:
        return thing.size[0]
    # The chord through the centre of the box: the shortest of the three slab crossings.
    with np.errstate(divide='ignore'):
        return float(np.min(np.asarray(thing.size) / np.abs(direction)))
