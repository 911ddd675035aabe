# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A thing of any shape: convex pieces around its visible points and what they hide."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject, Shape

from .contour import bottom_height, find_contour
from .fitting import ENOUGH_PIXELS, LEAST_OUTLINE, Fitted
from .naming import colour_of
from .segments import Scan, Segment
from .view import CROSS, Array, Bools, View

FULL = 0.85  # a piece that fills this share of its hull is not cut
MOST_CUTS = 3  # one after the other: at most eight pieces,
BEHIND_CUTS = 2  # and four for the guess behind them
LEAST_POINTS = 24
CUT_POINTS = 300  # are enough to find the best cut
MOST_POINTS = 1500  # a picture from nearby shows many more than are needed
CUTS = (0.2, 0.35, 0.5, 0.65, 0.8)  # where a piece may be cut, as shares of its length
OVERLAP_M = 0.003  # pieces reach this far into each other, so that there is no gap
CELL_M = 0.004
EDGE_CELL = 0.5  # of a cell at the edge is inside, on average
STRAY_CELLS = 2  # a cell with fewer points is noise

# What is behind a thing:
SLICE_M = 0.003
GAP_M = 0.014  # between two points of a slice: what is farther away is another part
PLATEAU_M = 0.002  # so far below the highest point of a slice is still its top
MOST_M = 0.05  # more than this is not guessed
SEEN_PAST_M = 0.003
LEAST_BEHIND = 12


def fit_irregular(picture: Scan, segment: Segment, stamp: float,
                  ground_m: float = 0.0) -> Fitted | None:
    """The thing that the segment shows as its pieces, or None if too little of it is seen.

    What is below a visible point is hidden, and counts as part of the thing. So does a guess of
    its back side. `ground_m` is the height above the table of what it stands on.
    """
    flat = segment.flat(picture.view.width_px)
    flat = flat[picture.view.depth.take(flat) > 0]
    contour = find_contour(picture, segment)
    if len(flat) < LEAST_POINTS or np.count_nonzero(contour.true) < LEAST_OUTLINE:
        return None
    points = picture.view.points_of(flat)
    heights = picture.table.point_heights(points)
    if (top := float(np.percentile(heights, 99))) < picture.least_height_m:
        return None
    bottom = bottom_height(picture, contour, ground_m)
    floor = min(ground_m if bottom is None else bottom, float(heights.min()))
    shown = min(1.0, segment.size / ENOUGH_PIXELS) * (1.0 if bottom is not None else 0.7)
    cloud = points[without_strays(points, picture.table.noise_m)]
    cloud = cloud[::math.ceil(len(cloud) / MOST_POINTS)]
    behind = _points_behind(picture.view, cloud, picture.table.noise_m)
    seen, guessed = (_groups(each, picture.table.point_heights(each), floor, cuts)
                     for each, cuts in ((cloud, MOST_CUTS), (behind, BEHIND_CUTS)))
    thing = _thing(seen, guessed)
    thing = replace(thing, seen_at=stamp, colour=colour_of(picture.view, flat),
                    confidence=round(min(0.99, max(0.05, contour.true_share * shown)), 3))
    return Fitted(thing, 0.0, top, bottom is not None, segment, points, ground_m=ground_m)


def irregular_thing(points: FloatArray, heights: FloatArray, floor: float) -> SceneObject:
    """The unnamed thing around points (n, 3) of several looks, and what is below them."""
    return _thing(_groups(points, heights, floor, MOST_CUTS), [])


def _thing(seen: list[FloatArray], guessed: list[FloatArray]) -> SceneObject:
    """An object made of the hulls of point groups, turned like the smallest box around them."""
    points = np.concatenate([*seen, *guessed])
    outline = points[_outline(points[:, :2]), :2]
    _, sides, degrees = cv2.minAreaRect((outline * 1000).astype(np.float32))
    yaw = math.remainder(math.radians(degrees) + (math.pi / 2 if sides[1] > sides[0] else 0),
                         math.pi)
    turn = Pose.from_rpy(0, 0, 0, yaw=yaw).matrix()[:3, :3]
    local = points @ turn
    low, high = local.min(axis=0), local.max(axis=0)
    x, y, z = turn @ ((low + high) / 2)
    pieces = tuple(Piece.around((group - (x, y, z)) @ turn, guess)
                   for groups, guess in ((seen, False), (guessed, True)) for group in groups)
    length, width, height = np.maximum(high - low, 0.001)
    return SceneObject('', Shape.IRREGULAR, (float(length), float(width), float(height)),
                       Pose.from_rpy(float(x), float(y), float(z), yaw=yaw), pieces=pieces)


def _groups(points: FloatArray, heights: FloatArray, floor: float, cuts: int) -> list[FloatArray]:
    """Groups of points (n, 3), each close to convex; each with the points below it at `floor`."""
    if not len(points):
        return []
    groups = _cut(points[:, :2], heights - floor, np.arange(len(points)), cuts)
    below = points - np.array([0, 0, 1]) * (heights - floor)[:, None]
    return [np.concatenate([points[group], below[group[_outline(points[group, :2])]]])
            for group in groups]


def _outline(xy: FloatArray) -> np.ndarray:
    """Numbers of the points around all others."""
    return np.asarray(cv2.convexHull((xy * 1000).astype(np.float32), returnPoints=False)).ravel()


