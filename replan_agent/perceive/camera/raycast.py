# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The depth that a perfect camera would see of a solid, to check a guess against pixels."""

from __future__ import annotations

import math

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import SceneObject, Shape

from .view import Array

MISS_M = 0.015  # the error of a pixel that the solid does not cover


def misfit(thing: SceneObject, origin: FloatArray, rays: Array, depth: Array) -> float:
    """Root mean square (m) of the difference between measured and expected depth."""
    gap = np.abs(expected_depth(thing, origin, rays) - depth)
    off = np.minimum(gap, MISS_M)
    return math.sqrt(float(off @ off) / len(off))


def expected_depth(thing: SceneObject, origin: FloatArray, rays: Array) -> Array:
    """How far along each ray (n, 3) from `origin` the solid begins; infinite where it misses."""
    rotation = thing.pose.rotation
    start = (origin - thing.position) @ rotation
    along = rotation.T.astype(rays.dtype) @ rays.T
    half = np.asarray(thing.size) / 2
    with np.errstate(divide='ignore', invalid='ignore'):
        if thing.shape is Shape.SPHERE:
            enter, leave = _round(start, along, half.max())
        elif thing.shape in (Shape.CYLINDER, Shape.BOWL):
            enter, leave = _round(start[:2], along[:2], half[:2].max())
            first, last = _slabs(start[2:], along[2:], half[2:])
            enter, leave = np.maximum(enter, first), np.minimum(leave, last)
        else:
            enter, leave = _slabs(start, along, half)
        return np.where((enter < leave) & (leave > 0), enter, np.inf)  # not where they are nan


def _slabs(start: FloatArray, along: Array, half: FloatArray) -> tuple[Array, Array]:
    """Where rays (axes, n) enter and leave a box, or the part of it that has so many axes."""
    low, high = (end.astype(along.dtype)[:, None] for end in (-half - start, half - start))
    first, second = low / along, high / along
    return np.minimum(first, second).max(axis=0), np.maximum(first, second).min(axis=0)


def _round(start: FloatArray, along: Array, radius: float) -> tuple[Array, Array]:
    """Where rays (axes, n) enter and leave a ball (3 axes) or an endless cylinder (2 axes).

    Both are nan where they miss it.
    """
    a = np.maximum((along * along).sum(axis=0), 1e-12)  # along the axis: never, or very far away
    b = start.astype(along.dtype) @ along
    reach = np.sqrt(b * b - a * (float(start @ start) - radius ** 2))
    return (-b - reach) / a, (reach - b) / a
