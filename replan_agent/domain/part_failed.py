"""The error of a skill, a planner or a perception that has a bug."""

from __future__ import annotations

import math

from .scene import Scene
from .text import clipped

MOST_CHARACTERS = 200


class PartFailed(Exception):
    """A skill, a planner or a perception has a bug. The message names it."""


def wrong_return(method: str, wanted: str, returned: object) -> PartFailed:
    """The error of a method that returned something else than `wanted`."""
    return PartFailed(f'{method} must return {wanted}, not '
                      f'{clipped(repr(returned), MOST_CHARACTERS)}')


def checked_scene(returned: object, perception: str) -> Scene:
    """The scene that a perception returned. Raises PartFailed if it is something else."""
    if not isinstance(returned, Scene):
        raise wrong_return(f'perception {perception!r}: observe', 'a Scene', returned)
    return returned


def not_finite(scene: Scene) -> str:
    """The first object whose place or size is no number; '' if there is none."""
    return next((thing.name for thing in scene.objects
                 if not all(map(math.isfinite, (*thing.pose.position, *thing.pose.quaternion,
                                                *thing.size)))), '')
