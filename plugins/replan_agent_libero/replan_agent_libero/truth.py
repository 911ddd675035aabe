# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The true things of a LIBERO environment, for ground-truth perception and for nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from replan_agent_contact.joint import Jointed
from replan_agent_robosuite.hung import Hung, hung_on, joints_of, now, switch_of
from replan_agent_robosuite.robot_world import RobotWorld, pose_of
from replan_agent_robosuite.solids import (
    above,
    corners_of,
    solid_geoms,
    thing_of,
    touches,
    upright,
)

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.text.yaml_text import read_yaml

FILE = Path(__file__).parent / 'things.yaml'
GIVEN = Shape.BOWL, Shape.BIN, Shape.CYLINDER
FLOOR_M = (2.0, 2.0, 0.05)  # of a floor, which has no end


@dataclass(frozen=True)
class Tracked:
    """A thing as it is in a frame of its own, and that frame in its body."""

    body: int
    thing: SceneObject
    T_body_thing: FloatArray


class Truth:
    """The things, the furniture and the table. Shapes are those that physics touches."""

    def __init__(self, world: RobotWorld) -> None:
        self._world, env = world, world.env
        mujoco.mj_kinematics(world.model, world.data)
        its = {**env.objects_dict, **env.fixtures_dict}
        names = names_of({name: one.category_name for name, one in its.items()})
        self.called = dict(names)  # LIBERO's names of things and regions, and ours
        self._hung: list[Hung] = []
        self._tracked = [self._track(env.obj_body_id[name], names[name], one.category_name,
                                     name in env.objects_dict) for name, one in its.items()]
        self._table = self._found_table()

    def objects(self) -> tuple[SceneObject, ...]:
        """As they are now."""
        mujoco.mj_kinematics(self._world.model, self._world.data)  # poses lag behind by a step
        hung = [now(self._world, one) for one in self._hung]
        things = {o.name: o for o in (self._table, *map(self._now, self._tracked))}
        for (part, *_), one in zip(hung, self._hung):
            if isinstance(part, Jointed) and one.part_of in _file()['switched']:
                things[one.part_of] = switch_of(things[one.part_of], part)
        return (*things.values(), *(thing for seen in hung for thing in seen))

    def _now(self, one: Tracked) -> SceneObject:
        T_world_body = pose_of(self._world.data.body(one.body))
        return replace(one.thing, pose=Pose.from_matrix(
            self._world.in_base(T_world_body @ one.T_body_thing)))

    def _track(self, body: int, name: str, category: str, movable: bool) -> Tracked:
        model, data = self._world.model, self._world.data
        T_world_body = pose_of(data.body(body))
        frame = T_world_body.copy()
        frame[:3, :3] = frame[:3, :3] @ upright(frame[:3, :3])
        solid = solid_geoms(model, body)
        for joint in joints_of(model, body) if not movable else ():
            on_it = solid_geoms(model, int(model.jnt_bodyid[joint]))
            solid = [geom for geom in solid if geom not in on_it]
            self._hung.append(self._hang(joint, on_it, name))
        parts = [(corners_of(model, data, geom) - frame[:3, 3]) @ frame[:3, :3] for geom in solid]
        thing, centre = thing_of(name, parts, shape_named(category), movable)
        frame[:3, 3] += frame[:3, :3] @ centre
        return Tracked(body, thing, np.linalg.inv(T_world_body) @ frame)

    def _hang(self, joint: int, geoms: list[int], part_of: str) -> Hung:
        said = self._world.model.joint(joint).name
        kind = next((kind for end, kind in _file()['joints'].items() if said.endswith(end)), said)
        body = int(self._world.model.jnt_bodyid[joint])
        for site in range(self._world.model.nsite):  # LIBERO's goals name these
            if body in above(self._world.model, int(self._world.model.site_bodyid[site])):
                self.called[self._world.model.site(site).name] = f'{part_of}_{kind}'
        return hung_on(self._world, joint, geoms, f'{part_of}_{kind}',
                       f'handle_{len(self._hung) + 1}', part_of, shape_named(kind))

    def _found_table(self) -> SceneObject:
        """The highest level top of the room below the things; of some as high, the largest."""
        model, data = self._world.model, self._world.data
        known = {one.body for one in self._tracked} | {model.body('robot0_base').id}
        room = [geom for geom in range(model.ngeom) if touches(model, geom)
                and not known & set(above(model, int(model.geom_bodyid[geom])))]
        lowest = min((data.xpos[one.body] for one in self._tracked if one.thing.movable),
                     key=lambda at: float(at[2]))
        tops = [top for geom in room if (top := _level(model, data, geom)) is not None
                and top[0][2] < lowest[2] + 0.01]
        (x, y, z), size = max(tops, key=lambda top: (round(float(top[0][2]), 2), np.prod(top[1])))
        T = np.eye(4)
        T[:3, 3] = x, y, z - size[2] / 2
        return SceneObject('table', Shape.TABLE, size, Pose.from_matrix(self._world.in_base(T)),
                           movable=False)


def _level(model: mujoco.MjModel, data: mujoco.MjData, geom: int
           ) -> tuple[FloatArray, tuple[float, float, float]] | None:
    """The middle of the top of a level box or plane, and its size; None if it is none."""
    at, kind = data.geom_xpos[geom], model.geom_type[geom]
    if kind == mujoco.mjtGeom.mjGEOM_PLANE and data.geom_xmat[geom][8] > 0.99:
        return at.copy(), FLOOR_M
    if kind != mujoco.mjtGeom.mjGEOM_BOX or np.abs(data.geom_xmat[geom][6:]).max() < 0.99:
        return None
    turned = np.abs(data.geom_xmat[geom].reshape(3, 3)) @ model.geom_size[geom]
    x, y, z = (2 * turned).tolist()
    return at + (0.0, 0.0, z / 2), (x, y, z)


@lru_cache
def _file() -> Mapping[str, Any]:
    found: Mapping[str, Any] = read_yaml(FILE)
    return found


def shape_named(category: str) -> Shape | None:
    """The shape that the file gives things of a category; None if it says nothing of them."""
    kind = category.split('_')[-1]
    return next((shape for shape in GIVEN if kind in _file()[shape.value]), None)


def names_of(categories: Mapping[str, str]) -> dict[str, str]:
    """What LIBERO's things are called; with numbers where several are of a kind."""
    called = {name: _file()['called'].get(category, category)
              for name, category in categories.items()}
    many = Counter(called.values())
    return {name: word if many[word] == 1 else f'{word}_{_number(name)}'
            for name, word in called.items()}


def _number(name: str) -> str:
    found = re.search(r'\d+$', name)
    return found[0] if found else name
