# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Boxes from the settings: zones the arm must not enter, and areas where people reach in."""

from __future__ import annotations

import math

from replan_agent.domain.config import ApprovalConfig, ConfigError, WorkspaceConfig
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape


def keep_out_zones(workspace: WorkspaceConfig) -> tuple[SceneObject, ...]:
    """The zones as obstacles in the base frame. Raises ConfigError that names a wrong one."""
    return tuple(_box(text, 'keep-out', 'workspace: keep_out') for text in workspace.keep_out)


def person_areas(approval: ApprovalConfig) -> tuple[SceneObject, ...]:
    """Where people reach in, in the base frame. Raises ConfigError that names a wrong one."""
    return tuple(_box(text, 'person area', 'approval: person_areas')
                 for text in approval.person_areas)


def _box(text: str, what: str, where: str) -> SceneObject:
    name, *rest = text.split() or ['']
    try:
        x, y, z, *size = (float(number) for number in rest)
    except ValueError:
        size = []
    if len(size) != 3 or not all(0 < s < 10 for s in size) or not math.isfinite(x + y + z):
        raise ConfigError(f'{where}: {text!r} must be "name x y z size_x size_y '
                          'size_z" with finite numbers in metres and sizes above 0')
    return SceneObject(f'{what} {name}', Shape.WALL, (size[0], size[1], size[2]),
                       Pose((x, y, z)), movable=False)
