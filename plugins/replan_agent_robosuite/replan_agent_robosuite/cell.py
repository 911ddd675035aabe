# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot cell that `robot_source: robosuite` names. The scene is the name of an environment."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from replan_agent_contact.inserting import Insert
from replan_agent_contact.opening import Close, Open
from replan_agent_contact.wiping import Wipe

from replan_agent import ConfigError, Context, RobotCell, RobotParts
from replan_agent.arms.known_arms import arm_named

from .environments import started
from .robot_world import RobotWorld
from .robots import WIPER, robot_of
from .stepped_arm import SteppedArm
from .tasks import Task, task_named
from .truth import Truth
from .world_camera import WorldCamera

SKILLS = Insert(), Open(), Close(), Wipe()


@dataclass(frozen=True)
class RobosuiteCell(RobotCell):
    """`world` is for the judge."""

    world: RobotWorld = field(kw_only=True)


class TaskArm(SteppedArm):
    """The arm in front of a task."""

    def __init__(self, world: RobotWorld, task: Task, base_frame: str) -> None:
        super().__init__(world, base_frame)
        self.scene_file: Path = task.scene  # with the furniture of the task


def robosuite_cell(parts: RobotParts) -> RobosuiteCell:
    """One of robosuite's robots in one of its tasks. Raises ConfigError for others.

    robosuite begins with a hand that is half open, and may hold something as far as one can tell.
    Here it opens first, as a real hand does when it is switched on.
    """
    model = parts.config.robot.model
    name = robot_of(model)
    try:
        task = task_named(str(parts.scene))
    except ValueError as error:
        raise ConfigError(f'--scene: {error}') from None
    if task.wipes != model.endswith(WIPER):
        raise ConfigError(f'{task.env} needs another hand: set robot.model to '
                          f'{model.removesuffix(WIPER) + task.wipes * WIPER!r}')
    world = RobotWorld(started(task.env, name, parts.seed), arm_named(model))
    robot = TaskArm(world, task, parts.config.robot.frame)
    robot.move_gripper(robot.max_gripper_width, Context())
    return RobosuiteCell(
        robot, lambda: WorldCamera(world), Truth(world, task).objects,
        {'scene': task.env, 'seed': parts.seed, 'robot': 'robosuite', 'arm_model': model,
         'base_frame': robot.base_frame}, close=world.close, world=world, skills=SKILLS)
