# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draws a model into an array: colour and depth come from one drawing."""

from __future__ import annotations

import weakref

import numpy as np

from replan_agent.domain.pose import FloatArray

from .gl import drawing, mujoco

MORE_GEOMS = 100  # than the model has: room for what MuJoCo adds to a picture
ROWS = 40  # of a picture are worked on together: they stay in the processor's cache
NOTHING = 0.0  # the depth where nothing was drawn
_NO_TEXT = mujoco.mjtFontScale.mjFONTSCALE_50.value  # the smallest letters are made fastest
_left: list[mujoco.MjrContext] = []  # of painters that are gone: freed when the next is made


class Painter:
    """Pictures of one model in one size. Any thread may use it.

    All painters of a process share one graphics context, because a new one compiles its shaders
    first. Raises GraphicsUnavailable if there is none.
    """

    def __init__(self, model: mujoco.MjModel, width: int, height: int) -> None:
        self.model = model
        self._rect = mujoco.MjrRect(0, 0, width, height)
        with drawing():
            model.vis.global_.offwidth, model.vis.global_.offheight = max(width, 1), max(height, 1)
            while _left:
                _left.pop().free()
            self._context = mujoco.MjrContext(model, _NO_TEXT)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        most = model.ngeom + model.nsite + MORE_GEOMS  # room for 10000 takes 25 ms to make
        self._scene = mujoco.MjvScene(model=model, maxgeom=most)
        self._option, self._eye = mujoco.MjvOption(), mujoco.MjvCamera()
        self._eye.type = mujoco.mjtCamera.mjCAMERA_FIXED
        # Edges that are smoothed show some of the sky.
        self._sky = None if self._context.offSamples else _flat_sky(model)
        weakref.finalize(self, _left.append, self._context).atexit = False

    def paint(self, data: mujoco.MjData, camera: int, *, shadows: bool
              ) -> tuple[FloatArray, FloatArray]:
        """Colour (height, width, 3 uint8), and depth as it is in the graphics memory.

        `metres` makes the second one useful.
        """
        self._eye.fixedcamid = camera
        mujoco.mjv_updateScene(self.model, data, self._option, None, self._eye,
                               mujoco.mjtCatBit.mjCAT_ALL.value, self._scene)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        sky = self._sky if _is_solid(self.model) else None
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SKYBOX] = sky is None
        shape = self._rect.height, self._rect.width
        rgb, depth = np.empty((*shape, 3), np.uint8), np.empty(shape, np.float32)
        with drawing():
            # Into our own buffer: MuJoCo draws into that of the last painter.
            mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
            mujoco.mjr_render(self._rect, self._scene, self._context)
            mujoco.mjr_readPixels(rgb, depth, self._rect, self._context)
        if sky is not None:  # to draw a box around everything takes a tenth of the time
            rgb.reshape(-1, 3)[np.flatnonzero(depth.ravel() == NOTHING)] = sky
        return rgb[::-1].copy(), depth[::-1]  # the first row in graphics memory is the lowest

    def metres(self, depth: FloatArray, most_m: float) -> FloatArray:
        """The depth of a painting in metres (float32), as mujoco.Renderer computes it.

        It is 0 from `most_m` on.
        """
        near, far = (np.float32(edge * self.model.stat.extent)
                     for edge in (self.model.vis.map.znear, self.model.vis.map.zfar))
        c = np.float32(0.5) * (far + near) / (far - near) - np.float32(0.5)
        d = np.float32(far * near) / (far - near)
        found = np.empty(depth.shape, np.float32)
        for first in range(0, len(depth), ROWS):
            rows = depth[first:first + ROWS].astype(np.float64)
            rows += c
            some = found[first:first + ROWS]
            some[:] = np.divide(d, rows, out=rows)
            some *= some < most_m
        return np.asarray(found)


def _flat_sky(model: mujoco.MjModel) -> FloatArray | None:
    """The colour (3, uint8) of the sky, or None if it has several, or if there is no sky."""
    skies = np.flatnonzero(model.tex_type == mujoco.mjtTexture.mjTEXTURE_SKYBOX)
    if len(skies) != 1 or model.tex_nchannel[skies[0]] != 3:
        return None
    first = int(model.tex_adr[skies[0]])
    count = int(model.tex_width[skies[0]]) * int(model.tex_height[skies[0]])
    texels = np.asarray(model.tex_data[first:first + 3 * count]).reshape(-1, 3)
    return texels[0].copy() if (texels == texels[0]).all() else None


def _is_solid(model: mujoco.MjModel) -> bool:
    """Whether the sky is seen past things only: not through them, and not as haze."""
    alpha = np.concatenate([model.geom_rgba[:, 3], model.mat_rgba[:, 3], model.site_rgba[:, 3]])
    planes = model.geom_size[model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE.value, :2]
    return not (((alpha > 0) & (alpha < 1)).any() or (planes == 0).any())
