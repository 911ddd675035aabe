"""The robot cell that `robot_source: robosuite` names. The scene is the name of an environment."""

from __future__ import annotations

from dataclasses import dataclass, field

from replan_agent import ConfigError, Context, RobotCell, RobotParts

from .panda_camera import PandaCamera
from .panda_robot import PandaRobot
from .panda_world import PandaWorld
from .short_fingers import ShortFingerGrasps
from .tasks import task_named
from .truth import true_objects


@dataclass(frozen=True)
class RobosuiteCell(RobotCell):
    """`world` is for the judge."""

    world: PandaWorld = field(kw_only=True)


def robosuite_cell(parts: RobotParts) -> RobosuiteCell:
    """robosuite's Panda in one of its tasks. Raises ConfigError for another scene.

    robosuite begins with a hand that is half open, and may hold something as far as one can tell.
    Here it opens first, as a real hand does when it is switched on.
    """
    if parts.config.robot.model != 'panda':
        raise ConfigError("robosuite has a Panda: set robot.model to 'panda'")
    try:
        task = task_named(str(parts.scene))
    except ValueError as error:
        raise ConfigError(f'--scene: {error}') from None
    world = PandaWorld(task, parts.seed)
    robot = PandaRobot(world, parts.config.robot.frame)
    robot.move_gripper(robot.max_gripper_width, Context())
    return RobosuiteCell(
        robot, lambda: PandaCamera(world), lambda: true_objects(world),
        {'scene': task.env, 'seed': parts.seed, 'robot': 'robosuite', 'arm_model': 'panda',
         'base_frame': robot.base_frame}, close=world.close,
        grasps=ShortFingerGrasps(), world=world)
