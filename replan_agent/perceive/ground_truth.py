"""Perception from the simulator's true poses. Its name and the results say so."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import GROUND_TRUTH, ArmSnapshot, Scene, SceneObject
from replan_agent.motion.motion_protocols import Kinematics
from replan_agent.robot.robot_protocols import SeenRobot

from .held import held_object

AT_HOME_RAD = 0.03


class GroundTruthPerception:
    """Scenes from the simulator's own object poses. The arm's state comes from its encoders."""

    name = GROUND_TRUTH
    uses_model = False

    def __init__(self, true_objects: Callable[[], tuple[SceneObject, ...]], robot: SeenRobot,
                 kinematics: Kinematics) -> None:
        self._true_objects = true_objects
        self._robot = robot
        self._kinematics = kinematics
        self._count = itertools.count(1)

    def observe(self, ctx: Context) -> Scene:
        ctx.check()
        state = self._robot.state()
        objects = tuple(replace(o, seen_at=state.stamp) for o in self._true_objects())
        at_home = bool(np.all(np.abs(state.joints - self._robot.home) <= AT_HOME_RAD))
        tcp = Pose.from_matrix(self._kinematics.forward(state.joints))
        arm = ArmSnapshot(tuple(map(float, state.joints)), tcp, state.gripper_width, at_home)
        return Scene(f'scene-{next(self._count)}', state.stamp, objects, self.name, arm,
                     held_object(objects, arm), self._robot.base_frame)
