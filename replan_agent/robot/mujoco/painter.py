"""Draws a model into an array: colour and depth come from one drawing."""

from __future__ import annotations

import weakref

import numpy as np

from replan_agent.domain.pose import FloatArray

from .gl import drawing, mujoco

MORE_GEOMS = 100  # than the model has: room for what MuJoCo adds to a picture
_left: list[mujoco.MjrContext] = []  # of painters that are gone: freed when the next is made


class Painter:
    """Pictures of one model in one size. Any thread may use it.

    All painters of a process share one graphics context, because a new one compiles its shaders
    first. Raises GraphicsUnavailable if there is none.
    """

    def __init__(self, model: mujoco.MjModel, width: int, height: int) -> None:
        self._model = model
        self._rect = mujoco.MjrRect(0, 0, width, height)
        with drawing():
            model.vis.global_.offwidth, model.vis.global_.offheight = max(width, 1), max(height, 1)
            while _left:
                _left.pop().free()
            self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_150.value)
        self._context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        most = 2 * (model.ngeom + model.nsite) + MORE_GEOMS  # room for 10000 takes 25 ms to make
        self._scene = mujoco.MjvScene(model=model, maxgeom=most)
        self._option, self._eye = mujoco.MjvOption(), mujoco.MjvCamera()
        self._eye.type = mujoco.mjtCamera.mjCAMERA_FIXED
        weakref.finalize(self, _left.append, self._context).atexit = False

    def paint(self, data: mujoco.MjData, camera: int, *, shadows: bool
              ) -> tuple[FloatArray, FloatArray]:
        """Colour (height, width, 3 uint8), and depth as it is in the graphics memory.

        `metres` makes the second one useful.
        """
        self._eye.fixedcamid = camera
        mujoco.mjv_updateScene(self._model, data, self._option, None, self._eye,
                               mujoco.mjtCatBit.mjCAT_ALL.value, self._scene)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        shape = self._rect.height, self._rect.width
        rgb, depth = np.empty((*shape, 3), np.uint8), np.empty(shape, np.float32)
        with drawing():
            # Into our own buffer: MuJoCo draws into that of the last painter.
            mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)
            mujoco.mjr_render(self._rect, self._scene, self._context)
            mujoco.mjr_readPixels(rgb, depth, self._rect, self._context)
        return rgb[::-1].copy(), depth[::-1]  # the first row in graphics memory is the lowest

    def metres(self, depth: FloatArray) -> FloatArray:
        """The depth of a painting in metres (float32), as mujoco.Renderer computes it."""
        near, far = (np.float32(edge * self._model.stat.extent)
                     for edge in (self._model.vis.map.znear, self._model.vis.map.zfar))
        c = np.float32(0.5) * (far + near) / (far - near) - np.float32(0.5)
        d = np.float32(far * near) / (far - near)
        far_m = depth.astype(np.float64)
        far_m += c
        return np.divide(d, far_m, out=far_m).astype(np.float32)
