# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a thing of known shape and size stands, from the points of it that the camera shows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from replan_agent import Pose, SceneObject
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec

BELOW_TOP_M = 0.008  # points nearer to the top may show the top
LOWER_SHARE = 0.6  # of the height: above it, a carton of milk has a roof
LEAST_POINTS = 40
MOST_OFF_M = 0.003  # mean distance of the points from the sides that face the camera
WHOLE_M = 0.007  # one side is seen from end to end, within this
ON_IT_M, MOST_ON_IT = 0.008, 0.97  # share of the points that are this near to a thing
COARSE, FINE = math.radians(3.0), math.radians(0.25)


@dataclass(frozen=True)
class _Stand:
    """A way to stand: centre (x, y, m) and yaw (rad); `off_m` is how far the points are off."""

    x: float
    y: float
    yaw: float
    off_m: float


def covers(thing: SceneObject, points: FloatArray) -> bool:
    """Whether nearly all of the points (n, 3, m, base frame) lie on or in a box or cylinder."""
    if not len(points):
        return False
    T = thing.pose.matrix()
    off = np.abs((points - T[:3, 3]) @ T[:3, :3]) - np.array(thing.size) / 2
    if thing.shape is Shape.CYLINDER:
        local = (points - T[:3, 3]) @ T[:3, :3]
        off[:, 0] = np.hypot(local[:, 0], local[:, 1]) - thing.size[0] / 2
        off[:, 1] = off[:, 0]
    return bool(np.mean((off < ON_IT_M).all(axis=1)) >= MOST_ON_IT)


def standing(spec: ObjectSpec, points: FloatArray, eye: FloatArray, top_z: float) -> Pose | None:
    """The pose of an upright thing whose sides show these points (n, 3, m, base frame).

    `eye` (3,) is where the camera is, and `top_z` how high the thing is seen to reach. None if
    the points do not tell: too few, not its sides, or no side from end to end.
    """
    height = spec.size[2]
    low = points[points[:, 2] < top_z - max(BELOW_TOP_M, (1 - LOWER_SHARE) * height)][:, :2]
    if spec.shape is not Shape.BOX or len(low) < LEAST_POINTS:
        return None
    best = _best(low, eye, spec, np.arange(0.0, math.pi, COARSE))
    if best is None:
        return None
    best = _best(low, eye, spec, np.arange(best.yaw - COARSE, best.yaw + COARSE, FINE))
    if best is None or best.off_m > MOST_OFF_M:
        return None
    return Pose.from_rpy(best.x, best.y, top_z - height / 2, yaw=best.yaw)


def _best(low: FloatArray, eye: FloatArray, spec: ObjectSpec, yaws: Iterable[float]
          ) -> _Stand | None:
    found = [stand for yaw in yaws if (stand := _at_yaw(low, eye, spec, yaw)) is not None]
    return min(found, key=lambda stand: stand.off_m, default=None)


def _at_yaw(low: FloatArray, eye: FloatArray, spec: ObjectSpec, yaw: float) -> _Stand | None:
    """The box with this yaw whose two sides towards the camera are where the points end."""
    turn = np.array([[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]])
    own, size = low @ turn, np.array(spec.size[:2])
    first, last = np.percentile(own, 1, axis=0), np.percentile(own, 99, axis=0)
    seen = last - first
    if (seen > size + WHOLE_M).any() or not (np.abs(seen - size) < WHOLE_M).any():
        return None
    towards = np.sign(eye[:2] @ turn - (first + last) / 2)
    sides = np.where(towards > 0, last, first)
    x, y = turn @ (sides - towards * size / 2)
    off = np.abs(own - sides).min(axis=1).mean()
    return _Stand(float(x), float(y), yaw, float(off))
