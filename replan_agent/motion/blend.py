# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rounds the corners of a path, so that the arm need not stop at them, and where to check it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointTrajectory

from .shortcuts import EdgeFree

SPACING_RAD = 0.08  # between the points of the rounded path
ARC_POINTS = 8
ON_EDGE_RAD = 1e-4  # a point this close to the edge between two others is no corner


def rounded(path: list[FloatArray], radius: float | Sequence[float]) -> FloatArray:
    """Points along a polyline whose corners are replaced by parabolas (N, joints).

    `radius` (rad) is that of all corners, or one for each. A parabola leaves its edge at most
    `radius` before the corner, and never more than half an edge. So it stays inside the triangle
    at the corner.
    """
    points = [path[0]]
    radii = radius if isinstance(radius, Sequence) else [radius] * (len(path) - 2)
    for before, corner, after, size in zip(path, path[1:], path[2:], radii):
        points.extend(_arc(before, corner, after, size))
    points.append(path[-1])
    return _filled(np.array(points))


def corners(points: FloatArray) -> list[FloatArray]:
    """The ends of a dense path (N, joints) and the points between where it bends."""
    kept, last = [np.asarray(points[0])], 0
    for k in range(2, len(points)):
        if _off_edge(points[last:k + 1]) > ON_EDGE_RAD:
            last = k - 1
            kept.append(np.asarray(points[last]))
    return [*kept, np.asarray(points[-1])]


def _off_edge(points: FloatArray) -> float:
    """How far (rad) the points are from the edge between the first and the last."""
    edge = points[-1] - points[0]
    share = (points - points[0]) @ edge / max(float(edge @ edge), 1e-12)
    return float(np.linalg.norm(points[0] + share[:, None] * edge - points, axis=1).max())


def free_radii(path: list[FloatArray], edge_free: EdgeFree, radii: Sequence[float]) -> list[float]:
    """The first radius for each corner of a path whose parabola is free, or the last one."""
    def best(before: FloatArray, corner: FloatArray, after: FloatArray) -> float:
        for radius in radii[:-1]:
            arc = _arc(before, corner, after, radius)
            if all(map(edge_free, arc, arc[1:])):
                return radius
        return radii[-1]

    return [best(*corner) for corner in zip(path, path[1:], path[2:])]


def _arc(before: FloatArray, corner: FloatArray, after: FloatArray, radius: float) -> FloatArray:
    enter = corner + _toward(before - corner, radius)
    leave = corner + _toward(after - corner, radius)
    t = np.linspace(0.0, 1.0, ARC_POINTS)[:, None]
    return np.asarray((1 - t) ** 2 * enter + 2 * t * (1 - t) * corner + t**2 * leave)


def _toward(edge: FloatArray, radius: float) -> FloatArray:
    length = float(np.linalg.norm(edge))
    return np.asarray(edge * min(0.5, radius / max(length, 1e-12)))


def _filled(points: FloatArray) -> FloatArray:
    """The points, with more added on long stretches so that a spline follows them."""
    steps = np.diff(points, axis=0)
    counts = np.maximum(1, np.ceil(np.linalg.norm(steps, axis=1) / SPACING_RAD)).astype(int)
    piece = np.repeat(np.arange(len(steps)), counts)
    number = np.arange(len(piece)) - (np.cumsum(counts) - counts)[piece] + 1
    filled = points[piece] + steps[piece] * (number / counts[piece])[:, None]
    return np.concatenate([points[:1], filled])


def checkpoints(trajectory: JointTrajectory, every: float) -> FloatArray:
    """Joints along a motion (N, joints), without its start.

    From one to the next no joint moves by more than `every` (rad), at any speed.
    """
    positions = trajectory.positions
    travel = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(positions, axis=0)).max(axis=1))])
    at = np.linspace(0.0, travel[-1], 1 + max(1, int(np.ceil(travel[-1] / every))))[1:]
    return np.stack([np.interp(at, travel, joint) for joint in positions.T], axis=1)
