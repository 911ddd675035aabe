# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The table top, found in the depth picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject, Shape

from .view import View

STRIDE = 10  # every n-th pixel in both directions is enough for a plane
HYPOTHESES = 64
LEVEL = math.cos(math.radians(10))  # a table top is at most this far from level
FAR = 1.3  # spans of the arm: a surface farther from the base is not its table
LEAST_POINTS = 30
INLIER_M = 0.010
REFINED_M = (0.010, 0.006)
LEAST_SHARE = 0.10  # of the points within reach
THICKNESS_M = 0.04
# Drawn once: the same picture gives the same plane.
_DRAWN = np.random.default_rng(0).integers(0, 2 ** 32, (3, HYPOTHESES))

Area = tuple[tuple[float, float], tuple[float, float]]  # lowest and highest corner (x, y, m)


@dataclass(frozen=True)
class Plane:
    """A level surface: the height (m) of a point p is `normal @ p + offset`.

    `noise_m` is the standard deviation of the heights of its own points. `low` and `high` are the
    corners (x, y) of its visible part.
    """

    normal: FloatArray
    offset: float
    noise_m: float
    low: tuple[float, float]
    high: tuple[float, float]

    def heights(self, view: View) -> FloatArray:
        """Height (m) of each pixel's point above the plane; meaningless without depth."""
        down, right = view.rays[:, 0] @ self.normal, view.rays[0] @ self.normal
        # A ray changes evenly along rows and columns: this is rays @ normal, in less time.
        heights = down.astype(np.float32)[:, None] + (right - right[0]).astype(np.float32)
        heights *= view.depth
        heights += np.float32(self.normal @ view.origin + self.offset)
        return heights

    def point_heights(self, points: FloatArray) -> FloatArray:
        return np.asarray(points @ self.normal + self.offset, dtype=float)

    def at_height(self, origin: FloatArray, rays: FloatArray, height: FloatArray) -> FloatArray:
        """x, y (n, 2) where rays (n, 3) from `origin` cross parallel planes at `height` (m)."""
        start = float(self.normal @ origin + self.offset)
        reach = (height - start) / (rays @ self.normal)
        return np.asarray(origin[:2] + reach[:, None] * rays[:, :2], dtype=float)

    @cached_property
    def z(self) -> float:
        """Height (m) of the plane in the base frame, at the middle of its visible part."""
        middle = (np.asarray(self.low) + self.high) / 2
        return float(-(self.offset + self.normal[:2] @ middle) / self.normal[2])

    def as_table(self, seen_at: float) -> SceneObject:
        """The table: its visible part, level, a hand's width thick."""
        width, depth = self.high[0] - self.low[0], self.high[1] - self.low[1]
        centre = ((self.low[0] + self.high[0]) / 2, (self.low[1] + self.high[1]) / 2,
                  self.z - THICKNESS_M / 2)
        return SceneObject('table', Shape.TABLE, (width, depth, THICKNESS_M), Pose(centre),
                           movable=False, seen_at=seen_at)


def widest(planes: Sequence[Plane]) -> Plane:
    """The first plane, as wide as all of them together."""
    low, high = (np.array([getattr(plane, corner) for plane in planes])
                 for corner in ('low', 'high'))
    return replace(planes[0], low=tuple(low.min(axis=0).tolist()),
                   high=tuple(high.max(axis=0).tolist()))


def find_table(view: View, arm: ArmModel) -> Plane | None:
    """The largest level surface within reach of the arm (RANSAC), or None: no floor."""
    rows, columns = np.nonzero(view.depth[::STRIDE, ::STRIDE] > 0)
    points = np.ascontiguousarray(view.points(rows * STRIDE, columns * STRIDE).T)
    x, y = points[:2]
    near = points.compress(x * x + y * y < (FAR * arm.span_m) ** 2, axis=1)
    if near.shape[1] < LEAST_POINTS:
        return None
    away = near - np.array(arm.shoulder)[:, None]
    reached = near.compress(np.einsum('ij,ij->j', away, away) < arm.span_m ** 2, axis=1)
    if reached.shape[1] < LEAST_POINTS:
        reached = near
    if (best := _best_hypothesis(reached)) is None:
        return None
    normal, offset = best
    for tolerance in REFINED_M:
        on_it = near.compress(np.abs(normal @ near + offset) < tolerance, axis=1)
        normal, offset = _least_squares(on_it)
    if np.mean(np.abs(normal @ reached + offset) < INLIER_M) < LEAST_SHARE:
        return None
    residuals = np.abs(normal @ near + offset)
    noise = 1.4826 * float(np.median(residuals[residuals < INLIER_M]))
    x, y = points[:2].compress(np.abs(normal @ points + offset) < INLIER_M, axis=1)
    return Plane(normal, offset, noise, (float(x.min()), float(y.min())),
                 (float(x.max()), float(y.max())))


def _best_hypothesis(points: FloatArray) -> tuple[FloatArray, float] | None:
    """The plane that most of the points (3, n) are on, of those through three of them."""
    chosen = _DRAWN * points.shape[1] >> 32
    a, b, c = (points.take(each, axis=1) for each in chosen)
    normals = _cross(b - a, c - a)
    lengths = np.sqrt(np.einsum('ij,ij->j', normals, normals))
    level = (np.abs(normals[2]) > LEVEL * np.maximum(lengths, 1e-6)).nonzero()[0]
    if not len(level):
        return None
    normals = normals[:, level] / lengths[level]
    offsets = -np.einsum('ij,ij->j', normals, a[:, level])
    off = normals.T.astype(np.float32) @ points.astype(np.float32)
    off += offsets.astype(np.float32)[:, None]
    best = int(np.argmax(np.count_nonzero(np.abs(off, out=off) < INLIER_M, axis=1)))
    return normals[:, best], float(offsets[best])


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """The cross products of vectors (3, n). numpy's takes five times as long."""
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                     a[0] * b[1] - a[1] * b[0]])


def _least_squares(points: FloatArray) -> tuple[FloatArray, float]:
    """The plane through points (3, n), with its normal up."""
    centre = points @ np.full(points.shape[1], 1 / points.shape[1])
    local = points - centre[:, None]
    normal = cv2.eigen(local @ local.T)[2][2]  # across it the points spread least
    normal = normal * np.sign(normal[2])
    return normal, float(-normal @ centre)
