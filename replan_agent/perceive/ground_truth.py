# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Perception from the simulator's true poses. Its name and the results say so."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import RobotState
from replan_agent.domain.scene import GROUND_TRUTH, ArmSnapshot, Scene, SceneObject
from replan_agent.robot.robot_protocols import SeenRobot

from .held import held_object

AT_HOME_RAD = 0.03


def arm_snapshot(state: RobotState, robot: SeenRobot, own: ArmModel) -> ArmSnapshot:
    """The arm as its encoders report it."""
    at_home = bool(np.all(np.abs(state.joints - robot.home) <= AT_HOME_RAD))
    tcp = Pose.from_matrix(own.kinematics.forward(state.joints))
    return ArmSnapshot(tuple(map(float, state.joints)), tcp, state.gripper_width, at_home)


class GroundTruthPerception:
    """Scenes from the simulator's own object poses. The arm's state comes from its encoders."""

    name = GROUND_TRUTH
    uses_model = False

    def __init__(self, true_objects: Callable[[], tuple[SceneObject, ...]], robot: SeenRobot,
                 arm: ArmModel) -> None:
        self._true_objects = true_objects
        self._robot = robot
        self._arm = arm
        self._count = itertools.count(1)
        self._last: Scene | None = None

    def observe(self, ctx: Context) -> Scene:
        ctx.check()
        state = self._robot.state()
        objects = tuple(replace(o, seen_at=state.stamp) for o in self._true_objects())
        arm = arm_snapshot(state, self._robot, self._arm)
        self._last = Scene(f'scene-{next(self._count)}', state.stamp, objects, self.name, arm,
                           held_object(objects, arm, self._arm.hand, self._last),
                           self._robot.base_frame)
        return self._last
