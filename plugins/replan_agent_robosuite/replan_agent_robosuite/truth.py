# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The true things of a robosuite environment, for ground-truth perception and for nothing else."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec

from .furniture import furniture_of, known_things, scene_of, table_of
from .robot_world import RobotWorld, pose_of
from .tasks import Task

FILLED = 0.93  # of the volume of a shape: a mesh with as much is one
FILLS = {Shape.CYLINDER: math.pi / 4}  # the share of its box that a shape has


def true_objects(world: RobotWorld, task: Task) -> tuple[SceneObject, ...]:
    """Table, furniture and things, as they are now."""
    scene = scene_of(task.scene)
    things = (_thing(world, scene, body, name) for body, name in task.things.items())
    T = world.in_base(pose_of(world.data.body('robot0_base')))
    still = (replace(each, pose=Pose.from_matrix(T @ each.pose.matrix()))
             for each in (table_of(scene), *furniture_of(scene)))
    return (*still, *things)


def _thing(world: RobotWorld, scene: SceneSpec, body: str, name: str) -> SceneObject:
    """A thing of one geom: a box, or a mesh.

    A mesh that fills the shape that the scene file describes is one; another is its hull, which is
    what robosuite's physics touches: a carton of milk has a roof, on which no finger holds.
    """
    model = world.model
    geom = model.geom(f'{body}_g0')
    x, y, z, *quaternion = world.data.joint(f'{body}_joint0').qpos  # body poses lag behind
    T_world = Pose((x, y, z), tuple(quaternion)).matrix()
    if geom.type[0] == mujoco.mjtGeom.mjGEOM_BOX:
        return SceneObject(name, Shape.BOX, tuple(2 * geom.size),
                           Pose.from_matrix(world.in_base(T_world)), name.partition('_')[0])
    corners = _corners(model, geom)
    low, high = corners.min(axis=0), corners.max(axis=0)
    centre = np.eye(4)
    centre[:3, 3] = (low + high) / 2
    spec = next(s for s in known_things(scene) if s.name == name)
    size, hull = tuple(map(float, high - low)), Piece.around(corners - centre[:3, 3])
    is_filled = hull.volume > FILLED * FILLS.get(spec.shape, 1.0) * math.prod(size)
    return SceneObject(name, spec.shape if is_filled else Shape.IRREGULAR, size,
                       Pose.from_matrix(world.in_base(T_world @ centre)), spec.colour.name,
                       pieces=() if is_filled else (hull,))


def _corners(model: mujoco.MjModel, geom: mujoco._structs._MjModelGeomViews) -> np.ndarray:
    """The corners (n, 3) of a mesh in the frame of its body."""
    mesh = model.mesh(int(geom.dataid[0]))
    first, count = int(mesh.vertadr[0]), int(mesh.vertnum[0])
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, geom.quat)
    return np.asarray(model.mesh_vert[first:first + count] @ rotation.reshape(3, 3).T + geom.pos)
