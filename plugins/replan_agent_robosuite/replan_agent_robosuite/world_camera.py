# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A camera of a robosuite environment behind the Camera protocol: colour, depth, calibration."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.robot.mujoco.camera import FAST, MAX_RANGE_M, intrinsics_of, optical_pose
from replan_agent.robot.mujoco.gl import PROBLEM, GraphicsUnavailable, mujoco, release_context

from .robot_world import RobotWorld

NAME = 'agentview'
SIZE_PX = 640, 480


class WorldCamera:
    """Renders robosuite's picture, only when asked."""

    def __init__(self, world: RobotWorld, name: str = NAME) -> None:
        self._world, self._name = world, name

    def capture(self, ctx: Context) -> CameraFrame:
        """Colour and depth now; depth is 0 beyond MAX_RANGE_M."""
        ctx.check()
        width, height = SIZE_PX
        sim, model, data = self._world.env.sim, self._world.model, self._world.data
        try:
            self._context().gl_ctx.make_current()
            for update in mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_camlight:
                update(model, data)  # poses lag behind by a step
            rgb, buffer = sim.render(camera_name=self._name, width=width, height=height,
                                     depth=True)
        finally:
            release_context()
        T_world_camera = optical_pose(data.camera(self._name))
        fovy = float(model.camera(self._name).fovy[0])
        return CameraFrame(
            stamp=self._world.time, rgb=np.ascontiguousarray(rgb[::-1]),
            depth=self._metres(buffer[::-1]),  # the first row is the lowest
            intrinsics=intrinsics_of(fovy, width, height),
            T_base_camera=Pose.from_matrix(self._world.in_base(T_world_camera)))

    def _context(self):  # type: ignore[no-untyped-def]  # robosuite has no types
        from robosuite.utils.binding_utils import MjRenderContextOffscreen

        if PROBLEM:
            raise GraphicsUnavailable(f'cannot render a camera image: {PROBLEM}')
        sim = self._world.env.sim
        if sim._render_context_offscreen is None:
            for key, value in FAST.items():
                setattr(self._world.model.vis.quality, key, value)
            warm = self._world.data.qacc_warmstart.copy()
            view = MjRenderContextOffscreen(sim, device_id=-1)
            self._world.data.qacc_warmstart[:] = warm  # looking changes nothing
            view.vopt.geomgroup[0] = 0  # as robosuite's own pictures: what is seen, not collided
        return sim._render_context_offscreen

    def _metres(self, buffer: np.ndarray) -> np.ndarray:
        model = self._world.model
        near, far = (edge * model.stat.extent for edge in (model.vis.map.znear,
                                                           model.vis.map.zfar))
        depth = near / (1 - buffer * (1 - near / far))
        return np.where(depth < MAX_RANGE_M, depth, 0.0).astype(np.float32)
