# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A camera frame as geometry: pixels to points in the base frame and back; depth without noise."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraFrame

Bools = NDArray[np.bool_]
Array = NDArray[Any]  # pixels, and whatever OpenCV returns

SQUARE = np.ones((3, 3), np.uint8)  # a pixel and those around it
CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)
NOISY_M = 0.0006  # a rougher table means that the camera is noisy
_RADIUS_PX = 7
_SPREAD_PX = 2.5


class View:
    """One frame with the rays of its pixels. Columns are u, rows v, pixel centres whole numbers.

    A ray has one metre of depth, so a pixel's point is `origin + depth * ray`.
    """

    def __init__(self, frame: CameraFrame) -> None:
        self.frame = frame
        self.rgb = frame.rgb
        self.depth = _measured(np.ascontiguousarray(frame.depth, dtype=np.float32))
        self.K = np.asarray(frame.intrinsics, dtype=float)
        self.T_base_camera = frame.T_base_camera.matrix()
        self.origin = self.T_base_camera[:3, 3]
        self.rays = _rays(self.depth.shape, self.K.tobytes(), self.T_base_camera.tobytes())

    @property
    def height_px(self) -> int:
        return int(self.depth.shape[0])

    @property
    def width_px(self) -> int:
        return int(self.depth.shape[1])

    def points(self, rows: Array, columns: Array) -> FloatArray:
        """The points (n, 3) in the base frame that these pixels see."""
        return self.points_of(rows * self.width_px + columns)

    def points_of(self, flat: Array) -> FloatArray:
        """The same of the pixels `row * width_px + column`."""
        points = np.ascontiguousarray(self.rays_of(flat).T) * self.depth.take(flat).astype(float)
        points += self.origin[:, None]
        return points.T

    def rays_of(self, flat: Array) -> Array:
        """Rays (n, 3) of the pixels `row * width_px + column`.

        Many times as fast as an index of rows and columns. So is `take` of a picture.
        """
        return self.rays.reshape(-1, 3).take(flat, axis=0)

    def colours_of(self, flat: Array) -> Array:
        """RGB (n, 3) of the pixels `row * width_px + column`."""
        return self.rgb.reshape(-1, 3).take(flat, axis=0)

    def project(self, points: FloatArray) -> FloatArray:
        """u, v and depth (m) of points (n, 3) in the base frame; depth <= 0: behind the camera."""
        local = self.T_base_camera[:3, :3].T @ (np.asarray(points) - self.origin).T
        found = self.K @ local
        with np.errstate(divide='ignore', invalid='ignore'):
            found[:2] /= local[2]
        found[2] = local[2]
        return np.asarray(found.T)


def _measured(depth: Array) -> Array:
    """The depth, 0 where there is none: drivers also write nan or infinity."""
    if depth.size and depth.min() >= 0 and depth.max() < np.inf:  # neither with a nan
        return depth
    return np.where((depth > 0) & (depth < np.inf), depth, np.float32(0))


@lru_cache(maxsize=4)
def _rays(shape: tuple[int, int], K: bytes, T_base_camera: bytes) -> NDArray[np.float32]:
    """Rays of all pixels (h, w, 3). Cached, because a camera rarely moves."""
    (fx, _, cx), (_, fy, cy), _ = np.frombuffer(K).reshape(3, 3)
    rotation = np.frombuffer(T_base_camera).reshape(4, 4)[:3, :3]
    right = ((np.arange(shape[1]) - cx) / fx)[:, None] * rotation[:, 0]
    down = ((np.arange(shape[0]) - cy) / fy)[:, None] * rotation[:, 1] + rotation[:, 2]
    rays = right.astype(np.float32) + down.astype(np.float32)[:, None]
    rays.setflags(write=False)
    return rays


def share_of(ordered: Array, share: float) -> float:
    """The value that this share of sorted values is below. As numpy's quantile, but fast."""
    place = share * (len(ordered) - 1)
    below = int(place)
    first, second = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    return first + (place - below) * (second - first)


def smoothed(depth: Array, sigma_m: float) -> Array:
    """Depth with holes filled from their surroundings and noise averaged. Edges stay sharp."""
    filled = _filled(np.asarray(depth, dtype=np.float32))
    even = cv2.bilateralFilter(filled, _RADIUS_PX, 3.5 * sigma_m, _SPREAD_PX)
    return np.where(filled > 0, even, 0).astype(np.float32)


def _filled(depth: Array) -> Array:
    """Pixels without depth get the median of their neighbours. Wide holes stay."""
    median = cv2.medianBlur(depth, 3)
    return np.asarray(np.where(depth > 0, depth, median))
