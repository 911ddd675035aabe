"""The depth that a perfect camera would see of a solid, to check a guess against pixels."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import SceneObject, Shape

MISS_M = 0.015  # the error of a pixel that the solid does not cover


def misfit(thing: SceneObject, origin: FloatArray, rays: FloatArray, depth: FloatArray) -> float:
    """Root mean square (m) of the difference between measured and expected depth."""
    gap = np.abs(expected_depth(thing, origin, rays) - depth)
    return float(np.sqrt(np.mean(np.minimum(gap, MISS_M) ** 2)))


def expected_depth(thing: SceneObject, origin: FloatArray, rays: FloatArray) -> FloatArray:
    """How far along each ray (n, 3) from `origin` the solid begins; infinite where it misses."""
    T = thing.pose.matrix()
    start = (origin - T[:3, 3]) @ T[:3, :3]
    along = rays @ T[:3, :3]
    half = np.asarray(thing.size) / 2
    if thing.shape is Shape.SPHERE:
        enter, leave = _round(start, along, half.max(), 3)
    elif thing.shape in (Shape.CYLINDER, Shape.BOWL):
        enter, leave = _round(start, along, half[:2].max(), 2)
        first, last = _slab(start[2], along[:, 2], half[2])
        enter, leave = np.maximum(enter, first), np.minimum(leave, last)
    else:
        spans = [_slab(start[i], along[:, i], half[i]) for i in range(3)]
        enter = np.maximum.reduce([span[0] for span in spans])
        leave = np.minimum.reduce([span[1] for span in spans])
    return np.where((enter < leave) & (leave > 0), enter, np.inf)


def _slab(start: float, along: FloatArray, half: float) -> tuple[FloatArray, FloatArray]:
    with np.errstate(divide='ignore', invalid='ignore'):
        first, second = (-half - start) / along, (half - start) / along
    return np.minimum(first, second), np.maximum(first, second)


def _round(start: FloatArray, along: FloatArray, radius: float, axes: int,
           ) -> tuple[FloatArray, FloatArray]:
    """Where rays enter and leave a ball (3 axes) or an infinite cylinder about z (2 axes)."""
    a = np.sum(along[:, :axes] ** 2, axis=1)
    b = along[:, :axes] @ start[:axes]
    c = float(start[:axes] @ start[:axes]) - radius ** 2
    root = b * b - a * c
    with np.errstate(divide='ignore', invalid='ignore'):
        reach = np.sqrt(np.maximum(root, 0))
        enter, leave = (-b - reach) / a, (-b + reach) / a
    parallel = a < 1e-12  # along the axis: fully inside or fully outside
    hit = np.where(parallel, c < 0, root >= 0)
    enter, leave = np.where(parallel, -np.inf, enter), np.where(parallel, np.inf, leave)
    return np.where(hit, enter, np.inf), np.where(hit, leave, -np.inf)
