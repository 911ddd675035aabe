# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The true things of a robosuite environment, for ground-truth perception and for nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from replan_agent_contact.ring import peg_around, ring_of

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec

from .fixed_tool import WipedTable
from .furniture import furniture_of, known_things, scene_of, table_of
from .hung import Hung, joints_of, now, with_latch
from .robot_world import RobotWorld, pose_of
from .solids import above, corners_of, solid_geoms, thing_of, upright
from .tasks import Task

FILLED = 0.93  # of the volume of a shape: a mesh with as much is one
FILLS = {Shape.CYLINDER: math.pi / 4}  # the share of its box that a shape has


class Truth:
    """What a task has: table, furniture and things."""

    def __init__(self, world: RobotWorld, task: Task) -> None:
        self._world, self._task, self._scene = world, task, scene_of(task.scene)
        mujoco.mj_kinematics(world.model, world.data)
        self._wiped = WipedTable(world) if task.wipes else None
        self._hung = [_hung(world, int(world.model.body(body).id), name)
                      for body, name in task.hinged.items()]

    def objects(self) -> tuple[SceneObject, ...]:
        """As they are now."""
        world, scene, task = self._world, self._scene, self._task
        mujoco.mj_kinematics(world.model, world.data)  # body poses lag behind by a step
        things = [_thing(world, scene, body, name) for body, name in task.things.items()]
        T = world.in_base(pose_of(world.data.body('robot0_base')))
        still = (replace(each, pose=Pose.from_matrix(T @ each.pose.matrix()))
                 for each in (table_of(scene), *furniture_of(scene)))
        frames = [_assembled(world, int(world.model.body(body).id), f'{name}_frame', False)
                  for body, name in task.hinged.items()]
        hung = [thing for one in self._hung for thing in now(world, one)]
        wiped = self._wiped.things() if self._wiped else ()
        return (*still, *things, *_pegs(world, scene, task, things), *frames, *hung, *wiped)


def _hung(world: RobotWorld, body: int, name: str) -> Hung:
    """A part of furniture with its latch, which hangs on it."""
    part, latch = sorted(joints_of(world.model, body), key=lambda joint: len(above(
        world.model, int(world.model.jnt_bodyid[joint]))))
    return with_latch(world, part, latch, name, f'{name}_frame')


def _thing(world: RobotWorld, scene: SceneSpec, body: str, name: str) -> SceneObject:
    """A thing of several geoms, or of one: a box, or a mesh.

    A mesh that fills the shape that the scene file describes is one; another is its hull, which is
    what robosuite's physics touches: a carton of milk has a roof, on which no finger holds.
    """
    model = world.model
    root = int(model.jnt_bodyid[model.joint(f'{body}_joint0').id])
    if len(solid_geoms(model, root)) > 1:
        return _assembled(world, root, name)
    geom = model.geom(f'{body}_g0')
    T_world = pose_of(world.data.body(root))
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


def _assembled(world: RobotWorld, body: int, name: str, movable: bool = True) -> SceneObject:
    """A body of one or more geoms, as it is now, without what hangs on its joints."""
    frame = pose_of(world.data.body(body))
    frame[:3, :3] = frame[:3, :3] @ upright(frame[:3, :3])
    hung = {geom for joint in joints_of(world.model, body) for geom in solid_geoms(
        world.model, int(world.model.jnt_bodyid[joint]))}
    solids = [(corners_of(world.model, world.data, geom) - frame[:3, 3]) @ frame[:3, :3]
              for geom in solid_geoms(world.model, body) if geom not in hung]
    thing, centre = (movable and ring_of(name, solids)) or thing_of(
        name, solids, None, movable, between=bool(hung))
    frame[:3, 3] += frame[:3, :3] @ centre
    return replace(thing, pose=Pose.from_matrix(world.in_base(frame)))


def _pegs(world: RobotWorld, scene: SceneSpec, task: Task, things: Sequence[SceneObject]
          ) -> Iterator[SceneObject]:
    """What stands up, and the place around each."""
    for number, (body, name) in enumerate(task.pegs.items(), 1):
        post = _assembled(world, int(world.model.body(body).id), f'post_{number}', False)
        yield post
        yield peg_around(name, post, scene.table.height, things)


def _corners(model: mujoco.MjModel, geom: mujoco._structs._MjModelGeomViews) -> np.ndarray:
    """The corners (n, 3) of a mesh in the frame of its body."""
    mesh = model.mesh(int(geom.dataid[0]))
    first, count = int(mesh.vertadr[0]), int(mesh.vertnum[0])
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, geom.quat)
    return np.asarray(model.mesh_vert[first:first + count] @ rotation.reshape(3, 3).T + geom.pos)
