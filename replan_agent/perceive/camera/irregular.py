"""A thing of any shape: convex pieces around its visible points and what is hidden below them."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject, Shape

from .contour import bottom_height, find_contour
from .fitting import ENOUGH_PIXELS, LEAST_HEIGHT_M, LEAST_OUTLINE, Fit
from .naming import colour_name
from .segments import Picture, Segment
from .view import Bools

FULL = 0.85  # a piece that fills this share of its hull is not cut
MOST_CUTS = 3  # one after the other: at most eight pieces
LEAST_POINTS = 24
CUTS = (0.2, 0.35, 0.5, 0.65, 0.8)  # where a piece may be cut, as shares of its length
OVERLAP_M = 0.003  # pieces reach this far into each other, so that there is no gap
CELL_M = 0.004
STRAY_CELLS = 2  # a cell with fewer points is noise


def fit_irregular(picture: Picture, segment: Segment, stamp: float) -> Fit | None:
    """The thing that the segment shows as its pieces, or None if too little of it is seen.

    What is below a visible point is hidden, and counts as part of the thing.
    """
    rows, columns = segment.pixels
    valid = picture.view.depth[rows, columns] > 0
    rows, columns = rows[valid], columns[valid]
    contour = find_contour(picture, segment)
    if len(rows) < LEAST_POINTS or np.count_nonzero(contour.true) < LEAST_OUTLINE:
        return None
    points = picture.view.points(rows, columns)
    heights = picture.table.point_heights(points)
    top = float(np.percentile(heights, 99))
    if top < LEAST_HEIGHT_M:
        return None
    bottom = bottom_height(picture, contour)
    floor = min(bottom or 0.0, float(heights.min()))
    shown = min(1.0, segment.size / ENOUGH_PIXELS) * (1.0 if bottom is not None else 0.7)
    thing = irregular_thing(points, heights, floor, picture.table.noise_m)
    thing = replace(thing, seen_at=stamp, colour=colour_name(picture.view.rgb[rows, columns]),
                    confidence=round(min(0.99, max(0.05, contour.true_share * shown)), 3))
    return Fit(thing, 0.0, top, bottom is not None, segment, points)


def irregular_thing(points: FloatArray, heights: FloatArray, floor: float,
                    noise_m: float) -> SceneObject:
    """The unnamed thing around points (n, 3) and what is below them, down to `floor`."""
    return _thing(_pieces(points, heights, floor, noise_m))


def _thing(groups: list[FloatArray]) -> SceneObject:
    """An object made of the hulls of point groups, turned like the smallest box around them."""
    points = np.concatenate(groups)
    _, sides, degrees = cv2.minAreaRect((points[:, :2] * 1000).astype(np.float32))
    yaw = math.remainder(math.radians(degrees) + (math.pi / 2 if sides[1] > sides[0] else 0),
                         math.pi)
    turn = Pose.from_rpy(0, 0, 0, yaw=yaw).matrix()[:3, :3]
    local = points @ turn
    low, high = local.min(axis=0), local.max(axis=0)
    x, y, z = turn @ ((low + high) / 2)
    pieces = tuple(Piece.around((group - (x, y, z)) @ turn) for group in groups)
    length, width, height = np.maximum(high - low, 0.001)
    return SceneObject('', Shape.IRREGULAR, (float(length), float(width), float(height)),
                       Pose.from_rpy(float(x), float(y), float(z), yaw=yaw), pieces=pieces)


def _pieces(points: FloatArray, heights: FloatArray, floor: float,
            noise_m: float) -> list[FloatArray]:
    """Groups of points (n, 3), each close to convex; each with the points below it at `floor`."""
    kept = _without_strays(points, noise_m)
    points, heights = points[kept], heights[kept]
    groups = _cut(points[:, :2], heights - floor, np.arange(len(points)), MOST_CUTS)
    below = points - np.array([0, 0, 1]) * (heights - floor)[:, None]
    return [np.concatenate([points[group], below[group]]) for group in groups]


def _without_strays(points: FloatArray, noise_m: float) -> Bools:
    """Which points have neighbours: a noisy edge has pixels in the air."""
    cells = np.floor(points / max(CELL_M, 4 * noise_m)).astype(np.int64)
    _, index, counts = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    kept: Bools = counts[index.reshape(-1)] >= STRAY_CELLS
    return kept if np.count_nonzero(kept) >= LEAST_POINTS else np.ones(len(points), dtype=bool)


def _cut(xy: FloatArray, heights: FloatArray, group: np.ndarray, cuts: int) -> list[np.ndarray]:
    """The group of point numbers, cut in two again and again where that wastes least room."""
    if not cuts or len(group) < 2 * LEAST_POINTS or _fill(xy[group], heights[group]) >= FULL:
        return [group]
    centred = xy[group] - xy[group].mean(axis=0)
    axes = np.linalg.eigh(centred.T @ centred)[1].T
    best, cheapest = None, _room(xy[group], heights[group])
    for axis in axes:
        along = centred @ axis
        low, high = float(along.min()), float(along.max())
        for share in CUTS:
            at = low + share * (high - low)
            first, second = along <= at + OVERLAP_M, along >= at - OVERLAP_M
            if min(np.count_nonzero(first), np.count_nonzero(second)) < LEAST_POINTS:
                continue
            room = sum(_room(xy[group[part]], heights[group[part]]) for part in (first, second))
            if room < cheapest:
                best, cheapest = (group[first], group[second]), room
    if best is None:
        return [group]
    return [part for half in best for part in _cut(xy, heights, half, cuts - 1)]


def _room(xy: FloatArray, heights: FloatArray) -> float:
    """The volume (m³) of an upright prism around the points."""
    hull = cv2.convexHull((xy * 1000).astype(np.float32))
    return float(cv2.contourArea(hull)) * 1e-6 * float(heights.max())


def _fill(xy: FloatArray, heights: FloatArray) -> float:
    """The share of the prism around the points that is below one of them."""
    cells = np.floor(xy / CELL_M).astype(np.int64)
    _, index = np.unique(cells, axis=0, return_inverse=True)
    index = index.reshape(-1)
    tops = np.zeros(int(index.max()) + 1)
    np.maximum.at(tops, index, heights)
    room = _room(xy, heights)
    return float(tops.sum()) * CELL_M ** 2 / room if room > 0 else 1.0
