# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A convex piece of an irregular thing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .pose import FloatArray

Point = tuple[float, float, float]

LEAST_M = 0.001  # anything thinner is made this thick: flat things have no volume
MOST_CORNERS = 128


@dataclass(frozen=True)
class Piece:
    """A convex solid: the corners of its hull (m) in the frame of the thing it is part of.

    A `guessed` one was not seen: it may be there. Raises ValueError if the corners are not numbers
    or have no volume. `around` makes a piece of any points.
    """

    vertices: tuple[Point, ...]
    guessed: bool = False

    def __post_init__(self) -> None:
        corners = self.corners
        if corners.ndim != 2 or corners.shape[1] != 3 or len(corners) < 4:
            raise ValueError(f'a piece needs 4 or more corners x, y, z, not {len(corners)}')
        if not np.all(np.isfinite(corners)):
            raise ValueError('a corner of a piece is not a finite number')
        if _extents(corners, _own_axes(corners)).min() < LEAST_M / 10:
            raise ValueError('the corners of a piece are all in one plane')

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.vertices)  # kept: the collision checker compares scenes by it, often

    @staticmethod
    def around(points: FloatArray, guessed: bool = False) -> Piece:
        """The convex hull of points (n, 3). What is flat becomes LEAST_M thick.

        A hull with very many corners is simplified to MOST_CORNERS or less.
        """
        points = np.asarray(points, dtype=float)
        if points.ndim != 2 or len(points) == 0 or not np.all(np.isfinite(points)):
            raise ValueError('a piece needs points that are finite numbers')
        points = _thick(points)
        kept, simplices, planes = _hull(points)
        corners = points[kept]
        if len(corners) > MOST_CORNERS:
            corners = corners[np.unique((corners @ _DIRECTIONS.T).argmax(axis=0))]
        piece = Piece(tuple(map(tuple, corners.tolist())), guessed)
        if len(corners) == len(kept):  # its surface is known already
            number = np.empty(len(points), dtype=int)
            number[kept] = np.arange(len(kept))
            piece.__dict__['_surface'] = np.arange(len(kept)), number[simplices], planes
        return piece

    @cached_property
    def corners(self) -> FloatArray:
        """The vertices as an array (n, 3)."""
        return _fixed(np.asarray(self.vertices, dtype=float))

    @cached_property
    def triangles(self) -> FloatArray:
        """The surface as triangles (m, 3 corners, 3), anticlockwise seen from outside."""
        _, simplices, planes = self._surface
        found = self.corners[simplices]
        normals = np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0])
        inward = np.sum(normals * planes[:, :3], axis=1) < 0
        found[inward] = found[inward][:, ::-1]
        return _fixed(found)

    @cached_property
    def planes(self) -> FloatArray:
        """The sides (k, 4): a point is inside where n · x + d <= 0 for each of them."""
        found = np.round(self._surface[2], 9)
        found = found[np.lexsort(found.T[::-1])]
        new = np.ones(len(found), dtype=bool)
        new[1:] = np.any(found[1:] != found[:-1], axis=1)
        return _fixed(found[new])

    @cached_property
    def volume(self) -> float:
        """m³."""
        return float(np.sum(self._tetrahedra))

    @cached_property
    def centroid(self) -> FloatArray:
        """The centre of its volume."""
        middle, inner = self.triangles.sum(axis=1), self.corners.mean(axis=0)
        share = self._tetrahedra / self.volume
        return _fixed(share @ ((middle + inner) / 4))

    @cached_property
    def _tetrahedra(self) -> FloatArray:
        """Volumes between an inner point and each triangle."""
        a, b, c = (self.triangles - self.corners.mean(axis=0)).transpose(1, 0, 2)
        return np.asarray(np.abs(np.sum(a * np.cross(b, c), axis=1)) / 6, dtype=float)

    @cached_property
    def _surface(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return _hull(self.corners)


def box_piece(size: tuple[float, float, float]) -> Piece:
    """A box around the origin, each side at least LEAST_M."""
    half = np.maximum(np.asarray(size, dtype=float), LEAST_M) / 2
    return Piece.around(np.array(list(np.ndindex(2, 2, 2))) * 2 * half - half)


def _fixed(array: FloatArray) -> FloatArray:
    array.setflags(write=False)
    return array


def _own_axes(points: FloatArray) -> FloatArray:
    """Principal axes as columns."""
    centred = points - points.mean(axis=0)
    return np.asarray(np.linalg.eigh(centred.T @ centred)[1], dtype=float)


def _extents(points: FloatArray, axes: FloatArray) -> FloatArray:
    """How long (m) the cloud is along each axis (column)."""
    along = axes.T @ points.T
    return np.asarray(along.max(axis=1) - along.min(axis=1))


def _thick(points: FloatArray) -> FloatArray:
    """The points, with more of them beside where the cloud is thinner than LEAST_M."""
    axes = _own_axes(points)
    for axis, extent in zip(axes.T, _extents(points, axes).tolist()):
        if extent < LEAST_M:
            off = (LEAST_M - extent) / 2 * axis
            points = np.concatenate([points - off, points + off])
    return points


def _hull(points: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Corners (indices), triangles (indices) and planes of the convex hull."""
    from scipy.spatial import ConvexHull  # here: most tasks have no irregular thing

    hull = ConvexHull(points)
    return hull.vertices, hull.simplices, hull.equations


def _spread(count: int) -> FloatArray:
    """Directions spread evenly over the sphere, on a spiral."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, k * math.pi * (1 + math.sqrt(5))
    level = np.sqrt(1 - z * z)
    return np.column_stack([level * np.cos(turn), level * np.sin(turn), z])


_DIRECTIONS = _spread(MOST_CORNERS)
