# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Postures in which the camera on the hand sees the middle of where the arm works."""

from __future__ import annotations

import math

import numpy as np

from replan_agent.arms.arm_model import Branches, HandCamera
from replan_agent.domain.pose import FloatArray, Pose

from .compiled import inverse, matrix

SIDES = {'the middle': 180.0, 'the left': 105.0, 'the right': -105.0}  # degrees about the middle
TILTS, DISTANCES_M, TURNS = (35, 25, 45, 15), (0.45, 0.35, 0.55), 8  # of the line of sight


def look_postures(branches: Branches, camera: HandCamera, tcp_m: float,
                  ring_m: tuple[float, float], home: FloatArray
                  ) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """From each side that the arm reaches, the posture nearest to home."""
    T_camera_tcp = inverse(camera.T_hand_camera.matrix()) @ Pose((0, 0, tcp_m)).matrix()
    middle = np.array([sum(ring_m) / 2, 0.0, 0.0])
    found = []
    for side, angle in SIDES.items():
        for tilt in TILTS:
            poses = np.stack([view @ T_camera_tcp for distance in DISTANCES_M
                              for view in _views(middle, math.radians(angle), math.radians(tilt),
                                                 distance)])
            _, joints = branches.solve_all_batch(poses)
            if len(joints):
                best = joints[int(branches.cost(joints, home).argmin())]
                found.append((side, tuple(map(float, best))))
                break
    return tuple(found)


def _views(middle: FloatArray, angle: float, tilt: float, distance: float) -> list[FloatArray]:
    """T_base_camera that look at the middle from there, turned about the line of sight."""
    ahead = -np.array([math.cos(angle) * math.sin(tilt), math.sin(angle) * math.sin(tilt),
                       math.cos(tilt)])
    across = np.cross(ahead, (0.0, 0.0, 1.0))
    across /= np.linalg.norm(across)
    turn = np.column_stack([across, np.cross(ahead, across), ahead])
    return [matrix(turn, middle - distance * ahead)
            @ Pose((0, 0, 0)).turned(k * math.tau / TURNS).matrix() for k in range(TURNS)]
