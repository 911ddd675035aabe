# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the scene file of a task says: the furniture, and how the things look."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.perceive.camera.plane import Area
from replan_agent.robot.mujoco.scene.placement import place
from replan_agent.robot.mujoco.scene.scene_file import load_scene
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec, SceneSpec, TableSpec


@lru_cache
def scene_of(file: Path) -> SceneSpec:
    return load_scene(str(file), file.parent)


def table_of(scene: SceneSpec) -> SceneObject:
    table = scene.table
    centre = (*table.position, table.height - table.thickness / 2)
    return SceneObject('table', Shape.TABLE, (*table.size, table.thickness), Pose(centre),
                       movable=False)


def area_of(table: TableSpec) -> Area:
    """Where the table is: its lowest and its highest corner (x, y, m)."""
    (x, y), (along, across) = table.position, table.size
    return (x - along / 2, y - across / 2), (x + along / 2, y + across / 2)


def furniture_of(scene: SceneSpec) -> tuple[SceneObject, ...]:
    """Bins and walls: they stay where the file says."""
    return tuple(SceneObject(each.spec.name, each.spec.shape, each.spec.size, each.pose,
                             movable=False)
                 for each in place(scene, 0) if each.spec.fixed)


def known_things(scene: SceneSpec) -> tuple[ObjectSpec, ...]:
    """The things that may be anywhere: shape, size and colour, no place."""
    return tuple(spec for spec in scene.objects if not spec.fixed)
