"""A camera of a robosuite environment behind the Camera protocol: colour, depth, calibration."""

from __future__ import annotations

import math

import numpy as np

from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.robot.mujoco.gl import PROBLEM, GraphicsUnavailable, release_context

from .panda_world import PandaWorld

NAME = 'agentview'
SIZE_PX = 640, 480
MAX_RANGE_M = 5.0
# MuJoCo's camera looks along -z with y up. The optical frame looks along +z with y down.
_OPTICAL = np.diag([1.0, -1.0, -1.0])


class PandaCamera:
    """Renders robosuite's picture, only when asked."""

    def __init__(self, world: PandaWorld, name: str = NAME) -> None:
        self._world, self._name = world, name
        self._camera = world.model.camera(name).id

    def capture(self, ctx: Context) -> CameraFrame:
        """Colour and depth now; depth is 0 beyond MAX_RANGE_M."""
        ctx.check()
        width, height = SIZE_PX
        sim = self._world.env.sim
        try:
            self._context().gl_ctx.make_current()
            rgb, buffer = sim.render(camera_name=self._name, width=width, height=height,
                                     depth=True)
        finally:
            release_context()
        depth = self._metres(buffer[::-1])  # the first row is the lowest
        return CameraFrame(
            stamp=self._world.time, rgb=np.ascontiguousarray(rgb[::-1]),
            depth=np.where(depth < MAX_RANGE_M, depth, 0.0).astype(np.float32),
            intrinsics=self._intrinsics(width, height), T_base_camera=self._pose())

    def _context(self):  # type: ignore[no-untyped-def]  # robosuite has no types
        from robosuite.utils.binding_utils import MjRenderContextOffscreen

        if PROBLEM:
            raise GraphicsUnavailable(f'cannot render a camera image: {PROBLEM}')
        sim = self._world.env.sim
        if sim._render_context_offscreen is None:
            view = MjRenderContextOffscreen(sim, device_id=-1)
            view.vopt.geomgroup[0] = 0  # as robosuite's own pictures: what is seen, not collided
        return sim._render_context_offscreen

    def _metres(self, buffer: np.ndarray) -> np.ndarray:
        model = self._world.model
        near, far = (edge * model.stat.extent for edge in (model.vis.map.znear,
                                                           model.vis.map.zfar))
        return np.asarray(near / (1 - buffer * (1 - near / far)))

    def _intrinsics(self, width: int, height: int) -> np.ndarray:
        focal = height / 2 / math.tan(math.radians(self._world.model.cam_fovy[self._camera]) / 2)
        return np.array([[focal, 0.0, (width - 1) / 2], [0.0, focal, (height - 1) / 2],
                         [0.0, 0.0, 1.0]])

    def _pose(self) -> Pose:
        data, T = self._world.data, np.eye(4)
        T[:3, :3] = data.cam_xmat[self._camera].reshape(3, 3) @ _OPTICAL
        T[:3, 3] = data.cam_xpos[self._camera]
        return Pose.from_matrix(self._world.in_base(T))
