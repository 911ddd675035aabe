# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calibration in simulation: the arm moves a board through the camera's view."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import Config, MotionConfig, RobotConfig
from replan_agent.domain.context import Context
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.motion.planner import joint_planner
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker
from replan_agent.robot.mujoco.mjcf.arm_looks import SolidLooks
from replan_agent.robot.mujoco.mjcf.scene_mjcf import CAMERA
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.world import ArmStart, World
from replan_agent_calibrate.board_looks import LooksWithPlate, Plate
from replan_agent_calibrate.charuco_board import CELLS, Board, CalibrationError
from replan_agent_calibrate.hand_eye import Lens

from .calibration_views import Picture, Recording

THICK_M = 0.004
HANDLE_M = 0.03  # the fingers hold this strip above the pattern
MARGIN_M = 0.01
TRIES = 20  # poses tried for each view
TILT_RAD = 0.45
CENTRE_M = ((0.38, 0.58), (-0.15, 0.2), (0.22, 0.45))  # range of the board's middle: x, y, z


def simulated(scene: SceneSpec, arm: ArmModel, board: Board, count: int,
              seed: int) -> tuple[Recording, Pose]:
    """Views of the simulated arm on an empty table, and the camera's true pose."""
    moved = _ArmWithBoard(replace(scene, objects=()), arm, board, seed)
    return moved.recording(board, count), moved.camera.pose()


class ArmWithCamera(ABC):
    """Takes pictures of a board from many poses of the arm, around obstacles."""

    def __init__(self, world: World, camera: str, seed: int) -> None:
        self.world = world
        self.camera = MujocoCamera(world, camera, pretty=True)
        self._robot = MujocoRobot(world)
        self._arm = arm = world.arm
        config = Config(motion=MotionConfig(0.5, 0.5), robot=RobotConfig(arm.name))
        self._motion = joint_planner(config, arm, MujocoCollisionChecker(arm, world.eye_in_hand),
                                     seed)
        self._rng = np.random.default_rng(seed)

    def lens(self) -> Lens:
        return Lens(self.camera.intrinsics(*self.camera.size))

    def recording(self, board: Board, count: int, eye_in_hand: bool = False) -> Recording:
        """Views of the board. Raises CalibrationError if the arm cannot reach enough poses."""
        try:
            pictures = tuple(self._pictures(count))
        finally:
            self.camera.close()
        return Recording(board, self.lens(), self._arm.name, pictures, eye_in_hand)

    def _pictures(self, count: int) -> Iterator[Picture]:
        taken = 0
        for _ in range(TRIES * count):
            if taken == count:
                return
            if self._go(self._target()):
                joints = self._robot.state().joints
                rgb = self.camera.capture(Context()).rgb
                yield Picture(f'{taken:03d}.png', rgb, joints,
                              self._arm.kinematics.forward(joints))
                taken += 1
        raise CalibrationError(f'the arm reached {taken} of {count} poses for the board')

    @abstractmethod
    def _target(self) -> Pose:
        """A pose of the tool in which the camera sees the board."""

    @abstractmethod
    def _scene(self, joints: FloatArray) -> Scene:
        """What the arm must not touch."""

    def _go(self, target: Pose) -> bool:
        joints = self._robot.state().joints
        planned = self._motion.to_pose(joints, target, MotionRequest(self._scene(joints)),
                                       Context())
        return planned.trajectory is not None and self._robot.execute(
            planned.trajectory, Context()).success


class _ArmWithBoard(ArmWithCamera):
    """Moves the board in its hand through the view of a fixed camera."""

    def __init__(self, scene: SceneSpec, arm: ArmModel, board: Board, seed: int) -> None:
        self._plate = plate_in_hand(board, arm.hand)
        super().__init__(World(scene, arm, seed, ArmStart(arm.home, THICK_M),
                               LooksWithPlate(SolidLooks(arm.looks), self._plate)), CAMERA, seed)
        self._middle = self._plate.T_part_plate.matrix()
        self._middle[2, 3] -= arm.hand.tcp_m  # in the frame of the TCP

    def _target(self) -> Pose:
        """A board pose in view that faces roughly where the scene file puts the camera.

        Only the choice of poses uses that. A person does the same by eye.
        """
        middle = np.array([self._rng.uniform(*range_) for range_ in CENTRE_M])
        towards = np.subtract(self.world.scene.camera.position, middle)
        tilt = self._rng.uniform(-TILT_RAD, TILT_RAD, 3)
        normal = _rotated(towards / np.linalg.norm(towards), tilt)
        down = _rotated(np.array([0.0, 0.0, -1.0]), tilt)
        down = down - normal * (down @ normal)
        down /= np.linalg.norm(down)
        T = np.eye(4)  # of the tool: it points down, and its y is the front of the board
        T[:3, :3] = np.column_stack([np.cross(normal, down), normal, down])
        T[:3, 3] = middle - T[:3, :3] @ self._middle[:3, 3]
        return Pose.from_matrix(T)

    def _scene(self, joints: FloatArray) -> Scene:
        """The table, and the board in the gripper, which must not touch it."""
        T = self._arm.kinematics.forward(joints)
        board = SceneObject('board', Shape.BOX, self._plate.size_m,
                            Pose.from_matrix(T @ self._middle))
        arm = ArmSnapshot(tuple(map(float, joints)), Pose.from_matrix(T), THICK_M,
                          at_home=False)
        return Scene('calibration', self.world.time, (*self.world.true_objects(), board),
                     'ground_truth', arm, 'board', self._robot.base_frame)


def plate_in_hand(board: Board, hand: HandShape) -> Plate:
    """The board, held by its upper edge: its front is the hand's y, its down the hand's z."""
    width, height = board.size_m
    turn = np.eye(4)
    turn[:3, :3] = np.column_stack([(1, 0, 0), (0, 0, 1), (0, -1, 0)])  # right, down, inwards
    top = hand.tcp_m - hand.tip_beyond_tcp_m
    pattern = turn.copy()
    pattern[:3, 3] = -width / 2, THICK_M / 2, top + HANDLE_M
    size = (width + 2 * MARGIN_M, HANDLE_M + height + MARGIN_M, THICK_M)
    plate = turn.copy()
    plate[:3, 3] = 0.0, 0.0, top + size[1] / 2
    return Plate(board.cells(), board.square_m / CELLS, Pose.from_matrix(pattern),
                 Pose.from_matrix(plate), size)


def _rotated(vector: FloatArray, rotvec: FloatArray) -> FloatArray:
    angle = float(np.linalg.norm(rotvec))
    axis = rotvec / angle if angle else rotvec
    return np.asarray(vector * math.cos(angle) + np.cross(axis, vector) * math.sin(angle)
                      + axis * (axis @ vector) * (1 - math.cos(angle)))
