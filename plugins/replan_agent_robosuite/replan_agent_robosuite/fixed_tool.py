# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""robosuite's WipingGripper: a pad that is fixed to the arm, seen as a sponge that is held."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from replan_agent_contact.stain import WIPED, Stain

from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.scene import SceneObject, Shape, States
from replan_agent.robot.stepped_robot import Interruption

from .robot_world import RobotWorld, pose_of

PAD_M = 0.12, 0.05, 0.028  # the rest of its 30 mm touches the arm
PAD_OFF_M = 0.001
EDGE_M = 0.004  # around the middles of the spots of dirt
THICK_M = 0.001
SPONGE, STAIN = 'sponge', 'stain'


class FixedTool:
    """A hand that holds its pad for ever."""

    width, widest, force = PAD_M[1], PAD_M[1] + 0.01, 0.0

    def __init__(self, world: RobotWorld) -> None:
        self._world = world

    def move(self, width: float, interruption: Interruption) -> CommandResult:
        return CommandResult(True)

    def grasp(self, force: float, interruption: Interruption) -> CommandResult:
        return CommandResult(True)


class WipedTable:
    """The pad, and the dirt on the table as one area: the smallest rectangle around its spots."""

    def __init__(self, world: RobotWorld) -> None:
        self._world, self._markers = world, world.env.model.mujoco_arena.markers
        spots = np.array([world.in_base(pose_of(world.data.body(marker.root_body)))[:3, 3]
                          for marker in self._markers])
        (x, y), (along, across), turn = cv2.minAreaRect(spots[:, :2].astype(np.float32))
        self._size = (along + 2 * EDGE_M, across + 2 * EDGE_M, THICK_M)
        self._pose = Pose.from_rpy(x, y, float(spots[:, 2].mean()), yaw=float(np.radians(turn)))

    def things(self) -> list[SceneObject]:
        """The pad and the dirt, as they are now."""
        world: Any = self._world
        T = pose_of(world.data.body(f'{world.gripper.naming_prefix}wiping_gripper'))
        T[:3, 3] += PAD_OFF_M * T[:3, 2]
        left = 1 - len(world.env.wiped_markers) / len(self._markers)
        return [SceneObject(SPONGE, Shape.BOX, PAD_M, Pose.from_matrix(world.in_base(T))),
                Stain(STAIN, Shape.BOX, self._size, self._pose, 'brown', movable=False, left=left,
                      states=States('' if left else WIPED, (WIPED,), (self._pose,)))]


def has_fingers(world: RobotWorld) -> bool:
    return bool(world.gripper.important_geoms['left_fingerpad'])
