"""The table top, found in the depth picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject, Shape

from .view import View, median

STRIDE = 10  # every n-th pixel in both directions is enough for a plane
HYPOTHESES = 64
LEVEL = math.cos(math.radians(10))  # a table top is at most this far from level
REACH_M = 1.3  # a surface farther from the base is not this arm's table
SHOULDER, ARM_M = (0.0, 0.0, 0.333), 1.0  # the hand does not get farther from it: to no floor
LEAST_POINTS = 30
INLIER_M = 0.010
REFINED_M = (0.010, 0.006)
LEAST_SHARE = 0.10  # of the points within reach
THICKNESS_M = 0.04

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
        """Where rays (n, 3) from `origin` cross the parallel planes at `height` (m)."""
        start = float(self.normal @ origin + self.offset)
        reach = (height - start) / (rays @ self.normal)
        return np.asarray(origin + reach[:, None] * rays, dtype=float)

    @property
    def z(self) -> float:
        """Height (m) of the plane in the base frame, at the middle of its visible part."""
        middle = (np.asarray(self.low) + self.high) / 2
        return float(-(self.offset + self.normal[:2] @ middle) / self.normal[2])

    def with_area(self, area: Area | None) -> Plane:
        """The plane as wide as its visible part and this area together."""
        return self if area is None else widest([self, replace(self, low=area[0], high=area[1])])

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


def find_table(view: View) -> Plane | None:
    """The largest level surface within reach of the arm (RANSAC), or None."""
    rows, columns = np.nonzero(view.depth[::STRIDE, ::STRIDE] > 0)
    points = view.points(rows * STRIDE, columns * STRIDE)
    near = points[np.hypot(points[:, 0], points[:, 1]) < REACH_M]
    if len(near) < LEAST_POINTS:
        return None
    away = near - SHOULDER
    reached = near[np.einsum('ij,ij->i', away, away) < ARM_M ** 2]
    if len(reached) < LEAST_POINTS:
        reached = near
    best = _best_hypothesis(reached)
    if best is None:
        return None
    normal, offset = best
    for tolerance in REFINED_M:
        inliers = near[np.abs(near @ normal + offset) < tolerance]
        normal, offset = _least_squares(inliers)
    if np.mean(np.abs(reached @ normal + offset) < INLIER_M) < LEAST_SHARE:
        return None
    residuals = near @ normal + offset
    on = np.abs(residuals) < INLIER_M
    noise = 1.4826 * median(np.abs(residuals[on]))
    everywhere = points[np.abs(points @ normal + offset) < INLIER_M]
    low, high = everywhere[:, :2].min(axis=0), everywhere[:, :2].max(axis=0)
    return Plane(normal, offset, noise, (float(low[0]), float(low[1])),
                 (float(high[0]), float(high[1])))


def _best_hypothesis(points: FloatArray) -> tuple[FloatArray, float] | None:
    rng = np.random.default_rng(0)  # the same picture gives the same plane
    a, b, c = points[rng.integers(0, len(points), (3, HYPOTHESES))]
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    usable = lengths > 1e-6
    normals, a = normals[usable] / lengths[usable, None], a[usable]
    level = np.abs(normals[:, 2]) > LEVEL
    normals, a = normals[level], a[level]
    if not len(normals):
        return None
    offsets = -np.einsum('ij,ij->i', normals, a)
    counts = (np.abs(points @ normals.T + offsets) < INLIER_M).sum(axis=0)
    best = int(np.argmax(counts))
    return normals[best], float(offsets[best])


def _least_squares(points: FloatArray) -> tuple[FloatArray, float]:
    """The plane through points, with its normal up."""
    centre = points.mean(axis=0)
    local = points - centre
    normal = np.linalg.eigh(local.T @ local)[1][:, 0]  # across it the points spread least
    normal = normal * np.sign(normal[2])
    return normal, float(-normal @ centre)
