"""The error of a skill, a planner, a perception, a robot or a camera that has a bug."""

from __future__ import annotations

import math

import numpy as np

from .robot_state import CameraFrame, CommandResult, RobotState
from .scene import Scene
from .text import clipped, one_line

MOST_CHARACTERS = 200


class PartFailed(Exception):
    """A skill, a planner, a perception, a robot or a camera has a bug. The message names it."""


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


def checked_frame(returned: object) -> CameraFrame:
    """The picture that a camera returned. Raises PartFailed if it would be read wrongly."""
    if not isinstance(returned, CameraFrame):
        raise wrong_return('camera: capture', 'a CameraFrame', returned)
    rgb, depth = np.asarray(returned.rgb), np.asarray(returned.depth)
    if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8:
        raise PartFailed('camera: the colours of a picture must be (height, width, 3) of uint8, '
                         f'not {rgb.shape} of {rgb.dtype}')
    if depth.shape != rgb.shape[:2]:
        raise PartFailed(f'camera: the depth of a picture must be {rgb.shape[:2]} as its colours '
                         f'are, not {depth.shape}')
    if not math.isfinite(returned.stamp):
        raise PartFailed(f'camera: the stamp of a picture must be a number, not {returned.stamp}')
    return returned


def not_finite(scene: Scene) -> str:
    """The first object whose place or size is no number, or the arm; '' if there is none."""
    arm = scene.arm
    if arm is not None and not all(map(math.isfinite, (*arm.joints, arm.gripper_width))):
        return 'the arm'
    return next((thing.name for thing in scene.objects
                 if not all(map(math.isfinite, (*thing.pose.position, *thing.pose.quaternion,
                                                *thing.size)))), '')