def without_strays(points: FloatArray, noise_m: float) -> Bools:
    """Which points have neighbours: a noisy edge has pixels in the air.

    They must be all points that were seen: of a large thing, a selection has no neighbours.
    """
    index = _cells(points, max(CELL_M, 4 * noise_m))
    kept: Bools = np.bincount(index)[index] >= STRAY_CELLS
    return kept if np.count_nonzero(kept) >= LEAST_POINTS else np.ones(len(points), dtype=bool)


def _cells(points: FloatArray, side_m: float) -> np.ndarray:
    """The number of the cell that each point (n, 2 or 3) is in."""
    cells = np.floor(points / side_m).astype(np.int64)
    cells -= cells.min(axis=0)
    flat = np.ravel_multi_index(tuple(cells.T), tuple(cells.max(axis=0) + 1))
    return np.unique(flat, return_inverse=True)[1].reshape(-1)


def _cut(xy: FloatArray, heights: FloatArray, group: np.ndarray, cuts: int) -> list[np.ndarray]:
    """The group of point numbers, cut in two again and again where that wastes least room."""
    if not cuts or len(group) < 2 * LEAST_POINTS or _fill(xy[group], heights[group]) >= FULL:
        return [group]
    some = group[::1 + len(group) // CUT_POINTS]
    least = LEAST_POINTS * len(some) / len(group)
    middle = xy[group].mean(axis=0)
    centred = xy[some] - middle
    axes = np.linalg.eigh(centred.T @ centred)[1].T
    best, cheapest = None, _room(xy[some], heights[some])
    for axis in axes:
        at, room = _best_cut(centred, heights[some], centred @ axis, least)
        if room < cheapest:
            best, cheapest = (axis, at), room
    if best is None:
        return [group]
    along = (xy[group] - middle) @ best[0]
    halves = group[along <= best[1] + OVERLAP_M], group[along >= best[1] - OVERLAP_M]
    return [part for half in halves for part in _cut(xy, heights, half, cuts - 1)]


def _best_cut(xy: FloatArray, heights: FloatArray, along: FloatArray,
              least: float) -> tuple[float, float]:
    """Where to cut across an axis, and the volume (m³) of both parts; infinite without a cut.

    `along` are the positions on the axis. A part with fewer than `least` points is not cut off.
    """
    order = np.argsort(along)
    along, heights = along[order], heights[order]
    plan = (xy[order] * 1000).astype(np.float32)
    below, above = np.maximum.accumulate(heights), np.maximum.accumulate(heights[::-1])[::-1]
    places = along[0] + np.array(CUTS) * (along[-1] - along[0])
    ends = np.searchsorted(along, places + OVERLAP_M, side='right').tolist()
    starts = np.searchsorted(along, places - OVERLAP_M).tolist()
    rooms = [(_area(plan[:end]) * below[end - 1] + _area(plan[start:]) * above[start], at)
             for start, end, at in zip(starts, ends, places.tolist())
             if min(end, len(along) - start) >= least]
    room, at = min(rooms, default=(math.inf, 0.0))
    return at, room


def _area(plan: Array) -> float:
    """The area (m²) of the hull of points (n, 2) in mm."""
    return float(cv2.contourArea(cv2.convexHull(plan))) * 1e-6


def _room(xy: FloatArray, heights: FloatArray) -> float:
    """The volume (m³) of an upright prism around the points."""
    return _area((xy * 1000).astype(np.float32)) * float(heights.max())


def _fill(xy: FloatArray, heights: FloatArray) -> float:
    """The share of the prism around the points that is below one of them."""
    columns, rows = np.floor((xy - xy.min(axis=0)) / CELL_M).astype(np.int64).T + 2
    tops = np.zeros((int(rows.max()) + 3, int(columns.max()) + 3), np.float32)
    order = np.argsort(heights)
    tops[rows[order], columns[order]] = heights[order]  # the last one, the highest, stays
    closed = cv2.morphologyEx(tops, cv2.MORPH_CLOSE, CROSS)  # a cell between others is not empty
    inner = cv2.erode((closed > 0).astype(np.uint8), CROSS)
    filled = float(np.sum(closed * np.where(inner, 1.0, EDGE_CELL)))
    room = _room(xy, heights)
    return filled * CELL_M ** 2 / room if room > 0 else 1.0


def _points_behind(view: View, points: FloatArray, noise_m: float) -> FloatArray:
    """Points (n, 3) of the hidden back side, with the visible edge where it begins; or none.

    The cloud is cut into upright slices that lead away from the camera. In each slice the thing is
    taken to fall off behind its top as it rises before it. A bottle, a lying roll and a standing
    plate are like that. What the camera sees past is not filled.
    """
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
    found = np.column_stack([view.origin[:2] + direction * mirrored[chosen, None], height[chosen]])
    hidden = _is_hidden(view, found, SEEN_PAST_M + 2 * noise_m)
    if np.count_nonzero(hidden) < LEAST_BEHIND:
        return np.empty((0, 3))
    begins = np.isin(part, part[chosen][hidden]) & (distance >= middle[part])
    return np.concatenate([found[hidden], points[order][begins]])


def _is_hidden(view: View, points: FloatArray, slack_m: float) -> Bools:
    """Which of the points the camera cannot see, because something is in front of them."""
    u, v, depth = view.project(points).T
    columns, rows = np.rint(u).astype(int), np.rint(v).astype(int)
    inside = ((depth > 0) & (rows >= 0) & (columns >= 0) & (rows < view.height_px)
              & (columns < view.width_px))
    hidden = np.zeros(len(points), dtype=bool)
    measured = view.depth[rows[inside], columns[inside]]
    hidden[inside] = (measured > 0) & (measured < depth[inside] + slack_m)
    return hidden
