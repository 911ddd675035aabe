# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether an object is visible at its expected place."""

from __future__ import annotations

import itertools

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import SceneObject

from .raycast import expected_depth
from .solids import WALL_M, within_m
from .view import Array, Bools, View

IN_FRONT_M = 0.02  # something this much nearer than the object hides it
BEHIND_M = 0.008  # seeing this much farther means that the object is not there
LEAST_FREE = 0.15  # of the points of a lifted object: fewer say nothing
LOW_M = 0.03  # above a container's underside: the top of a low thing in it
WELL_INSIDE = 0.7  # of the way from the middle of a piece to its corners
# Points inside the object, as shares of its half size. None is in the lower half: there the table
# is as near as the object.
_LATTICE = np.array(list(itertools.product((-0.8, 0.0, 0.8), (-0.8, 0.0, 0.8), (0.0, 0.4, 0.8))))
_PLAN = np.array(list(itertools.product(np.linspace(-0.95, 0.95, 20), repeat=2)))
_CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def hidden_share(view: View, thing: SceneObject) -> float:
    """The share of the object that something nearer, or the picture's border, hides."""
    return float(np.mean(_compared(view, thing, _LATTICE)[0]))


def inside_hidden_share(view: View, container: SceneObject) -> float:
    """The share of a container's ground plan where its own walls hide a low thing."""
    T, half = container.pose.matrix(), np.asarray(container.size) / 2
    low = np.column_stack([_PLAN * half[:2], np.full(len(_PLAN), LOW_M - half[2])])
    points = low @ T[:3, :3].T + T[:3, 3]
    points = points[within_m(container, points[:, :2]) > WALL_M]
    reach = (container.top_z - view.origin[2]) / (points[:, 2] - view.origin[2])
    at_rim = view.origin[:2] + reach[:, None] * (points - view.origin)[:, :2]
    return float(np.mean(within_m(container, at_rim) < WALL_M)) if len(points) else 0.0


def seen_through_share(view: View, thing: SceneObject) -> float:
    """The share of the object that the camera sees through: 1 if nothing is there."""
    return float(np.mean(_compared(view, thing, _LATTICE)[1]))


def surface_seen_past_share(view: View, thing: SceneObject) -> float:
    """The share of the object's visible surface at which the camera sees something farther away.

    Unlike `seen_through_share` it counts every pixel, down to the object's lower edge. Its left
    and right quarter do not count: width and turn are estimates.
    """
    T, half = thing.pose.matrix(), np.asarray(thing.size) / 2
    u, v, depth = view.project(_CORNERS * half @ T[:3, :3].T + T[:3, 3]).T
    if depth.min() <= 0:
        return 0.0
    box = np.s_[max(int(v.min()), 0):max(int(v.max()) + 2, 0),
                max(int(u.min()), 0):max(int(u.max()) + 2, 0)]
    depth = view.depth[box]
    expected = expected_depth(thing, view.origin, view.rays[box].reshape(-1, 3))
    expected = expected.reshape(depth.shape)
    there = np.isfinite(expected)
    across = np.flatnonzero(there.any(axis=0))
    there[:, across[:len(across) // 4]] = there[:, across[-(len(across) // 4 + 1):]] = False
    past = depth[there] > expected[there] + BEHIND_M
    return float(np.mean(past)) if len(past) else 0.0


def seen_through_beside_share(view: View, thing: SceneObject, arm: Bools) -> float:
    """The share of a lifted object that the camera sees through, of what no arm pixel hides.

    0 if the arm and things in front hide nearly all of it.
    """
    in_front, behind, pixels = _compared(view, thing, np.concatenate((_LATTICE, -_LATTICE)))
    rows, columns = pixels
    free = ~in_front & ~arm[rows, columns]
    return float(np.mean(behind[free])) if np.mean(free) > LEAST_FREE else 0.0


def _compared(view: View, thing: SceneObject, lattice: FloatArray
              ) -> tuple[Bools, Bools, tuple[Array, Array]]:
    """For points inside the object: whether something or the border hides them, whether the
    camera sees farther, and their pixels (row, column) in the picture or at its border."""
    half = np.asarray(thing.size) / 2
    T = thing.pose.matrix()
    expected = view.project(_inside(thing, half, lattice) @ T[:3, :3].T + T[:3, 3])
    columns, rows = (np.rint(expected[:, i]).astype(int) for i in (0, 1))
    inside = ((expected[:, 2] > 0) & (rows >= 0) & (columns >= 0) & (rows < view.height_px)
              & (columns < view.width_px))
    measured = np.zeros(len(expected))
    measured[inside] = view.depth[rows[inside], columns[inside]]
    in_front = measured < expected[:, 2] - float(np.linalg.norm(half)) - IN_FRONT_M
    # The table is hardly behind a flat thing.
    behind = measured > expected[:, 2] + min(BEHIND_M, float(half.min()))
    blind = measured == 0  # no depth, or outside the picture
    pixels = (np.clip(rows, 0, view.height_px - 1), np.clip(columns, 0, view.width_px - 1))
    return ~inside | (in_front & ~blind), behind, pixels


def _inside(thing: SceneObject, half: FloatArray, lattice: FloatArray) -> FloatArray:
    """Points inside the object, in its own frame. Those of a shape are from the lattice."""
    if not thing.pieces:
        return np.asarray(lattice * half)
    return np.concatenate([piece.centroid + WELL_INSIDE * (piece.corners - piece.centroid)
                           for piece in thing.pieces])
