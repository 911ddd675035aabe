# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The contour of a segment, as points on the object's ground plan."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from replan_agent.domain.pose import FloatArray

from .segments import Scan, Segment
from .view import Array, Bools

OCCLUDER_M = 0.02  # something this much nearer than a contour pixel is in front of it
NEAR_TOP_M = 0.003
ON_TOP_M = 0.0008  # a pixel just below the top's edge is on a side; as top it would shift
NEAR_BOTTOM_M = 0.004
BOTTOM_SEEN_M = 0.008
BESIDE_M = 0.004  # a camera that sees the table this close to the edge cannot see below the thing
FAR_M = 10.0
BORDER_PX = 3
_AROUND = np.ones((5, 5), np.uint8)


@dataclass(frozen=True)
class Contour:
    """Contour pixels of a segment: their positions, and whether they are its real edge.

    An edge that ends at something in front, or at the picture's border, is not `true`. `cut`: it
    goes on beyond that border.
    """

    flat: Array  # row * width of the picture + column
    heights: FloatArray  # m above the table
    true: Bools
    outline: Array  # (n, 2): columns and rows in the segment's box, also of pixels without depth
    cut: bool = False

    @cached_property
    def true_share(self) -> float:
        return int(np.count_nonzero(self.true)) / len(self.true) if len(self.true) else 0.0


def find_contour(picture: Scan, segment: Segment) -> Contour:
    """The longest outer contour of the segment."""
    contours, _ = cv2.findContours(segment.mask.view(np.uint8), cv2.RETR_EXTERNAL,
                                   cv2.CHAIN_APPROX_NONE)
    outline = max(contours, key=len).reshape(-1, 2)
    (top, left), (height, width), view = segment.corner, segment.mask.shape, picture.view
    columns, rows = outline.T.astype(int)
    flat = (rows + top) * view.width_px + (columns + left)
    depth = view.depth.take(flat)
    nearest = _nearest_around(picture, segment).take(
        (rows + BORDER_PX) * (width + 2 * BORDER_PX) + (columns + BORDER_PX))
    true = depth - nearest <= OCCLUDER_M + 4 * picture.table.noise_m
    if segment.foreign is not None:
        beside = cv2.dilate(segment.foreign.astype(np.uint8), _AROUND)
        true &= beside[rows, columns] == 0
    cut = min(top, left, view.height_px - top - height, view.width_px - left - width) < 2
    if cut:
        rows, columns = rows + top, columns + left
        true &= ((rows > 1) & (columns > 1) & (rows < view.height_px - 2)
                 & (columns < view.width_px - 2))
    if not depth.all():
        flat, true = flat[depth > 0], true[depth > 0]
    return Contour(flat, picture.heights.take(flat).astype(float), true, outline, cut)


def _nearest_around(picture: Scan, segment: Segment) -> Array:
    """The smallest depth (m) of others near each pixel of the segment's box and a border."""
    (top, left), (height, width) = segment.corner, segment.mask.shape
    bottom, right = top + height + BORDER_PX, left + width + BORDER_PX
    box = picture.view.depth[max(top - BORDER_PX, 0):bottom, max(left - BORDER_PX, 0):right]
    beyond = (max(BORDER_PX - top, 0), max(bottom - picture.view.height_px, 0),
              max(BORDER_PX - left, 0), max(right - picture.view.width_px, 0))
    others = cv2.copyMakeBorder(box, *beyond, cv2.BORDER_REPLICATE)
    inner = others[BORDER_PX:-BORDER_PX, BORDER_PX:-BORDER_PX]
    np.copyto(inner, FAR_M, where=segment.mask)
    np.copyto(others, FAR_M, where=others <= 0)
    return np.asarray(cv2.erode(others, _AROUND))


def top_height(heights: FloatArray, noise_m: float) -> float:
    """The height (m) of the top face: where the greatest heights cluster."""
    ordered = np.sort(heights).astype(float)
    top, within = float(ordered[int(0.95 * len(ordered))]), max(NEAR_TOP_M, 3 * noise_m)
    for _ in range(3):
        first, last = ordered.searchsorted((top - within, top + within)).tolist()
        if first == last:
            break
        before, top = top, float(ordered[(first + last - 1) // 2]
                                 + ordered[(first + last) // 2]) / 2
        if top == before:
            break
    return top


def bottom_height(picture: Scan, contour: Contour, ground_m: float = 0.0) -> float | None:
    """The height (m) of the bottom: that of the ground, more in the air, None if it is hidden."""
    share = int(0.04 * len(contour.heights))
    lowest = float(np.partition(contour.heights, share)[share])
    if lowest < max(ground_m, picture.lowest_m) + BOTTOM_SEEN_M:
        return ground_m
    low = contour.heights < lowest + 0.006 + 2 * picture.table.noise_m
    rays = picture.view.rays_of(contour.flat[low])
    beside_m = lowest * np.hypot(rays[:, 0], rays[:, 1]) / np.abs(rays[:, 2])
    if float(np.median(beside_m)) < BESIDE_M:
        return ground_m  # seen from above, its foot is hardly visible
    return lowest if contour.true[low].mean() > 0.5 and not contour.cut else None


def ground_plan(picture: Scan, contour: Contour, top: float, bottom: float) -> FloatArray:
    """x, y (n, 2) of the contour pixels.

    Edges of the top face are where their rays cross the height of the top; the same holds for
    the bottom. This keeps depth noise out. Between them the measured depth is used.
    """
    slack = max(ON_TOP_M, 2.5 * picture.table.noise_m)
    foot = bottom + picture.lowest_m if bottom == 0.0 else bottom
    heights = contour.heights.copy()
    heights[np.abs(heights - top) < slack] = top
    heights[heights < foot + max(NEAR_BOTTOM_M, 2 * picture.table.noise_m)] = foot
    rays = picture.view.rays_of(contour.flat).astype(float)
    return picture.table.at_height(picture.view.origin, rays, heights)


def pixel_size(picture: Scan, contour: Contour, height: float) -> FloatArray:
    """The step (m, in x and y) of one pixel to the right, and one down: 2x2.

    In the middle of the contour, at that height.
    """
    view, table = picture.view, picture.table
    (fx, _, cx), (_, fy, cy), _ = view.K.tolist()
    count, total = len(contour.flat), int(contour.flat.sum())
    rows = int((contour.flat // view.width_px).sum())
    x, y = ((total - rows * view.width_px) / count - cx) / fx, (rows / count - cy) / fy
    turn, normal = view.T_base_camera[:3, :3].tolist(), table.normal.tolist()
    reach = height - float(table.normal @ view.origin + table.offset)

    def at(x: float, y: float) -> tuple[float, float]:
        ray = [a * x + b * y + c for a, b, c in turn]
        long = reach / sum(map(operator.mul, normal, ray))
        return ray[0] * long, ray[1] * long

    (x0, y0), (x1, y1), (x2, y2) = at(x, y), at(x + 1 / fx, y), at(x, y + 1 / fy)
    return np.array([[x1 - x0, y1 - y0], [x2 - x0, y2 - y0]])
