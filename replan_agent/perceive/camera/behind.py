"""What one view hides behind a thing: its back, guessed from its front.

The cloud is cut into upright slices that lead away from the camera. In each slice the thing is
taken to fall off behind its top as it rises before it. A bottle, a lying roll and a standing plate
are like that. What the camera sees past is not filled.
"""

from __future__ import annotations

import numpy as np

from replan_agent.domain.pose import FloatArray

from .view import View

SLICE_M = 0.003
GAP_M = 0.014  # between two points of a slice: what is farther away is another part
PLATEAU_M = 0.002  # so far below the highest point of a slice is still its top
MOST_M = 0.05  # more than this is not guessed
SEEN_PAST_M = 0.003
LEAST_POINTS = 12


def points_behind(view: View, points: FloatArray, noise_m: float) -> FloatArray:
    """Points (n, 3) of the hidden back side, with the visible edge where it begins; or none."""
    away = points[:, :2] - view.origin[:2]
    distance = np.linalg.norm(away, axis=1)
    azimuth = np.arctan2(away[:, 1], away[:, 0])
    turned = np.angle(np.exp(1j * (azimuth - azimuth[0])))  # no jump at half a turn
    slices = np.round(turned * float(distance.mean()) / SLICE_M).astype(np.int64)
    order = np.lexsort((distance, slices))
    distance, height, slices = distance[order], points[order, 2], slices[order]
    starts = np.ones(len(order), dtype=bool)
    starts[1:] = (np.diff(slices) != 0) | (np.diff(distance) > GAP_M)
    part = np.cumsum(starts) - 1
    first = np.flatnonzero(starts)
    top = np.maximum.reduceat(height, first)
    last = np.maximum.reduceat(distance, first)
    on_top = height > (top - PLATEAU_M - 2 * noise_m)[part]
    middle = (np.minimum.reduceat(np.where(on_top, distance, np.inf), first)
              + np.maximum.reduceat(np.where(on_top, distance, -np.inf), first)) / 2
    mirrored = 2 * middle[part] - distance
    beyond = mirrored - last[part]
    chosen = (beyond > 0) & (beyond < MOST_M)
    direction = away[order][chosen] / distance[chosen, None]
    found = np.column_stack([view.origin[:2] + direction * mirrored[chosen, None],
                             height[chosen]])
    hidden = _is_hidden(view, found, SEEN_PAST_M + 2 * noise_m)
    if np.count_nonzero(hidden) < LEAST_POINTS:
        return np.empty((0, 3))
    begins = np.isin(part, part[chosen][hidden]) & (distance >= middle[part])
    return np.concatenate([found[hidden], points[order][begins]])


def _is_hidden(view: View, points: FloatArray, slack_m: float) -> np.ndarray:
    """Which of the points the camera cannot see, because something is in front of them."""
    u, v, depth = view.project(points).T
    columns, rows = np.rint(u).astype(int), np.rint(v).astype(int)
    inside = ((depth > 0) & (rows >= 0) & (columns >= 0) & (rows < view.height_px)
              & (columns < view.width_px))
    hidden = np.zeros(len(points), dtype=bool)
    measured = view.depth[rows[inside], columns[inside]]
    hidden[inside] = (measured > 0) & (measured < depth[inside] + slack_m)
    return hidden
