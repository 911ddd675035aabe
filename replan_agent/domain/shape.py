# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shapes of things: their names, and how far they reach.

A box, a cylinder or a sphere is its size. An irregular thing is its convex pieces.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol

import numpy as np

from .piece import Piece
from .pose import FloatArray


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
    """How far (m) the solid extends from its centre along own unit directions (..., 3).

    A shape that is not named here is its box.
    """
    half = np.asarray(solid.size, dtype=float) / 2
    if solid.shape is Shape.IRREGULAR:
        corners = np.concatenate([piece.corners for piece in solid.pieces])
        return np.asarray((directions @ corners.T).max(axis=-1))
    if solid.shape is Shape.SPHERE:
        return np.full(np.shape(directions)[:-1], half.max())
    if solid.shape in ROUND:
        across = np.hypot(directions[..., 0], directions[..., 1])
        return np.asarray(across * half[:2].max() + np.abs(directions[..., 2]) * half[2])
    return np.asarray(np.abs(directions) @ half)
