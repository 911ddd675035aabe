# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What fell or toppled between two looks, and how a thing that is let go askew settles."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
from transforms3d import axangles

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.shape import BOWL_FLOOR_SHARE, ROUND, Shape

from .judging import is_inside, supports
from .support import is_upright, up_alignment

FELL_M = 0.02  # an object that is this much lower has fallen
TOPPLED = 0.3  # change of the cosine between its own axis and the vertical
SAME_SIZE_M, LOWER_M = 0.006, 0.015  # a camera sees a box upright: lying, its sides are swapped
SEEN_S = 0.5  # an object that was seen this long before the look counts as seen in it
LEAST_TILT = math.cos(math.radians(4))
MOST_TILT = math.cos(math.radians(45))  # a thing that leans more falls on another side


def falls(before: Scene, after: Scene, except_for: Collection[str] = ()) -> list[str]:
    """Sentences about the movable objects that fell, toppled, or are not seen any more."""
    found = []
    for thing in before.movable():
        if thing.name in (*except_for, before.held, after.held):
            continue
        now = after.get(thing.name)
        if now is not None:
            found.append(fall(thing, now))
        elif before.stamp - thing.seen_at <= SEEN_S:
            found.append(f'{thing.name} is not seen any more')
    return [said for said in found if said]


def fall(before: SceneObject, now: SceneObject) -> str:
    """How the object fell or toppled, in a sentence; empty if it did not."""
    lower = before.position[2] - now.position[2]
    if lower > FELL_M:
        return f'{now.name} fell: it is {lower * 1000:.0f} mm lower than before'
    is_over = abs(_leans_more(before, now)) > TOPPLED or _lies_lower(before, now)
    return f'{now.name} toppled' if is_over else ''


def toppled(before: Scene, after: Scene) -> tuple[str, ...]:
    """The movable objects that stood, and lie on their sides now. In a container they may lie."""
    return tuple(
        now.name for thing in before.movable()
        if (now := after.get(thing.name)) is not None and now.name != after.held
        and (after.table is None or supports(now, after))  # else a person has it
        and (_leans_more(thing, now) > TOPPLED or _lies_lower(thing, now))
        and not any(o.is_container and is_inside(now, o) for o in after.objects))


def _leans_more(before: SceneObject, now: SceneObject) -> float:
    """How much further an object's own axis is from the vertical; 0 for a ball."""
    return 0.0 if before.shape is Shape.SPHERE else (
        abs(up_alignment(before)) - abs(up_alignment(now)))


def _lies_lower(before: SceneObject, now: SceneObject) -> bool:
    """Whether both looks show it upright with the same sides, but not as high as before."""
    return (all(o.shape in (Shape.BOX, Shape.IRREGULAR) and is_upright(o)
                for o in (before, now))
            and all(abs(a - b) <= SAME_SIZE_M
                    for a, b in zip(sorted(before.size), sorted(now.size)))
            and before.size[2] - now.size[2] > LOWER_M)


def settling_shift(thing: SceneObject) -> tuple[float, float]:
    """How far (x, y, m) its centre moves sideways when it settles from this pose onto its base.

    It tips about the point that touches first. (0, 0) for what is held level, leans too much to
    tell, or is irregular or a ball.
    """
    if not _is_askew(thing):
        return 0.0, 0.0
    down = thing.pose.rotation.T @ np.array([0.0, 0.0, -1.0])  # in its own frame
    to_centre = thing.pose.rotation @ -_first_contact(thing, down)
    then = _levelled(thing.pose.rotation[:, 2], to_centre)
    return float(then[0] - to_centre[0]), float(then[1] - to_centre[1])


def settled(thing: SceneObject) -> SceneObject:
    """The thing on its base, if it hangs askew now; its centre stays."""
    if not _is_askew(thing):
        return thing
    return replace(thing, pose=Pose.from_rpy(*thing.position, yaw=thing.pose.yaw))


def _is_askew(thing: SceneObject) -> bool:
    level = float(thing.pose.rotation[2, 2])
    return thing.shape not in (Shape.SPHERE, Shape.IRREGULAR) and MOST_TILT < level < LEAST_TILT


def _first_contact(thing: SceneObject, down: FloatArray) -> FloatArray:
    """The lowest point of its base, in its own frame."""
    half = np.asarray(thing.size, dtype=float) / 2
    aside = down[:2]
    if thing.shape in ROUND:
        share = BOWL_FLOOR_SHARE if thing.shape is Shape.BOWL else 1.0
        at = aside / float(np.linalg.norm(aside)) * half[:2].max() * share
    else:
        at = np.where(np.abs(aside) > 0.02, np.sign(aside), 0.0) * half[:2]
    return np.array([at[0], at[1], -half[2]])


def _levelled(axis: FloatArray, vector: FloatArray) -> FloatArray:
    """The vector after the turn that brings the axis to the vertical by the shortest way."""
    turn = axangles.axangle2mat(np.cross(axis, (0.0, 0.0, 1.0)), math.acos(axis[2]))
    return np.asarray(turn @ vector, dtype=float)
