"""A copy of the world for people who watch: physics never waits for a picture of it."""

from __future__ import annotations

import copy

import numpy as np

from replan_agent.domain.pose import FloatArray

from .camera import MujocoCamera
from .gl import mujoco
from .world import World

TAKEN_EVERY_S = 0.02  # of robot time; a copy of the positions takes microseconds


class ShownWorld:
    """The world as it was a moment ago, with a model of its own, drawn by one other thread.

    The thread that steps the world only copies positions. Nothing that it reads is ever written
    by the thread that draws, so a watched task moves exactly as an unwatched one.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._shown = copy.copy(world)
        self._shown.model = copy.copy(world.model)
        self._shown.data = mujoco.MjData(self._shown.model)
        self.camera = MujocoCamera(self._shown)
        self.count = 0  # of the states so far
        self._taken = world.data.qpos.copy()
        self.take()
        self._end = world.on_step(self.take, TAKEN_EVERY_S)

    def take(self) -> None:
        """Note where everything is. For the thread that steps the world, or while none does."""
        now = self._world.data.qpos
        if self.count == 0 or (now != self._taken).any():
            self._taken = now.copy()
            self.count += 1

    def picture(self, width: int, height: int) -> tuple[int, FloatArray]:
        """The number of the state and how it looks, (height, width, 3 uint8).

        Raises GraphicsUnavailable.
        """
        number, self._shown.data.qpos[:] = self.count, self._taken
        return number, self.camera.render_rgb(width, height)

    def projection(self, width: int, height: int) -> FloatArray:
        """From the base frame (m) to pixels of such a picture, 3x4."""
        self._shown.refresh_view()
        T_camera_base = np.linalg.inv(self.camera.pose().matrix())
        return np.asarray(self.camera.intrinsics(width, height) @ T_camera_base[:3])

    def close(self) -> None:
        """Stop following the world, and free the graphics memory."""
        self._end()
        self.camera.close()
