"""Shapes of things: their names, and how far they reach and where a line crosses them.

A box, a cylinder or a sphere is its size. An irregular thing is its convex pieces. Everything
else that asks for geometry asks here, so that a new shape is a line in each of two tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Protocol

import numpy as np

from .piece import Piece
from .pose import FloatArray

Interval = tuple[float, float]

_EVERYWHERE: Interval = (-math.inf, math.inf)
_NOWHERE: Interval = (math.inf, -math.inf)
_PARALLEL = 1e-9


class Shape(str, Enum):
    BOX = 'box'
    CYLINDER = 'cylinder'
    SPHERE = 'sphere'
    BOWL = 'bowl'
    BIN = 'bin'
    WALL = 'wall'
    TABLE = 'table'
    IRREGULAR = 'irregular'  # made of convex pieces


CONTAINERS = frozenset({Shape.BOWL, Shape.BIN})
ROUND = frozenset({Shape.CYLINDER, Shape.BOWL})  # about their own z axis
CONTAINER_WALL_M, CONTAINER_FLOOR_M = 0.006, 0.006  # how thick they are
BOWL_FLOOR_SHARE = 0.62  # the floor's diameter as a share of the rim's; a guess for any bowl


class Solid(Protocol):
    """Anything with a shape. Its origin is the centre of the box `size` (m) around it."""

    @property
    def shape(self) -> Shape: ...
    @property
    def size(self) -> tuple[float, float, float]: ...
    @property
    def pieces(self) -> tuple[Piece, ...]: ...


def reach(solid: Solid, directions: FloatArray) -> FloatArray:
    """How far (m) the solid extends from its centre along own unit directions (..., 3)."""
    return np.asarray(_REACH.get(solid.shape, _box_reach)(solid, directions), dtype=float)


def spans(solid: Solid, start: FloatArray, along: FloatArray) -> list[Interval]:
    """The stretches of the line start + t * along (own frame) that are inside the solid."""
    found = _SPANS.get(solid.shape, _box_spans)(solid, start, along)
    return [(first, last) for first, last in found if first <= last]


def _half(solid: Solid) -> FloatArray:
    return np.asarray(solid.size, dtype=float) / 2


def _box_reach(solid: Solid, directions: FloatArray) -> FloatArray:
    return np.abs(directions) @ _half(solid)


def _ball_reach(solid: Solid, directions: FloatArray) -> FloatArray:
    return np.full(np.shape(directions)[:-1], _half(solid).max())


def _round_reach(solid: Solid, directions: FloatArray) -> FloatArray:
    half = _half(solid)
    across = np.hypot(directions[..., 0], directions[..., 1])
    return across * half[:2].max() + np.abs(directions[..., 2]) * half[2]


def _pieces_reach(solid: Solid, directions: FloatArray) -> FloatArray:
    corners = np.concatenate([piece.corners for piece in solid.pieces])
    return (directions @ corners.T).max(axis=-1)


def _box_spans(solid: Solid, start: FloatArray, along: FloatArray) -> list[Interval]:
    half = _half(solid)
    return [_overlap(*(_slab(start[i], along[i], half[i]) for i in range(3)))]


def _ball_spans(solid: Solid, start: FloatArray, along: FloatArray) -> list[Interval]:
    return [_ball(start, along, float(_half(solid).max()))]


def _round_spans(solid: Solid, start: FloatArray, along: FloatArray) -> list[Interval]:
    half = _half(solid)
    return [_overlap(_ball(start[:2], along[:2], float(half[:2].max())),
                     _slab(start[2], along[2], half[2]))]


def _pieces_spans(solid: Solid, start: FloatArray, along: FloatArray) -> list[Interval]:
    return [_between_planes(piece.planes, start, along) for piece in solid.pieces]


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


# A shape that is not named is its box.
_REACH: Mapping[Shape, Callable[[Solid, FloatArray], FloatArray]] = {
    Shape.SPHERE: _ball_reach, Shape.CYLINDER: _round_reach, Shape.BOWL: _round_reach,
    Shape.IRREGULAR: _pieces_reach,
}
_SPANS: Mapping[Shape, Callable[[Solid, FloatArray, FloatArray], list[Interval]]] = {
    Shape.SPHERE: _ball_spans, Shape.CYLINDER: _round_spans, Shape.BOWL: _round_spans,
    Shape.IRREGULAR: _pieces_spans,
}
