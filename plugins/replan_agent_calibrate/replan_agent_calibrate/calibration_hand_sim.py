# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calibration of the camera in the hand, in simulation: it looks at a board on the table."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import ArmSnapshot, Scene
from replan_agent.robot.mujoco.mjcf.arm_looks import SolidLooks
from replan_agent.robot.mujoco.mjcf.arm_mjcf import HAND_CAMERA
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.world import World
from replan_agent_calibrate.board_looks import LooksWithPlate, Plate
from replan_agent_calibrate.charuco_board import CELLS, Board

from .calibration_sim import MARGIN_M, THICK_M, ArmWithCamera
from .calibration_views import Recording

MIDDLE_M = (0.45, 0.0)  # of the board on the table
AWAY_M = (0.30, 0.45)  # range of the camera's distance from the board's middle
TILT_RAD = 0.6
AIM_M = 0.03  # it looks this far beside the middle


def simulated_in_hand(scene: SceneSpec, arm: ArmModel, board: Board, count: int,
                      seed: int) -> tuple[Recording, Pose]:
    """Views of a board on the empty table, and the camera's true pose in the hand."""
    over = _ArmOverBoard(replace(scene, objects=()), arm, board, seed)
    return over.recording(board, count, eye_in_hand=True), arm.camera.T_hand_camera


class _ArmOverBoard(ArmWithCamera):
    """Looks at the board from above and from all sides."""

    def __init__(self, scene: SceneSpec, arm: ArmModel, board: Board, seed: int) -> None:
        looks = LooksWithPlate(SolidLooks(arm.looks), plate_on_table(board, scene.table.height),
                               'link0')
        super().__init__(World(scene, arm, seed, looks=looks, eye_in_hand=True), HAND_CAMERA,
                         seed)
        self._T_camera_tcp = np.linalg.inv(
            arm.hand_frame(np.eye(4)) @ arm.camera.T_hand_camera.matrix())

    def _target(self) -> Pose:
        """Only the choice of poses uses where the camera should be. A person does it by eye."""
        turn, roll = self._rng.uniform(0, 2 * math.pi), self._rng.uniform(0, 2 * math.pi)
        tilt = self._rng.uniform(0, TILT_RAD)
        back = np.array([math.sin(tilt) * math.cos(turn), math.sin(tilt) * math.sin(turn),
                         math.cos(tilt)])
        aim = np.array([*MIDDLE_M, self.world.scene.table.height])
        aim[:2] += self._rng.uniform(-AIM_M, AIM_M, 2)
        side = np.cross(back, (math.cos(roll), math.sin(roll), 0.0))
        side /= np.linalg.norm(side)
        T = np.eye(4)
        T[:3, :3] = np.column_stack([side, np.cross(-back, side), -back])
        T[:3, 3] = aim + self._rng.uniform(*AWAY_M) * back
        return Pose.from_matrix(T @ self._T_camera_tcp)

    def _scene(self, joints: FloatArray) -> Scene:
        state = self._robot.state()
        arm = ArmSnapshot(tuple(map(float, joints)),
                          Pose.from_matrix(self._arm.kinematics.forward(joints)),
                          state.gripper_width, at_home=False)
        return Scene('calibration', self.world.time, self.world.true_objects(), 'ground_truth',
                     arm, frame=self._robot.base_frame)


def plate_on_table(board: Board, table_z: float) -> Plate:
    """The board flat on the table, its front up."""
    width, height = board.size_m
    turn = np.diag([1.0, -1.0, -1.0, 1.0])  # right is the base's x, inwards is down
    plate, pattern = turn.copy(), turn.copy()
    plate[:3, 3] = *MIDDLE_M, table_z + THICK_M / 2
    pattern[:3, 3] = (MIDDLE_M[0] - width / 2, MIDDLE_M[1] + height / 2, table_z + THICK_M)
    return Plate(board.cells(), board.square_m / CELLS, Pose.from_matrix(pattern),
                 Pose.from_matrix(plate), (width + 2 * MARGIN_M, height + 2 * MARGIN_M, THICK_M))
