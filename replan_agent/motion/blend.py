"""Rounds the corners of a path, so that the arm need not stop at them."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.pose import FloatArray

SPACING_RAD = 0.08  # between the points of the rounded path
ARC_POINTS = 8


def rounded(path: list[FloatArray], radius: float) -> FloatArray:
    """Points along a polyline whose corners are replaced by parabolas (N, joints).

    A parabola leaves its edge at most `radius` (rad) before the corner, and never more than half
    an edge. So it stays inside the triangle at the corner.
    """
    points = [path[0]]
    for before, corner, after in zip(path, path[1:], path[2:]):
        enter = corner + _toward(before - corner, radius)
        leave = corner + _toward(after - corner, radius)
        t = np.linspace(0.0, 1.0, ARC_POINTS)[:, None]
        points.extend((1 - t) ** 2 * enter + 2 * t * (1 - t) * corner + t**2 * leave)
    points.append(path[-1])
    return _filled(np.array(points))


def _toward(edge: FloatArray, radius: float) -> FloatArray:
    length = float(np.linalg.norm(edge))
    return np.asarray(edge * min(0.5, radius / max(length, 1e-12)))


def _filled(points: FloatArray) -> FloatArray:
    """The points, with more added on long stretches so that a spline follows them."""
    filled = [points[:1]]
    for a, b in zip(points, points[1:]):
        n = max(1, int(np.ceil(np.linalg.norm(b - a) / SPACING_RAD)))
        filled.append(a + (b - a) * np.linspace(0, 1, n + 1)[1:, None])
    return np.concatenate(filled)
