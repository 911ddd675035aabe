# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a fitted shape explains what the camera sees: only then is it reported as that shape."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from replan_agent.domain.scene import CLEAR, SceneObject, Shape

from .fitting import Fitted
from .raycast import expected_depth
from .segments import Scan, Segment
from .solids import has_rim
from .view import SQUARE, Array

OFF_M = 0.003  # a pixel this far from the shape's surface is not explained by it
MOSTLY = 0.6  # confidence: between this and CLEAR, something hides a part of it,
PARTLY_OFF_M = 0.006  # and its size is less certain
OFF_SHARE = 0.25  # of the segment: edges of a true shape are off, faces are not
BEYOND_M = 0.008  # seeing this much farther means that the shape is not there
BEYOND_SHARE = 0.06  # of the shape's place in the picture
NEARLY_OFF_SHARE = 0.06  # of the segment of one thing with edges that are not straight
OUTSIDE_M = 0.006  # points of a container may be this far outside it
OUTSIDE_SHARE = 0.05
ENOUGH_POINTS = 1000
LEAST_CONTAINER_M = 0.05  # a narrower opening is not a container
BORDER_PX = 8


def is_explained(picture: Scan, fit: Fitted, slack_m: float = 0.0) -> bool:
    """Whether the fitted shape, as seen from the camera, is what the picture shows.

    `slack_m` is how far it may be off because another look found it.
    """
    return picture.once(('is_explained', fit, slack_m), lambda: _is_explained(
        picture, fit, slack_m))


def _is_explained(picture: Scan, fit: Fitted, slack_m: float) -> bool:
    if fit.thing.shape is Shape.IRREGULAR:
        return True
    if fit.thing.is_container:
        return _is_container(picture, fit)
    off_m = slack_m + (PARTLY_OFF_M if MOSTLY <= fit.confidence < CLEAR else OFF_M)
    if fit.segment.size <= ENOUGH_POINTS:  # of a small one, this has all that is needed
        off = _around(picture, fit).off_share(fit.segment, off_m)
    else:
        off = off_share(picture, fit.thing, fit.segment, off_m)
    return off <= OFF_SHARE and _around(picture, fit).beyond_share <= BEYOND_SHARE


def is_nearly_explained(picture: Scan, fit: Fitted) -> bool:
    """Whether all of it is on the fitted shape, which is only a little too large at an edge.

    Such a thing has round or dented edges. It is no shape, and it is not two things.
    """
    return (off_share(picture, fit.thing, fit.segment) <= NEARLY_OFF_SHARE
            and _around(picture, fit).beyond_share <= 2 * BEYOND_SHARE)


def is_part_of(picture: Scan, fragment: Fitted, fit: Fitted) -> bool:
    """Whether the fragment is on the surface of the fitted shape: something hides the rest."""
    return off_share(picture, fit.thing, fragment.segment) <= OFF_SHARE


def off_share(picture: Scan, thing: SceneObject, segment: Segment, off_m: float = OFF_M) -> float:
    """The share of the segment's pixels that are not on the surface of the shape."""
    flat = segment.flat(picture.view.width_px)
    flat = flat[::1 + len(flat) // ENOUGH_POINTS]
    depth = picture.view.depth.take(flat)
    expected = expected_depth(thing, picture.view.origin, picture.view.rays_of(flat))
    return _off_share(expected, depth, off_m + 2.5 * picture.table.noise_m)


def _off_share(expected: Array, depth: Array, off_m: float) -> float:
    measured = np.count_nonzero(depth)
    off = (np.abs(expected - depth) > off_m) & (depth > 0)
    return np.count_nonzero(off) / measured if measured else 1.0


@dataclass(frozen=True)
class _Around:
    """The measured depth around a segment, and what would be measured of its shape (h, w)."""

    depth: Array
    expected: Array
    corner: tuple[int, int]
    noise_m: float

    def off_share(self, segment: Segment, off_m: float) -> float:
        """The share of the segment's pixels that are not on the surface of the shape."""
        height, width = segment.mask.shape
        top, left = segment.corner[0] - self.corner[0], segment.corner[1] - self.corner[1]
        own = np.s_[top:top + height, left:left + width]
        depth, expected = (each[own][segment.mask] for each in (self.depth, self.expected))
        return _off_share(expected, depth, off_m + 2.5 * self.noise_m)

    @property
    def beyond_share(self) -> float:
        """The share of its place in the picture where the camera sees past it; 1 at a notch."""
        shown = cv2.erode((self.expected < np.inf).view(np.uint8), SQUARE).view(bool)
        core = shown & (self.depth > 0)
        count = np.count_nonzero(core)
        past = (self.depth - self.expected > BEYOND_M + 4 * self.noise_m) & core
        if not count or cv2.erode(past.view(np.uint8), SQUARE, iterations=2).any():
            return 1.0  # a hollow side is not so far off
        return np.count_nonzero(past) / count


def _around(picture: Scan, fit: Fitted) -> _Around:
    view, (top, left), (height, width) = picture.view, fit.segment.corner, fit.segment.mask.shape
    corner = max(top - BORDER_PX, 0), max(left - BORDER_PX, 0)
    box = np.s_[corner[0]:top + height + BORDER_PX, corner[1]:left + width + BORDER_PX]
    depth = view.depth[box]
    expected = expected_depth(fit.thing, view.origin, view.rays[box].reshape(-1, 3))
    return _Around(depth, expected.reshape(depth.shape), corner, picture.table.noise_m)


def _is_container(picture: Scan, fit: Fitted) -> bool:
    thing = fit.thing
    if min(thing.size[:2]) < LEAST_CONTAINER_M:
        return False
    points = fit.points[::1 + len(fit.points) // ENOUGH_POINTS]
    local = np.abs((points - thing.position) @ thing.pose.rotation[:, :2])
    half = np.asarray(thing.size[:2]) / 2 + OUTSIDE_M + 2.5 * picture.table.noise_m
    if thing.shape is Shape.BOWL:
        outside = np.hypot(local[:, 0], local[:, 1]) > half.max()
    else:
        outside = (local[:, 0] > half[0]) | (local[:, 1] > half[1])
    return float(np.mean(outside)) <= OUTSIDE_SHARE and has_rim(
        picture.view, thing, picture.table.noise_m)
