# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A rigid pose with REP 103 conventions: metres, radians, x forward, y left, z up."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from transforms3d import euler, quaternions

from replan_agent.text.plain_values import Recorded, on_disk

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Pose(Recorded):
    """Position (m) and unit quaternion (w, x, y, z) of a frame in its parent."""

    position: tuple[float, float, float]
    quaternion: tuple[float, float, float, float] = field(
        default=(1.0, 0.0, 0.0, 0.0), metadata=on_disk(key='quaternion_wxyz'))

    @staticmethod
    def from_matrix(T: FloatArray) -> Pose:
        """Pose of a 4x4 homogeneous transform."""
        T = np.asarray(T, dtype=float)
        return Pose(tuple(T[:3, 3].tolist()), _quaternion(T[:3, :3].tolist()))

    @staticmethod
    def from_rpy(x: float, y: float, z: float, roll: float = 0.0, pitch: float = 0.0,
                 yaw: float = 0.0) -> Pose:
        """Pose from fixed-axis roll, pitch, yaw (rad), as in URDF."""
        quaternion = euler.euler2quat(roll, pitch, yaw, axes='sxyz')
        return Pose((float(x), float(y), float(z)), tuple(map(float, quaternion)))  # type: ignore[arg-type]

    def matrix(self) -> FloatArray:
        """The 4x4 homogeneous transform."""
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = self.rotation, self.position
        return T

    @property
    def rotation(self) -> FloatArray:
        """The 3x3 rotation, read-only."""
        return _rotation(self.quaternion)

    @property
    def yaw(self) -> float:
        """Rotation about the parent's z axis (rad), in (-pi, pi]."""
        w, x, y, z = self.quaternion
        return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))

    def moved(self, dx: float = 0.0, dy: float = 0.0, dz: float = 0.0) -> Pose:
        """The same orientation, shifted in the parent frame (m)."""
        x, y, z = self.position
        return Pose((x + dx, y + dy, z + dz), self.quaternion)

    def turned(self, angle: float) -> Pose:
        """The same place, turned about the parent's z axis (rad)."""
        about_z = (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))
        found = quaternions.qmult(about_z, self.quaternion)
        return Pose(self.position, tuple(map(float, found)))  # type: ignore[arg-type]

    def distance_to(self, other: Pose) -> float:
        """Distance between the two origins (m)."""
        return math.dist(self.position, other.position)

    def angle_to(self, other: Pose) -> float:
        """The angle (rad) between the two orientations."""
        dot = abs(sum(a * b for a, b in zip(self.quaternion, other.quaternion)))
        return 2 * math.acos(min(1.0, dot))


@functools.lru_cache(maxsize=4096)
def _rotation(quaternion: tuple[float, float, float, float]) -> FloatArray:
    rotation = np.asarray(quaternions.quat2mat(quaternion), dtype=float)
    rotation.setflags(write=False)
    return rotation


def _quaternion(rotation: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    """The unit quaternion of a 3x3 rotation, w not negative: from its largest part."""
    (a, b, c), (d, e, f), (g, h, i) = rotation
    rows = ((1 + a + e + i, h - f, c - g, d - b), (h - f, 1 + a - e - i, b + d, c + g),
            (c - g, b + d, 1 - a + e - i, f + h), (d - b, c + g, f + h, 1 - a - e + i))
    best = rows[max(range(4), key=lambda k: rows[k][k])]
    length = math.copysign(math.hypot(*best), best[0])
    w, x, y, z = (part / length for part in best)
    return w, x, y, z


def inward(position: Sequence[float] | FloatArray) -> FloatArray:
    """The horizontal direction (x, y) from a position in the base frame to the base."""
    x, y = position[0], position[1]
    return -np.array([x, y]) / max(math.hypot(x, y), 1e-9)
