# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Troubles that happen when the physics show that their moment has come, whoever moves the arm."""

from __future__ import annotations

import math

import numpy as np
from replan_agent_bench.worlds.lasting import Lasting, Lasts
from transforms3d import quaternions

from replan_agent import Pose
from replan_agent.app.build.robot_cell import MujocoCell
from replan_agent.robot.mujoco.mjcf.scene_mjcf import CAMERA

EVERY_S = 0.02
NEARER = 0.8  # of the way at first: the hand is on its way
ACROSS_M, ABOVE_M = 0.05, 0.13  # the hand comes down on it
AWAY_M = 0.22
LIFTED_M = 0.05
HIGH_M = 0.08
DOWN_M = 0.02


class SeenPhases(Lasting):
    """The troubles of an episode. The phases of a step are those of the thing `name`.

    `approach`: the hand comes nearer. `descend`: it is just above; again if it was away. `lift`
    and `carry` (a phase of what is put): the thing is higher by LIFTED_M and HIGH_M. `dropped`: it
    fell again.
    """

    def __init__(self, troubles: tuple[Lasts, ...], name: str) -> None:
        super().__init__(troubles)
        self._name = name
        self.dark_until = 0.0  # robot time (s) to which the camera gives no picture
        self.camera_turn_rad = 0.0  # about the vertical; its pose is told as if it were 0
        self._over: set[str] = set()
        self._first_m = self._first_z = 0.0

    def attached(self, cell: MujocoCell) -> MujocoCell:
        cell = super().attached(cell)
        at = self._place()
        self._first_m, self._first_z = math.dist(at, self._tool()), at[2]
        cell.world.on_step(self._look, EVERY_S)
        return cell

    @property
    def is_dark(self) -> bool:
        """Whether the camera gives no picture now."""
        return self.cell.world.time < self.dark_until

    def turn_camera(self, turn_rad: float) -> None:
        """Turn the camera where it stands. Only its pictures change."""
        self.camera_turn_rad = turn_rad
        model, data = self.cell.world.drawn()
        camera, turn = model.camera(CAMERA).id, quaternions.axangle2quat((0, 0, 1), turn_rad)
        # MuJoCo 4 does not compute again where a camera is that stands still; 3 does, from this.
        model.cam_quat[camera] = quaternions.qmult(turn, model.cam_quat[camera])
        data.cam_xmat[camera] = (quaternions.quat2mat(turn)
                                 @ data.cam_xmat[camera].reshape(3, 3)).ravel()

    def told(self, true: Pose) -> Pose:
        """Where a thing seems to be in the pictures, if one believes in the camera's old pose."""
        if not self.camera_turn_rad:
            return true
        x, y, _ = self.cell.world.scene.camera.position
        back = Pose.from_rpy(x, y, 0.0, yaw=-self.camera_turn_rad).matrix()
        return Pose.from_matrix(back @ Pose((-x, -y, 0.0)).matrix() @ true.matrix())

    def _place(self) -> tuple[float, float, float]:
        return self.log.position(self._name, self.cell.world.data.qpos)

    def _tool(self) -> tuple[float, float, float]:
        world = self.cell.world
        joints = world.data.qpos[:world.arm.joint_count]
        x, y, z = map(float, np.asarray(world.arm.kinematics.forward(joints))[:3, 3])
        return x, y, z

    def _look(self) -> None:
        thing, tool = self._place(), self._tool()
        if math.dist(thing, tool) < NEARER * self._first_m:
            self._begin('approach', True)
        if math.dist(thing[:2], tool[:2]) < ACROSS_M and tool[2] - thing[2] < ABOVE_M:
            self._begin('descend', True)
        elif tool[2] - thing[2] > AWAY_M:
            self._over.discard('descend')
        rose = thing[2] - self._first_z
        if rose > LIFTED_M:
            self._begin('lift', True)
        elif rose < DOWN_M and 'lift' in self._over:
            self._begin('dropped', True)
        if rose > HIGH_M:
            self._begin('carry', False)

    def _begin(self, phase: str, taking: bool) -> None:
        if phase not in self._over:
            self._over.add(phase)
            self.act(phase, taking)
