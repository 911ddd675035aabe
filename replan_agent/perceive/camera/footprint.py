# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rectangles and circles fitted to a contour on the ground plan."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np

from replan_agent.domain.pose import FloatArray

from .view import Array, share_of

LEAST_ON_SIDE = 3
SIDE_TOLERANCES_M = (0.005, 0.003, 0.002)
MOST = 94  # % of the contour without stray pixels
STRAY_M = 0.005
# Sides are +x, -x, +y, -y, each with its distance (m) from the centre. Points are complex numbers,
# x + iy: one product turns them, and these turn each side to +x.
_TO_X = np.array([1, -1, -1j, 1j])
_LEAST = 1e-12 * np.eye(3)  # makes a system without a unique solution solvable
_T = TypeVar('_T')
_Four = tuple[_T, _T, _T, _T]


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
    right, down = np.abs(pixel @ normal)
    return np.asarray(0.5 * np.maximum(right, down))


def fit_rectangle(points: FloatArray, pixel: FloatArray, slack_m: float = 0.0,
                  yaw: float | None = None, strays: int = 0,
                  rough: Rectangle | None = None) -> Rectangle:
    """The rectangle whose sides run through the contour points (n, 2), grown by half a pixel.

    It starts from the smallest rectangle around all points (`rough`, if that is known); with a
    `yaw` (rad), from one at that yaw around most points. No side is placed at only `strays`
    points, and their error hardly counts.
    """
    every = np.ascontiguousarray(points, dtype=float).view(complex)[:, 0]
    if yaw is None:
        start = rough or smallest_rectangle(points)
        yaw, centre, (w, h) = start.yaw, complex(*start.centre), start.sides
        local = every - centre
        sides = (w / 2, w / 2, h / 2, h / 2)
    else:
        centre = complex(every.sum()) / len(every)
        local = every - centre
        sides = _around_most(local * cmath.rect(1, -yaw))
    seen = (False,) * 4
    for tolerance in SIDE_TOLERANCES_M:
        yaw, sides, seen = _refined(local, yaw, sides, tolerance + slack_m, strays)
    turn = cmath.rect(1, yaw)
    rms = _rms(local * turn.conjugate(), sides, strays)
    centre += turn * complex(sides[0] - sides[1], sides[2] - sides[3]) / 2
    steps = [complex(x, y) / turn for x, y in pixel.tolist()]
    x, y = max(abs(step.real) for step in steps), max(abs(step.imag) for step in steps)
    return Rectangle((centre.real, centre.imag),  # grown by half a pixel on each side
                     (sides[0] + sides[1] + x, sides[2] + sides[3] + y), yaw, rms, seen)


def smallest_rectangle(points: FloatArray) -> Rectangle:
    """The smallest rectangle around all points (n, 2). Its error is not known."""
    (x, y), (w, h), degrees = cv2.minAreaRect((points * 1000).astype(np.float32))
    return Rectangle((x / 1000, y / 1000), (w / 1000, h / 1000), math.radians(degrees), math.inf)


def _around_most(turned: Array) -> _Four[float]:
    """The sides around most of the points."""
    x, y = np.sort(turned.real), np.sort(turned.imag)
    right, left, front, back = (share_of(v, MOST / 100) for v in (x, -x[::-1], y, -y[::-1]))
    return right, left, front, back


