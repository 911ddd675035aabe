# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Curves of cubic pieces through waypoints. scipy has them too, but takes a second to import."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.pose import FloatArray


class Curve:
    """Cubic pieces through `values` (N, joints) at the knots `u` (N,), with these slopes there."""

    def __init__(self, u: FloatArray, values: FloatArray, slopes: FloatArray) -> None:
        h = np.diff(u)[:, None]
        mean = np.diff(values, axis=0) / h
        bend = (slopes[:-1] + slopes[1:] - 2 * mean) / h
        self._u = u
        parts = (bend / h, (mean - slopes[:-1]) / h - bend, slopes[:-1], values[:-1])
        self._parts = [np.ascontiguousarray(part.T) for part in parts]  # joint by joint: faster

    def __call__(self, at: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The values at `at` (M,), and their first and second derivatives."""
        k = np.clip(np.searchsorted(self._u, at, side='right') - 1, 0, len(self._u) - 2)
        t = at - self._u[k]
        a, b, c, d = (part.take(k, axis=1) for part in self._parts)
        b2, a3 = 2 * b, t * (3 * a)
        return ((d + t * (c + t * (b + t * a))).T, (c + t * (b2 + a3)).T, (b2 + 2 * a3).T)


def smooth(u: FloatArray, values: FloatArray) -> Curve:
    """The curve with a continuous second derivative, through three or more waypoints.

    At the ends it is 'not-a-knot': the first two pieces are one cubic, and so are the last two.
    """
    h, mean = np.diff(u), np.diff(values, axis=0) / np.diff(u)[:, None]
    below, diagonal, above, wanted = (np.zeros(shape) for shape in (*[len(u)] * 3, values.shape))
    below[1:-1], above[1:-1], diagonal[1:-1] = h[1:], h[:-1], 2 * (h[:-1] + h[1:])
    wanted[1:-1] = 3 * (h[1:, None] * mean[:-1] + h[:-1, None] * mean[1:])
    if len(u) == 3:  # a parabola
        diagonal[0] = above[0] = below[-1] = diagonal[-1] = 1.0
        wanted[0], wanted[-1] = 2 * mean[0], 2 * mean[1]
    else:
        first, last = u[2] - u[0], u[-1] - u[-3]
        diagonal[0], above[0], below[-1], diagonal[-1] = h[1], first, last, h[-2]
        wanted[0] = ((h[0] + 2 * first) * h[1] * mean[0] + h[0]**2 * mean[1]) / first
        wanted[-1] = (h[-1]**2 * mean[-2] + (2 * last + h[-1]) * h[-2] * mean[-1]) / last
    return Curve(u, values, _solved(below, diagonal, above, wanted))


def _solved(below: FloatArray, diagonal: FloatArray, above: FloatArray,
            wanted: FloatArray) -> FloatArray:
    """Solves a system with three diagonals (N,) for the columns of `wanted` (N, joints).

    Plain floats: a full matrix would wake the threads of the linear algebra library, which costs
    far more processor time than this. No row is exchanged: the pivots of a spline are positive.
    """
    lows, tops, rows = below.tolist(), above.tolist(), wanted.tolist()
    last, share = [0.0] * wanted.shape[1], 0.0
    shares = []
    for k, middle in enumerate(diagonal.tolist()):
        low, pivot = lows[k], 1.0 / (middle - lows[k] * share)
        share = tops[k] * pivot
        shares.append(share)
        rows[k] = last = [(x - low * y) * pivot for x, y in zip(rows[k], last)]
    for k in range(len(rows) - 2, -1, -1):
        share = shares[k]
        rows[k] = [x - share * y for x, y in zip(rows[k], rows[k + 1])]
    return np.array(rows)


def monotone(u: FloatArray, values: FloatArray) -> Curve:
    """The curve (PCHIP) that never overshoots: between two waypoints it only rises or falls."""
    h, mean = np.diff(u)[:, None], np.diff(values, axis=0) / np.diff(u)[:, None]
    before, after = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    slopes = np.zeros(values.shape)
    rises_on = mean[1:] * mean[:-1] > 0
    with np.errstate(divide='ignore', invalid='ignore'):
        harmonic = (before + after) / (before / mean[:-1] + after / mean[1:])
    slopes[1:-1] = np.where(rises_on, harmonic, 0.0)
    slopes[0] = _end_slope(h[0], h[1], mean[0], mean[1])
    slopes[-1] = _end_slope(h[-1], h[-2], mean[-1], mean[-2])
    return Curve(u, values, slopes)


def _end_slope(h: FloatArray, next_h: FloatArray, mean: FloatArray, next_mean: FloatArray
               ) -> FloatArray:
    """The slope at an end, from the lengths and mean slopes of the two pieces beside it."""
    slope = ((2 * h + next_h) * mean - h * next_mean) / (h + next_h)
    steep = (np.sign(mean) != np.sign(next_mean)) & (np.abs(slope) > 3 * np.abs(mean))
    back = np.sign(slope) != np.sign(mean)
    return np.asarray(np.where(back, 0.0, np.where(steep, 3 * mean, slope)))
