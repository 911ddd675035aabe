# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Points on the surface of a thing, with normals: from its pieces, or from a camera."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import SceneObject
from replan_agent.geometry.support import centre_of_mass

SPACING_M = 0.004
MOST_POINTS = 900
FINE_POINTS = 20_000  # show also the thin handle of a large pot
PROBE_M = 3e-4  # a surface with another piece this close in front of it is inside the thing
_STEPS = np.array([0.7548776662466927, 0.5698402909980532])  # spread points evenly over a square


@dataclass(frozen=True, eq=False)
class SurfacePoints:
    """Points (n, 3) about `spacing` (m) apart, outward normals (n, 3), and the centre of mass.

    All in the base frame. `seen` (n,) is False for surfaces that are only guessed.
    """

    points: FloatArray
    normals: FloatArray
    centre: FloatArray
    spacing: float
    seen: NDArray[np.bool_] | None = None  # None: all of them


def surface_of(thing: SceneObject, most: int = MOST_POINTS) -> SurfacePoints:
    """The surface of an irregular thing where it is, as about `most` points or fewer."""
    own = _sampled(thing.pieces, most)
    T = thing.pose.matrix()
    rotation, position = T[:3, :3], T[:3, 3]
    return SurfacePoints(own.points @ rotation.T + position, own.normals @ rotation.T,
                         rotation @ own.centre + position, own.spacing, own.seen)


@lru_cache(maxsize=64)
def _sampled(pieces: tuple[Piece, ...], most: int) -> SurfacePoints:
    """The outer surface of the pieces, in their own frame."""
    triangles = np.concatenate([piece.triangles for piece in pieces])
    owner = np.repeat(np.arange(len(pieces)), [len(piece.triangles) for piece in pieces])
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    doubled = np.linalg.norm(across, axis=1)  # twice the area
    spacing = max(SPACING_M, float(np.sqrt(doubled.sum() / 2 / most)))
    counts = np.ceil(doubled / 2 / spacing ** 2).astype(int)
    which = np.repeat(np.arange(len(triangles)), counts)
    number = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = (0.5 + number[:, None] * _STEPS) % 1.0
    share = np.where(share.sum(axis=1, keepdims=True) > 1, 1 - share, share)
    a, b, c = triangles[which].transpose(1, 0, 2)
    points = a + share[:, :1] * (b - a) + share[:, 1:] * (c - a)
    normals = across[which] / np.maximum(doubled[which, None], 1e-15)
    outer = ~_inside_another(points + PROBE_M * normals, owner[which], pieces)
    seen = ~np.array([piece.guessed for piece in pieces])[owner[which]]
    return SurfacePoints(points[outer], normals[outer], centre_of_mass(pieces), spacing,
                         seen[outer])


def _inside_another(points: FloatArray, owner: NDArray[np.intp],
                    pieces: tuple[Piece, ...]) -> NDArray[np.bool_]:
    inside = np.zeros(len(points), dtype=bool)
    for k, piece in enumerate(pieces):
        low, high = piece.corners.min(axis=0), piece.corners.max(axis=0)
        near = np.flatnonzero((owner != k) & ~inside
                              & ((points >= low) & (points <= high)).all(axis=1))
        gaps = piece.planes[:, :3] @ points[near].T + piece.planes[:, 3:]
        inside[near] = gaps.max(axis=0, initial=-np.inf) <= 0
    return inside
