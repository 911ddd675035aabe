# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Builds what runs the skills on a robot: the same embedded and in skill_node."""

from __future__ import annotations

import numpy as np

from replan_agent.agent.ports import Perception
from replan_agent.arms.arm_model import ArmModel
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.trajectory import JointLimits
from replan_agent.execute.contract import Hand, Toolkit
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.registry import Registry
from replan_agent.motion.motion_protocols import GraspPlanner, MotionPlanner
from replan_agent.robot.robot_protocols import Robot

PLANNED_WITH = ('lower', 'upper', 'velocity', 'acceleration', 'jerk')


def build_skills(config: Config, registry: Registry, robot: Robot, motion: MotionPlanner,
                 grasps: GraspPlanner, perception: Perception,
                 hand: Hand | None = None) -> SkillExecutor:
    """The skills on this robot. Raises ConfigError if it is not the arm of the settings.

    `hand` is what it is believed to hold since earlier calls.
    """
    arm = arm_named(config.robot.model)
    check_arm(robot.limits, arm)
    return SkillExecutor(registry, Toolkit(robot, motion, grasps, perception, config.motion,
                                           config.workspace, arm, config.scene_memory,
                                           hand or Hand()))


def check_arm(limits: JointLimits, arm: ArmModel) -> None:
    """Raise ConfigError if the limits are not those that motions of `arm` are planned with."""
    planned, model = arm.limits, arm.name
    if limits.names != planned.names:
        raise ConfigError(f'robot.model is {model}, but the robot has the joints '
                          f'{", ".join(limits.names)} instead of {", ".join(planned.names)}')
    for what in PLANNED_WITH:
        has, needed = getattr(limits, what), getattr(planned, what)
        if not np.allclose(has, needed, atol=1e-4):
            raise ConfigError(f'robot.model is {model}, but the robot has other {what} limits: '
                              f'{has.tolist()} instead of {needed.tolist()}')
