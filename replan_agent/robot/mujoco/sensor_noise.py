# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a real camera adds to a perfect picture."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from transforms3d import axangles

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.robot.mujoco.scene.scene_spec import CameraNoise

STREAM = 0xCA3E7A  # separates these numbers from others drawn with the same seed


class SensorNoise:
    """Degrades frames as `spec` says. The same seed gives the same noise in the same order."""

    def __init__(self, spec: CameraNoise, seed: int) -> None:
        self._spec = spec
        self._rng = np.random.default_rng([seed, STREAM])
        self._T_error = self._calibration_error()  # drawn once: a camera is calibrated once

    def applied(self, frame: CameraFrame) -> CameraFrame:
        """The frame as a real camera would give it."""
        if self._spec == CameraNoise():
            return frame
        rgb: FloatArray = np.clip(frame.rgb * self._spec.exposure, 0, 255).astype(np.uint8)
        pose = Pose.from_matrix(frame.T_base_camera.matrix() @ self._T_error)
        return replace(frame, rgb=rgb, depth=self._measured(frame.depth), T_base_camera=pose)

    def _measured(self, depth: FloatArray) -> FloatArray:
        noisy = depth + self._rng.normal(0.0, 1.0, depth.shape) * self._spec.depth_sigma * depth**2
        lost = self._rng.random(depth.shape) < self._spec.dropout
        return np.where(lost | (depth == 0), 0.0, noisy).astype(np.float32)

    def _calibration_error(self) -> FloatArray:
        """T from the true camera to its assumed pose: given length, any direction."""
        shift, axis = self._rng.normal(size=(2, 3))
        T = np.eye(4)
        T[:3, 3] = self._spec.calibration_mm / 1000 * shift / np.linalg.norm(shift)
        T[:3, :3] = axangles.axangle2mat(axis, math.radians(self._spec.calibration_deg))
        return T
