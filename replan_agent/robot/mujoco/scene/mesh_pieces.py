# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Meshes as convex pieces: the objects of a file, its connected parts, or a decomposition."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray

from .mesh_file import MeshError, read_mesh

CONVEX_SHARE, HOLLOW_M = 0.8, 0.002  # a part that fills less of its hull is far from convex
LEAST_EXTENT_M = 1e-4
SAME_CORNER = 1e-6  # of the largest extent
CONCAVITY = 0.08  # of coacd: lower gives more and finer pieces

log = logging.getLogger('replan_agent')


def pieces_of_file(path: Path, scale: FloatArray) -> tuple[Piece, ...]:
    """The convex pieces of a mesh file, about the centre of the box around them. Raises MeshError.

    Several objects in the file are the pieces themselves. Otherwise each connected part is one,
    as its hull. A part that is far from convex is decomposed if `coacd` is installed; if not, a
    warning says what its hull hides.
    """
    parts = [part * scale for part in read_mesh(path)]
    if np.ptp(np.concatenate(parts).reshape(-1, 3), axis=0).min() < LEAST_EXTENT_M:
        raise MeshError('it has no volume: it is flat, or its scale is too small')
    if len(parts) == 1:
        parts = _connected(parts[0])
    clouds = [cloud for part in parts for cloud in _convex(part, path)]
    corners = np.concatenate(clouds)
    centre = (corners.min(axis=0) + corners.max(axis=0)) / 2
    return tuple(Piece.around(cloud - centre) for cloud in clouds)


def extents(pieces: Sequence[Piece]) -> tuple[float, float, float]:
    """The size (m) of the box around the pieces."""
    x, y, z = np.ptp(np.concatenate([piece.corners for piece in pieces]), axis=0)
    return float(x), float(y), float(z)


def _convex(part: FloatArray, path: Path) -> list[FloatArray]:
    """The corners (n, 3) of the convex pieces of one part."""
    corners = part.reshape(-1, 3)
    share, deepest = _fills_hull(part)
    if share >= CONVEX_SHARE or deepest < HOLLOW_M:
        return [corners]
    pieces = _decomposed(part)
    if pieces is not None:
        return pieces
    log.warning('%s: a part fills only %.0f %% of its convex hull, which is used instead; its '
                'surface is up to %.0f mm inside. Give convex parts as objects of their own, or '
                "install 'replan_agent[mesh]'", path, 100 * share, 1000 * deepest)
    return [corners]


def _fills_hull(part: FloatArray) -> tuple[float, float]:
    """The share of its hull's volume, and how deep (m) its surface is inside the hull at most.

    The first alone would not do: in many files the outside of a triangle is its inside.
    """
    hull = Piece.around(part.reshape(-1, 3))
    a, b, c = (part - hull.centroid).transpose(1, 0, 2)
    volume = abs(float(np.sum(a * np.cross(b, c)) / 6))
    depth = -np.max(part.mean(axis=1) @ hull.planes[:, :3].T + hull.planes[:, 3], axis=1)
    return volume / hull.volume, float(depth.max())


def _decomposed(part: FloatArray) -> list[FloatArray] | None:
    """The corners (n, 3) of its convex pieces; None without `coacd`."""
    try:
        import coacd

        coacd.set_log_level('error')
    except (ImportError, AttributeError):  # a folder of that name can be imported too
        return None
    corners, faces = _merged(part)
    found: Any = coacd.run_coacd(coacd.Mesh(corners, faces), threshold=CONCAVITY, seed=0)
    return [np.asarray(vertices, dtype=float) for vertices, _ in found]


def _connected(triangles: FloatArray) -> list[FloatArray]:
    """The parts of a mesh that share no corner; all of it if one of them is not closed."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    corners, faces = _merged(triangles)
    pairs = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
    links = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), [len(corners)] * 2)
    count, label = connected_components(links, directed=False)
    parts = [triangles[label[faces[:, 0]] == k] for k in range(count)]
    parts = [part for part in parts if len(part)]
    return parts if all(map(_is_closed, parts)) else [triangles]


def _merged(triangles: FloatArray) -> tuple[FloatArray, Any]:
    """Corners without doubles, and the triangles as indices into them."""
    corners = triangles.reshape(-1, 3)
    step = SAME_CORNER * np.ptp(corners, axis=0).max()
    _, first, index = np.unique(np.round(corners / step), axis=0, return_index=True,
                                return_inverse=True)
    return corners[first], index.reshape(-1, 3)


def _is_closed(triangles: FloatArray) -> bool:
    """Whether every edge belongs to two triangles."""
    _, faces = _merged(triangles)
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2])
                  & (faces[:, 0] != faces[:, 2])]
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    return bool(np.all(np.unique(edges, axis=0, return_counts=True)[1] % 2 == 0))
