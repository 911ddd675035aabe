"""Rectangles and circles fitted to a contour on the ground plan."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from replan_agent.domain.pose import FloatArray

from .view import Array, Bools

LEAST_ON_SIDE = 3
SIDE_TOLERANCES_M = (0.005, 0.003, 0.002)
MOST = 94  # % of the contour without stray pixels
STRAY_M = 0.005
_TANGENT = np.array([2, 3, 1, 0])  # of each side: the side whose normal points along it
_LEAST = 1e-12 * np.eye(3)  # makes a system without a unique solution solvable


@dataclass(frozen=True)
class Rectangle:
    """Centre (m), full sides along its own x and y (m), yaw (rad), fit error (rms, m).

    `seen` says for the sides +x, -x, +y, -y whether contour points lie on them.
    """

    centre: tuple[float, float]
    sides: tuple[float, float]
    yaw: float
    rms: float
    seen: tuple[bool, bool, bool, bool] = (True, True, True, True)


@dataclass(frozen=True)
class Circle:
    centre: tuple[float, float]
    radius: float
    rms: float


def half_pixel(pixel: FloatArray, normal: FloatArray) -> FloatArray:
    """How far (m) an edge with this outward normal is, on average, beyond its last pixel.

    Along an edge, the distance to the last pixel's centre is spread evenly from zero to one step
    in the direction in which the contour advances one pixel at a time.
    """
    return np.asarray(0.5 * np.abs(pixel @ normal).max(axis=0))


def fit_rectangle(points: FloatArray, pixel: FloatArray, slack_m: float = 0.0,
                  yaw: float | None = None, strays: int = 0) -> Rectangle:
    """The rectangle whose sides run through the contour points (n, 2), grown by half a pixel.

    It starts from the smallest rectangle around all points; with a `yaw` (rad), from one at that
    yaw around most points. No side is placed at only `strays` points, and their error hardly
    counts.
    """
    if yaw is None:
        (cx, cy), (w, h), degrees = cv2.minAreaRect((points * 1000).astype(np.float32))
        yaw, centre = math.radians(degrees), np.array([cx, cy]) / 1000
        offsets = np.array([w, w, h, h]) / 2000  # of the sides +x, -x, +y, -y from the centre
    else:
        centre = points.mean(axis=0)
        offsets = np.percentile((points - centre) @ _normals(yaw).T, MOST, axis=0)
    local = points - centre
    seen = np.zeros(4, dtype=bool)
    for tolerance in SIDE_TOLERANCES_M:
        yaw, offsets, seen = _refined(local, yaw, offsets, tolerance + slack_m, strays)
    normals = _normals(yaw)
    distance = _to_nearest_side(normals @ local.T - offsets[:, None])
    if strays:
        distance = np.minimum(distance, STRAY_M)
    offsets = offsets + half_pixel(pixel, normals.T)
    middle = np.array([offsets[0] - offsets[1], offsets[2] - offsets[3]]) / 2
    centre = centre + middle @ normals[[0, 2]]
    return Rectangle((float(centre[0]), float(centre[1])),
                     (float(offsets[0] + offsets[1]), float(offsets[2] + offsets[3])),
                     yaw, math.sqrt(float(distance @ distance) / len(distance)),
                     (bool(seen[0]), bool(seen[1]), bool(seen[2]), bool(seen[3])))


def _refined(local: FloatArray, yaw: float, offsets: FloatArray, tolerance: float,
             strays: int) -> tuple[float, FloatArray, Bools]:
    """Yaw and offsets that put the sides through the points near them, by least squares."""
    reaches = _normals(yaw) @ local.T
    side, gaps = _nearest_side(np.abs(reaches - offsets[:, None]))
    near = np.flatnonzero(gaps < tolerance)
    counts = np.bincount(side[near], minlength=4)
    found = counts >= LEAST_ON_SIDE
    used = near if found.all() else near[found[side[near]]]
    if len(used) < 6:
        return yaw, offsets, found
    # The error of a point is (normal + turn * tangent) @ point - offset of its side. Whatever the
    # turn is, the best offset of a side is the mean over its points.
    side = side[used]
    per_side = np.maximum(counts, 1)
    out, along = reaches[side, used], reaches[_TANGENT[side], used]
    mean_along, mean_out = (np.bincount(side, v, minlength=4) / per_side for v in (along, out))
    spread = along - mean_along[side]
    turn = -float(spread @ out) / max(float(spread @ spread), 1e-15)
    yaw += turn
    placed = mean_out + turn * mean_along
    if not found.all():  # a side without points is placed at the last point that is not a stray
        reach = np.sort(_normals(yaw) @ local.T, axis=1)[:, -1 - strays]
        placed = np.where(found, placed, reach)
    return yaw, placed, found


def _normals(yaw: float) -> FloatArray:
    """Outward normals of the sides +x, -x, +y, -y."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, s], [-c, -s], [-s, c], [s, -c]])


def _nearest_side(gaps: FloatArray) -> tuple[Array, FloatArray]:
    """The side that each point is nearest to, and the distance; from `gaps` (4, n) to each.

    Faster than numpy's argmin and min across the rows.
    """
    x, y = np.minimum(gaps[0], gaps[1]), np.minimum(gaps[2], gaps[3])
    side = np.where(x <= y, gaps[1] < gaps[0], 2 + (gaps[3] < gaps[2]))
    return side, np.minimum(x, y)


def _to_nearest_side(gaps: FloatArray) -> FloatArray:
    """Distance (m) of points from the contour; `gaps` are those from the sides (4, n), signed."""
    inside = np.abs(gaps).min(axis=0)
    beyond = np.maximum(gaps.max(axis=0), 0.0)
    return np.asarray(np.maximum(inside * (beyond == 0), beyond))


def fit_circle(points: FloatArray, pixel: FloatArray) -> Circle:
    """The circle through the contour points (n, 2), grown by half a pixel."""
    middle = points.sum(axis=0) / len(points)
    local = points - middle
    outward = np.zeros_like(local)
    system = np.ones((len(local), 3))
    for _ in range(2):  # the second time, each point is moved out by its own half pixel
        moved = local + outward
        system[:, :2] = moved
        squares = np.einsum('ij,ij->i', moved, moved)
        x, y, c = np.linalg.solve(system.T @ system + _LEAST, squares @ system)
        x, y = x / 2, y / 2
        radius = math.sqrt(max(c + x * x + y * y, 1e-12))
        away = local - (x, y)
        normals = away / np.maximum(np.hypot(away[:, 0], away[:, 1]), 1e-9)[:, None]
        outward = normals * half_pixel(pixel, normals.T)[:, None]
    away = away + outward
    gaps = np.hypot(away[:, 0], away[:, 1]) - radius
    return Circle((float(middle[0] + x), float(middle[1] + y)), radius,
                  math.sqrt(float(gaps @ gaps) / len(gaps)))
