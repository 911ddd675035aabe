# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot cell that `robot_source: libero` names. The scene is a task: "libero_object/3"."""

from __future__ import annotations

from dataclasses import dataclass, field

from replan_agent_contact.cell import SKILLS
from replan_agent_robosuite.stepped_arm import SteppedArm

from replan_agent import ConfigError, Context, RobotCell, RobotParts
from replan_agent.arms.known_arms import arm_named

from .environments import started
from .judged_world import JudgedWorld
from .tasks import task_named
from .truth import Truth

ARM = 'robosuite_panda'


@dataclass(frozen=True)
class LiberoCell(RobotCell):
    """`world` is for the judge."""

    world: JudgedWorld = field(kw_only=True)


def libero_cell(parts: RobotParts) -> LiberoCell:
    """LIBERO's Panda in front of a task. Raises ConfigError for another arm or task.

    The seed is the number of the start state.
    """
    config = parts.config
    if config.robot.model != ARM:
        raise ConfigError(f'LIBERO has a Panda: set robot.model to {ARM!r}, not '
                          f'{config.robot.model!r}')
    try:
        task = task_named(str(parts.scene))
    except ValueError as error:
        raise ConfigError(f'--scene: {error}') from None
    world = JudgedWorld(started(task, parts.seed), arm_named(ARM))
    robot = SteppedArm(world, config.robot.frame)
    robot.move_gripper(robot.max_gripper_width, Context())
    truth = Truth(world)
    return LiberoCell(
        robot, None, truth.objects,
        {'scene': task.name, 'seed': parts.seed, 'robot': 'libero', 'arm_model': ARM,
         'base_frame': robot.base_frame}, close=world.close, world=world, skills=SKILLS)
