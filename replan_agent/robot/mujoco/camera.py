# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A camera in the simulated world: colour, depth, intrinsics and pose."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from typing import Any

import numpy as np
from transforms3d import axangles

from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.robot.mujoco.mjcf.scene_mjcf import CAMERA

from .gl import mujoco
from .mjcf.arm_mjcf import HAND_CAMERA
from .painter import Painter
from .scene.scene_spec import CameraNoise, CameraSpec
from .world import World

MAX_RANGE_M = 5.0
FAST = {'shadowsize': 0, 'offsamples': 0, 'numslices': 16, 'numstacks': 8, 'numquads': 1}
# MuJoCo's camera looks along -z with y up. The optical frame looks along +z with y down.
_OPTICAL = np.diag([1.0, -1.0, -1.0])
STREAM = 0xCA3E7A  # separates these numbers from others drawn with the same seed


class MujocoCamera:
    """Renders the world without a screen, only when asked.

    The first picture needs a graphics library; without one it raises GraphicsUnavailable.
    `pretty` turns on shadows and antialiasing, at ten times the cost. Frames from `capture` have
    the scene's sensor noise, seeded by the world. Any thread may use it, one at a time.
    """

    def __init__(self, world: World, name: str = CAMERA, *, pretty: bool = False) -> None:
        names = [world.model.camera(i).name for i in range(world.model.ncam)]
        if name not in names:
            raise ValueError(f'no camera named {name!r}; the world has: {", ".join(names)}')
        self.world = world
        self.name = name
        self._pretty = pretty
        self.size = world.arm.camera.size_px if name == HAND_CAMERA else world.scene.camera.size
        self._painters: dict[tuple[int, int], Painter] = {}
        self._last: tuple[bytes, FloatArray, FloatArray] | None = None
        self._noise = SensorNoise(world.scene.camera.noise, world.seed)
        self._drawing = threading.RLock()

    def capture(self, ctx: Context) -> CameraFrame:
        """Colour and depth now; depth is 0 beyond MAX_RANGE_M."""
        ctx.check()
        width, height = self.size
        with self._drawing:
            rgb, depth = self._clean(width, height)
            return self._noise.applied(CameraFrame(
                self.world.time, rgb, depth, self.intrinsics(width, height), self.pose(),
                own=self.world.scene.camera != CameraSpec()))

    def glance(self) -> CameraFrame:
        """Colour only, without noise, at half the cost: for people, not for perception."""
        with self._drawing:
            return CameraFrame(stamp=self.world.time, rgb=self.render_rgb(*self.size),
                               depth=np.zeros((0, 0), np.float32),
                               intrinsics=self.intrinsics(*self.size),
                               T_base_camera=self.pose())

    def render_rgb(self, width: int, height: int) -> FloatArray:
        """A picture (height, width, 3 uint8) of any size, for example for a video."""
        with self._drawing:
            return self._painted(width, height)[0]

    def intrinsics(self, width: int, height: int) -> FloatArray:
        """K (3x3) of a picture of that size; pixel centres are whole numbers."""
        return intrinsics_of(float(self.world.model.camera(self.name).fovy[0]), width, height)

    def pose(self) -> Pose:
        """The true T_base_camera, optical: x right, y down, z into the picture."""
        return Pose.from_matrix(optical_pose(self.world.data.camera(self.name)))

    def close(self) -> None:
        """Give the graphics memory back: it is freed when the next camera draws."""
        self._painters.clear()

    def _clean(self, width: int, height: int) -> tuple[FloatArray, FloatArray]:
        """Colour and depth without noise. What looks the same as last time is not drawn again."""
        shown = _shown(*self.world.drawn())
        if self._last is None or self._last[0] != shown:
            rgb, depth = self._painted(width, height)
            self._last = shown, rgb, self._painters[width, height].metres(depth, MAX_RANGE_M)
        return self._last[1].copy(), self._last[2].copy()

    def _painted(self, width: int, height: int) -> tuple[FloatArray, FloatArray]:
        model, data = self.world.drawn()
        painter = self._painters.get((width, height))
        if painter is None or painter.model is not model:
            painter = self._painters[width, height] = self._new_painter(model, width, height)
        return painter.paint(data, model.camera(self.name).id, shadows=self._pretty)

    def _new_painter(self, model: mujoco.MjModel, width: int, height: int) -> Painter:
        quality = model.vis.quality  # read once, when a painter is made
        before = {key: getattr(quality, key) for key in FAST}
        try:
            if not self._pretty:
                for key, value in FAST.items():
                    setattr(quality, key, value)
            return Painter(model, width, height)
        finally:
            for key, value in before.items():
                setattr(quality, key, value)


def _shown(model: mujoco.MjModel, data: mujoco.MjData) -> bytes:
    """All that a picture depends on and that may change: two equal ones look the same."""
    return b''.join(part.tobytes() for part in (
        data.geom_xpos, data.geom_xmat, data.cam_xpos, data.cam_xmat, data.light_xpos,
        data.light_xdir, data.site_xpos, data.site_xmat, model.geom_rgba, model.geom_size,
        model.mat_rgba, model.light_diffuse, model.cam_fovy))


def intrinsics_of(fovy_deg: float, width: int, height: int) -> FloatArray:
    """K (3x3) of a MuJoCo camera's picture; pixel centres are whole numbers."""
    focal = height / 2 / math.tan(math.radians(fovy_deg) / 2)
    return np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2],
                     [0.0, 0.0, 1.0]])


def optical_pose(camera: Any) -> FloatArray:
    """The optical frame (4x4) in the world, of what `data.camera(name)` gives."""
    T = np.eye(4)
    T[:3, :3] = camera.xmat.reshape(3, 3) @ _OPTICAL
    T[:3, 3] = camera.xpos
    return T


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