def _refined(local: Array, yaw: float, sides: _Four[float], tolerance: float,
             strays: int) -> tuple[float, _Four[float], _Four[bool]]:
    """Yaw and sides that run through the points near them, by least squares."""
    turned = local * cmath.rect(1, -yaw)
    side, gaps = _nearest_side(turned, sides)
    near = (gaps < tolerance).nonzero()[0]
    side = side[near]
    counts = np.bincount(side, minlength=4)
    right, left, front, back = counts.tolist()
    found = (right >= LEAST_ON_SIDE, left >= LEAST_ON_SIDE,
             front >= LEAST_ON_SIDE, back >= LEAST_ON_SIDE)
    if not all(found):
        kept = np.array(found)[side]
        near, side = near[kept], side[kept]
    if len(near) < 6:
        return yaw, sides, found
    # The error of a point is out + turn * along - its side. Whatever the turn is, the best place
    # of a side is the mean over its points.
    placed = turned[near] * _TO_X[side]
    out, along = placed.real.copy(), placed.imag.copy()
    share = 1 / np.maximum(counts, 1)
    means_out = np.bincount(side, out, minlength=4) * share
    means_along = np.bincount(side, along, minlength=4) * share
    along -= means_along[side]
    turn = -float(along @ out) / max(float(along @ along), 1e-15)
    yaw += turn
    best = (means_out + turn * means_along).tolist()
    if not all(found):  # a side without points is placed at the last point that is not a stray
        turned = local * cmath.rect(1, -yaw)
        x, y = np.sort(turned.real), np.sort(turned.imag)
        last = x[-1 - strays], -x[strays], y[-1 - strays], -y[strays]
        best = [side if seen else float(end) for side, seen, end in zip(best, found, last)]
    return yaw, tuple(best), found


def _from_middle(turned: Array, sides: _Four[float]) -> tuple[Array, Array, float, float]:
    """The points' x and y from the middle between the sides, and half of the sides (m)."""
    right, left, front, back = sides
    away = turned - complex(right - left, front - back) / 2
    return away.real, away.imag, (right + left) / 2, (front + back) / 2


def _nearest_side(turned: Array, sides: _Four[float]) -> tuple[Array, FloatArray]:
    """The side that each point is nearest to, and the distance (m)."""
    x, y, half_x, half_y = _from_middle(turned, sides)
    gap_x, gap_y = np.abs(x), np.abs(y)
    gap_x -= abs(half_x)
    gap_y -= abs(half_y)
    np.abs(gap_x, out=gap_x)
    np.abs(gap_y, out=gap_y)
    left, back = x < 0 if half_x >= 0 else x > 0, y < 0 if half_y >= 0 else y > 0
    return np.where(gap_x <= gap_y, left, back + 2), np.minimum(gap_x, gap_y)


def _rms(turned: Array, sides: _Four[float], strays: int) -> float:
    """The distance (rms, m) of the points from the contour."""
    x, y, half_x, half_y = _from_middle(turned, sides)
    x, y = np.abs(x) - half_x, np.abs(y) - half_y
    distance = np.maximum(x, y)  # outside; inside it is below zero
    distance = np.maximum(distance, np.minimum(np.abs(x), np.abs(y)) * (distance < 0))
    if strays:
        distance = np.minimum(distance, STRAY_M)
    return math.sqrt(float(distance @ distance) / len(distance))


def fit_circle(points: FloatArray, pixel: FloatArray) -> Circle:
    """The circle through the contour points (n, 2), grown by half a pixel."""
    every = np.ascontiguousarray(points.T)
    middle = every.sum(axis=1) / len(points)
    local = every - middle[:, None]
    system = np.ones((3, len(points)))
    system[:2] = local
    for _ in range(2):  # the second time, each point is moved out by its own half pixel
        x, y = system[:2]
        _, found = cv2.solve(system @ system.T + _LEAST, system @ (x * x + y * y)[:, None])
        (x,), (y,), (c,) = found.tolist()
        x, y = x / 2, y / 2
        radius = math.sqrt(max(c + x * x + y * y, 1e-12))
        away = local - [[x], [y]]
        normals = away / np.maximum(np.sqrt(away[0] * away[0] + away[1] * away[1]), 1e-9)
        outward = normals * half_pixel(pixel, normals)
        system[:2] = local + outward
    away += outward
    gaps = np.sqrt(away[0] * away[0] + away[1] * away[1]) - radius
    return Circle((float(middle[0] + x), float(middle[1] + y)), radius,
                  math.sqrt(float(gaps @ gaps) / len(gaps)))
