# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a thing that is held askew moves when it is let go and comes to lie on its base."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from transforms3d import axangles

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.shape import BOWL_FLOOR_SHARE, ROUND, Shape

LEAST_TILT = math.cos(math.radians(4))
MOST_TILT = math.cos(math.radians(45))  # a thing that leans more falls on another side


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
