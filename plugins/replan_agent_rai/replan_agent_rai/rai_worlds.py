# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""RAI's scenes in our world, and our world as RAI's scorers see it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

from .rai_package import entity_type, scenarios

CUBE_M = 0.04
_CUBE = (Shape.BOX, (CUBE_M, CUBE_M, CUBE_M), 0.08)
# What stands for each of RAI's things: shape, size (m), mass (kg), colour. Its scenes put things
# 5 cm apart, so nothing is wider than that across x.
THINGS = {
    'apple': (Shape.SPHERE, (0.046, 0.046, 0.046), 0.06, 'green'),
    'tomato': (Shape.SPHERE, (0.042, 0.042, 0.042), 0.05, 'red'),
    'carrot': (Shape.BOX, (0.03, 0.085, 0.03), 0.06, 'orange'),
    'corn': (Shape.BOX, (0.036, 0.09, 0.036), 0.08, 'yellow'),
    'red_cube': (*_CUBE, 'red'), 'blue_cube': (*_CUBE, 'blue'), 'yellow_cube': (*_CUBE, 'yellow'),
}


@dataclass(frozen=True)
class RaiCase:
    """One of RAI's scenarios, and its scene in our world. `entities` has RAI's by our names."""

    scenario: Any
    spec: SceneSpec
    entities: dict[str, Any]
    entity_type: Any

    @property
    def task(self) -> str:
        return str(self.scenario.task.task_prompt)

    def score(self, now: Sequence[SceneObject]) -> float:
        """RAI's score of a world with these things."""
        before = [self._entity(n) for n in self.entities]
        after = self._entities_now(self.entities, now)
        return float(self.scenario.task.calculate_score(_Seen(before, after)))

    def cubes_are_right(self, now: Sequence[SceneObject]) -> bool:
        """Whether RAI's scorer finds no cube wrong if only cubes are there.

        Its task about adjacent cubes counts everything on the table, which its words do not say.
        """
        cubes = [n for n in self.entities if n.rpartition('_')[0].endswith('_cube')]
        _, wrong = self.scenario.task.calculate_correct(self._entities_now(cubes, now))
        return int(wrong) == 0

    def _entities_now(self, names: Iterable[str], now: Sequence[SceneObject]) -> list[Any]:
        poses = {o.name: o for o in now}
        return [self._entity(n, poses[n]) for n in names]

    def _entity(self, name: str, now: SceneObject | None = None) -> Any:
        """RAI's entity, where it was put at first or where it is now."""
        entity = self.entities[name]
        fields = {'name': entity.name, 'prefab_name': entity.prefab_name, 'id': entity.name}
        pose = deepcopy(entity.pose)
        if now is not None:
            for place, value in (('position', now.position), ('orientation', _xyzw(now))):
                for axis, number in zip('xyzw', value):
                    setattr(getattr(pose.pose, place), axis, float(number))
        return self.entity_type(pose=pose, **fields)


@dataclass(frozen=True)
class _Seen:
    """What RAI's scorers ask a simulation for: where things were put, and where they are."""

    spawned_entities: list[Any]
    entities: list[Any]

    def get_scene_state(self) -> _Seen:
        return self


def _xyzw(thing: SceneObject) -> tuple[float, ...]:
    w, x, y, z = thing.pose.quaternion
    return x, y, z, w


def cases(folder: Path | None, level: str, task: str) -> list[RaiCase]:
    """RAI's scenarios of a level and a class of tasks."""
    return [_case(s, entity_type(folder)) for s in scenarios(folder)
            if s.level == level and type(s.task).__name__ == task]


def _case(scenario: Any, entity_type: Any) -> RaiCase:
    entities, seen = {}, Counter[str]()
    for entity in scenario.scene_config.entities:
        seen[entity.prefab_name] += 1
        entities[f'{entity.prefab_name}_{seen[entity.prefab_name]}'] = entity
    name = Path(scenario.scene_config_path).stem
    return RaiCase(scenario, SceneSpec(f'rai_{name}', objects=_standing(entities)), entities,
                   entity_type)


def _standing(entities: dict[str, Any]) -> tuple[ObjectSpec, ...]:
    """The things at their places. RAI drops those above others: here they stand on them."""
    tops: dict[tuple[float, float], float] = defaultdict(float)
    found = []
    for name, entity in sorted(entities.items(), key=lambda e: e[1].pose.pose.position.z):
        shape, size, mass, colour = THINGS[entity.prefab_name]
        at = entity.pose.pose.position
        spec = ObjectSpec(name, shape, size, Colour.named(colour), (at.x, at.y, None), mass=mass)
        below = tops[at.x, at.y]
        if below:
            spec = replace(spec, position=(at.x, at.y, below + size[2] / 2))
        tops[at.x, at.y] = below + size[2]
        found.append(spec)
    return tuple(found)
