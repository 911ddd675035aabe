"""Boxes the arm stays out of, as settings give them."""

from __future__ import annotations

import math

from .config import ConfigError, WorkspaceConfig
from .pose import Pose
from .scene import SceneObject, Shape


def keep_out_zones(workspace: WorkspaceConfig) -> tuple[SceneObject, ...]:
    """The zones as obstacles in the base frame; raises ConfigError naming a wrong one."""
    return tuple(_zone(text) for text in workspace.keep_out)


def _zone(text: str) -> SceneObject:
    name, *rest = text.split() or ['']
    try:
        x, y, z, *size = (float(number) for number in rest)
    except ValueError:
        size = []
    if len(size) != 3 or not all(0 < s < 10 for s in size) or not math.isfinite(x + y + z):
        raise ConfigError(f'workspace: keep_out: {text!r} must be "name x y z size_x size_y '
                          'size_z" with finite numbers in metres and sizes above 0')
    return SceneObject(f'keep-out {name}', Shape.WALL, (size[0], size[1], size[2]),
                       Pose((x, y, z)), movable=False)
