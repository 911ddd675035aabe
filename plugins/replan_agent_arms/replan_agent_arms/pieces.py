# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Convex pieces with few corners, for links that a model gives as meshes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from replan_agent.domain.pose import FloatArray

MOST_CORNERS, MOST_SLICES = 48, 4
WORTH = 0.85  # of the volume: what another cut must save
THIN_M = 1e-4
# Faces, edges and corners of a cube: this many planes have no more than MOST_CORNERS corners.
DIRECTIONS = np.array([d for d in np.ndindex(3, 3, 3) if d != (1, 1, 1)]) - 1.0
DIRECTIONS /= np.linalg.norm(DIRECTIONS, axis=1)[:, None]


def clouds(points: FloatArray, faces: NDArray[np.intp] | None = None) -> list[FloatArray]:
    """The convex pieces of a mesh (or of points), as points: cut across where it saves volume."""
    return [points] if faces is None or not len(faces) else _cut(points, faces)


def fewer(points: FloatArray, turned: bool = True) -> FloatArray:
    """The corners of the hull of points, or of a simple shape around it if there are too many.

    `turned`: along its own long axes, else along those of the frame.
    """
    points = _thick(points)
    corners = points[ConvexHull(points).vertices]
    if len(corners) <= MOST_CORNERS:
        return corners
    axes = _long_axes(corners) if turned else np.eye(3)
    planes = DIRECTIONS @ axes.T
    offsets = -(corners @ planes.T).max(axis=0) - 1e-9
    shape = HalfspaceIntersection(np.column_stack([planes, offsets]), corners.mean(axis=0))
    around = np.unique(np.round(shape.intersections, 7), axis=0)
    return around[ConvexHull(around).vertices]


def beyond(points: FloatArray, axis: FloatArray, least: float) -> FloatArray | None:
    """The part of the hull of points where `axis` @ point >= least; None if nothing is there."""
    points = _thick(points)
    hull = ConvexHull(points)
    found = _slab(points, hull.simplices, points @ axis, least, np.inf)
    return found if len(found) >= 4 and np.ptp(found @ axis) > THIN_M else None


def _cut(points: FloatArray, faces: NDArray[np.intp]) -> list[FloatArray]:
    """The clouds of slices across the longest axis, as many as are worth it."""
    along = (points - points.mean(axis=0)) @ _long_axes(points)[:, 0]
    best, volume = [points], _volume(points)
    for count in range(2, MOST_SLICES + 1):
        ends = np.linspace(along.min(), along.max(), count + 1)
        slices = [_slab(points, faces, along, a, b) for a, b in zip(ends, ends[1:])]
        if any(len(cloud) < 4 for cloud in slices):
            continue
        total = sum(map(_volume, slices))
        if total < WORTH * volume:
            best, volume = slices, total
    return best


def _slab(points: FloatArray, faces: NDArray[np.intp], along: FloatArray, low: float,
          high: float) -> FloatArray:
    """Points whose hull is that of a surface between two heights."""
    used = np.unique(faces)
    kept = [points[used[(along[used] >= low) & (along[used] <= high)]]]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    a, b = along[edges].T
    for height in (low, high):
        crossing = (a - height) * (b - height) < 0
        share = ((height - a[crossing]) / (b - a)[crossing])[:, None]
        first, last = points[edges[crossing, 0]], points[edges[crossing, 1]]
        kept.append(first + share * (last - first))
    return np.concatenate(kept)


def _long_axes(points: FloatArray) -> FloatArray:
    """Columns: the directions in which points spread, the longest first."""
    _, axes = np.linalg.eigh(np.cov((points - points.mean(axis=0)).T))
    return np.asarray(axes[:, ::-1])


def _volume(points: FloatArray) -> float:
    try:
        return float(ConvexHull(points).volume)
    except QhullError:
        return 0.0


def _thick(points: FloatArray) -> FloatArray:
    """The same, with a little thickness if they are flat."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    for axis in axes:
        if np.ptp(centred @ axis) < THIN_M:
            points = np.concatenate([points - THIN_M * axis, points + THIN_M * axis])
    return points
