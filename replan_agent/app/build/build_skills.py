"""Builds what runs the skills on a robot: the same embedded and in skill_node."""

from __future__ import annotations

import numpy as np

from replan_agent.agent.ports import Perception
from replan_agent.domain import franka
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.trajectory import JointLimits
from replan_agent.execute.contract import Toolkit
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.grip import Grip
from replan_agent.execute.registry import Registry
from replan_agent.motion.motion_protocols import GraspPlanner, MotionPlanner
from replan_agent.robot.robot_protocols import Robot

PLANNED_WITH = ('lower', 'upper', 'velocity', 'acceleration', 'jerk')


def build_skills(config: Config, registry: Registry, robot: Robot, motion: MotionPlanner,
                 grasps: GraspPlanner, perception: Perception,
                 grip: Grip | None = None) -> SkillExecutor:
    """The skills on this robot. Raises ConfigError if it is not the arm of the settings.

    `grip` is what is known about the hand from earlier calls.
    """
    check_arm(robot.limits, config.robot.model)
    return SkillExecutor(registry, Toolkit(robot, motion, grasps, perception, config.motion,
                                           config.workspace, config.scene_memory,
                                           grip or Grip()))


def check_arm(limits: JointLimits, model: str) -> None:
    """Raise ConfigError if the limits are not those that motions of `model` are planned with."""
    planned = franka.limits(model)
    if limits.names != planned.names:
        raise ConfigError(f'robot.model is {model}, but the robot has the joints '
                          f'{", ".join(limits.names)} instead of {", ".join(planned.names)}')
    for what in PLANNED_WITH:
        has, needed = getattr(limits, what), getattr(planned, what)
        if not np.allclose(has, needed, atol=1e-4):
            raise ConfigError(f'robot.model is {model}, but the robot has other {what} limits: '
                              f'{has.tolist()} instead of {needed.tolist()}')
