"""The error of a skill, a planner, a perception or a robot that has a bug."""

from __future__ import annotations

import math

import numpy as np

from .robot_state import CommandResult, RobotState
from .scene import Scene
from .text import clipped, one_line

MOST_CHARACTERS = 200


class PartFailed(Exception):
    """A skill, a planner, a perception or a robot has a bug. The message names it."""


def wrong_return(method: str, wanted: str, returned: object) -> PartFailed:
    """The error of a method that returned something else than `wanted`."""
    return PartFailed(f'{method} must return {wanted}, not '
                      f'{clipped(repr(returned), MOST_CHARACTERS)}')


def checked_scene(returned: object, perception: str) -> Scene:
    """The scene that a perception returned. Raises PartFailed if it is something else."""
    if not isinstance(returned, Scene):
        raise wrong_return(f'perception {perception!r}: observe', 'a Scene', returned)
    return returned


def checked_state(returned: object, joints: int) -> RobotState:
    """The state that a robot returned. Raises PartFailed if nobody should move by it.

    Speeds are no part of this: not every driver has them.
    """
    if not isinstance(returned, RobotState):
        raise wrong_return('robot: state', 'a RobotState', returned)
    for name, shape in (('stamp', ()), ('gripper_width', ()), ('joints', (joints,)),
                        ('external_torque', (joints,))):
        values = np.asarray(getattr(returned, name), dtype=float)
        if values.shape != shape or not np.isfinite(values).all():
            wanted = f'{joints} finite numbers' if shape else 'a finite number'
            raise PartFailed(f'robot: {name} of its state must be {wanted}, not '
                             f'{one_line(getattr(returned, name), MOST_CHARACTERS)}')
    return returned


def checked_answer(returned: object, command: str) -> CommandResult:
    """What a robot answered to a command. Raises PartFailed if it is something else."""
    if not isinstance(returned, CommandResult):
        raise wrong_return(f'robot: {command}', 'a CommandResult', returned)
    return returned


def not_finite(scene: Scene) -> str:
    """The first object whose place or size is no number, or the arm; '' if there is none."""
    arm = scene.arm
    if arm is not None and not all(map(math.isfinite, (*arm.joints, arm.gripper_width))):
        return 'the arm'
    return next((thing.name for thing in scene.objects
                 if not all(map(math.isfinite, (*thing.pose.position, *thing.pose.quaternion,
                                                *thing.size)))), '')
