# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a line is inside a solid."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.shape import ROUND, Shape, Solid

Interval = tuple[float, float]

_EVERYWHERE: Interval = (-math.inf, math.inf)
_NOWHERE: Interval = (math.inf, -math.inf)
_PARALLEL = 1e-9


def spans(solid: Solid, start: FloatArray, along: FloatArray) -> list[Interval]:
    """The stretches of the line start + t * along (own frame) that are inside the solid.

    A shape that is not named here is its box.
    """
    half = np.asarray(solid.size, dtype=float) / 2
    if solid.shape is Shape.IRREGULAR:
        found = [_between_planes(piece.planes, start, along) for piece in solid.pieces]
    elif solid.shape is Shape.SPHERE:
        found = [_ball(start, along, float(half.max()))]
    elif solid.shape in ROUND:
        found = [_overlap(_ball(start[:2], along[:2], float(half[:2].max())),
                          _slab(start[2], along[2], half[2]))]
    else:
        found = [_overlap(*map(_slab, start, along, half))]
    return [(first, last) for first, last in found if first <= last]


def between_pads(solid: Solid, T_solid_tcp: FloatArray, apart_m: float,
                 at: Iterable[Interval] = ((0.0, 0.0),)) -> list[Interval]:
    """What of the solid is between pads, along their y; `at` (x, z): where on the pads (m)."""
    x_axis, y_axis, z_axis = T_solid_tcp[:3, :3].T
    return [(first, last) for x, z in at for first, last in spans(
        solid, T_solid_tcp[:3, 3] + x * x_axis + z * z_axis, y_axis)
        if first < apart_m / 2 and last > -apart_m / 2]


def _between_planes(planes: FloatArray, start: FloatArray, along: FloatArray) -> Interval:
    """Where a line is on the inner side of all planes."""
    outside = planes[:, :3] @ start + planes[:, 3]
    rising = planes[:, :3] @ along
    parallel = np.abs(rising) < _PARALLEL
    if np.any(outside[parallel] > 0):
        return _NOWHERE
    at = -outside[~parallel] / rising[~parallel]
    leaves = rising[~parallel] > 0
    return (float(np.max(at[~leaves], initial=-math.inf)),
            float(np.min(at[leaves], initial=math.inf)))


def _overlap(*found: Interval) -> Interval:
    return max(s[0] for s in found), min(s[1] for s in found)


def _slab(start: float, along: float, half: float) -> Interval:
    """Where the line is between -half and half on one axis."""
    if abs(along) < _PARALLEL:
        return _EVERYWHERE if abs(start) <= half else _NOWHERE
    first, second = (-half - start) / along, (half - start) / along
    return float(min(first, second)), float(max(first, second))


def _ball(start: FloatArray, along: FloatArray, radius: float) -> Interval:
    """Where the line is within `radius` of the centre (2-D: of the axis)."""
    a, b, c = float(along @ along), float(start @ along), float(start @ start) - radius ** 2
    if a < _PARALLEL ** 2:
        return _EVERYWHERE if c <= 0 else _NOWHERE
    discriminant = b * b - a * c
    if discriminant < 0:
        return _NOWHERE
    root = math.sqrt(discriminant)
    return (-b - root) / a, (-b + root) / a
