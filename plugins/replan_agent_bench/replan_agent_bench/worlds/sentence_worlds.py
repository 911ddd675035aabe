# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scenes of the sentences as worlds with physics, and a judge that knows only true poses.

The judge reads the same lines of the tables as `expectation`, and shares no code with the goals
of the agent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec, TableSpec

from .judges import Truth

TABLE_M = 0.006
STACKED_M = 0.008
AT_M = 0.025
NEAR_M = 0.08
STILL_M = 0.03  # what nobody named moves less than this
PUSHED_M = 0.02
TURNED_DEG = 15.0
LIFTED_M = 0.05
FALLS = 0.9  # towards the middle of a container
MASS_KG = {Shape.BOWL: 0.3, Shape.BIN: 0.8}
_SIDES = {'left_of': (0, 1), 'right_of': (0, -1), 'in_front_of': (-1, 0), 'behind': (1, 0)}
_PUSHES = {'left': (0, 1), 'right': (0, -1), 'forward': (1, 0), 'back': (-1, 0)}


def world_of(scene: Scene) -> SceneSpec:
    """The scene as a world. What the gripper holds in the scene cannot be built."""
    assert scene.table is not None and scene.held is None
    table = scene.table
    return SceneSpec('sentence', objects=tuple(
        ObjectSpec(o.name, o.shape, o.size, Colour.named(o.colour), _start(o, scene),
                   (0.0, 0.0, o.pose.yaw), MASS_KG.get(o.shape, 0.08))
        for o in scene.objects if o.shape is not Shape.TABLE), table=TableSpec(
            (table.size[0], table.size[1]), (table.position[0], table.position[1])))


def _start(thing: SceneObject, scene: Scene) -> tuple[float, float, float]:
    """Where it is at the start: what is in a bowl or bin falls into it from above."""
    for around in scene.objects:
        off = [thing.position[i] - around.position[i] for i in (0, 1)]
        if around.is_container and around is not thing and math.hypot(*off) < around.size[1] / 2:
            x, y = (c + FALLS * d for c, d in zip(around.position, off))
            return x, y, around.top_z + thing.size[2]
    return thing.position


class Judge:
    """Says what is wrong with the world after a sentence; `before` are the true objects then."""

    def __init__(self, truth: Truth, before: Mapping[str, SceneObject], sign: float = 1.0) -> None:
        self.truth = truth
        self.before = before
        self.sign = sign  # -1 for the left of a person who faces the arm

    def objection(self, parts: Sequence[str], named: set[str]) -> str:
        """What is wrong, '' if all parts are true and nothing moved that nobody named."""
        wrong = [part for part in parts if not self._holds(part.split())]
        if wrong:
            return 'not so: ' + '; '.join(wrong)
        words = {w for part in parts for chunk in part.split() for w in chunk.split('+')}
        moved = [name for name in self.before if name not in named | words
                 and self._moved(name) > STILL_M]
        return f'moved, but nobody named it: {", ".join(moved)}' if moved else ''

    def _moved(self, name: str) -> float:
        return math.dist(self._now(name).position, self.before[name].position)

    def _now(self, name: str) -> SceneObject:
        return self.truth.object(name)

    def _holds(self, part: list[str]) -> bool:
        word, *rest = part
        if word == 'not':
            return not self._holds(rest)
        checks: dict[str, Callable[[list[str]], bool]] = {
            'in': lambda r: self._in(r[0], r[1]), 'on': lambda r: self._on(r[0], r[1]),
            'stacked': lambda r: self._on(r[0], r[1]), 'at': self._at, 'near': self._near,
            'between': self._between, 'turned': self._turned, 'clear': self._clear,
            'exactly': lambda r: self._count(r) == int(r[0]), 'some': self._some,
            'at_least': lambda r: self._count(r) >= int(r[0]),
            'at_most': lambda r: self._count(r) <= int(r[0]), 'different': self._different,
            'tower': lambda r: all(self._on(b, a) for a, b in zip(r, r[1:])), 'row': self._row,
            'holding': self._holding, 'do': self._did, 'moves': lambda r: True}
        if word in _SIDES:
            return self._beside(rest[0], rest[1], _SIDES[word])
        return checks[word](rest)

    def _in(self, name: str, container: str) -> bool:
        thing, around = self._now(name), self._now(container)
        dx, dy = (thing.position[i] - around.position[i] for i in (0, 1))
        yaw = around.pose.yaw
        along = dx * math.cos(yaw) + dy * math.sin(yaw)
        across = -dx * math.sin(yaw) + dy * math.cos(yaw)
        if around.shape is Shape.BOWL:
            inside = math.hypot(dx, dy) < around.size[0] / 2
        else:
            inside = abs(along) < around.size[0] / 2 and abs(across) < around.size[1] / 2
        return inside and thing.bottom_z < around.top_z - 0.003 and self._is_free(name)

    def _on(self, name: str, below: str) -> bool:
        thing, base = self._now(name), self._now(below)
        if base.shape is Shape.TABLE:
            inside = any(self._in(name, o) for o, thing_ in self.before.items()
                         if thing_.shape in (Shape.BOWL, Shape.BIN) and o != name)
            return abs(thing.bottom_z - base.top_z) < TABLE_M and not inside
        if base.shape in (Shape.BOWL, Shape.BIN):
            return self._in(name, below)
        over = math.dist(thing.position[:2], base.position[:2]) < max(base.size[:2]) / 2
        return over and abs(thing.bottom_z - base.top_z) < STACKED_M and self._is_free(name)

    def _is_free(self, name: str) -> bool:
        return not self.truth.in_hand(name)

    def _at(self, rest: list[str]) -> bool:
        thing = self._now(rest[0])
        off = [abs(thing.position[i] - float(v)) for i, v in enumerate(rest[1:]) if v != '?']
        return math.hypot(*off) < AT_M and abs(thing.bottom_z) < TABLE_M

    def _near(self, rest: list[str]) -> bool:
        a, b = map(self._now, rest[:2])
        gap = math.dist(a.position[:2], b.position[:2]) - (max(a.size[:2]) + max(b.size[:2])) / 2
        return gap < NEAR_M and abs(a.bottom_z) < TABLE_M

    def _between(self, rest: list[str]) -> bool:
        p, a, b = (self._now(n).position for n in rest[:3])
        dx, dy = b[0] - a[0], b[1] - a[1]
        share = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy)
        off = abs((p[0] - a[0]) * dy - (p[1] - a[1]) * dx) / math.hypot(dx, dy)
        return 0.15 < share < 0.85 and off < max(0.03, 0.25 * math.hypot(dx, dy))

    def _beside(self, name: str, other: str, way: tuple[int, int]) -> bool:
        a, b = self._now(name).position, self._now(other).position
        dx, dy = a[0] - b[0], a[1] - b[1]
        along = self.sign * (dx * way[0] + dy * way[1])
        return along > 0.02 and abs(dx * way[1] - dy * way[0]) < along + 0.02

    def _turned(self, rest: list[str]) -> bool:
        thing = self._now(rest[0])
        square = max(thing.size[:2]) < 1.1 * min(thing.size[:2])
        off = math.degrees(thing.pose.yaw) - float(rest[1])
        return abs(math.remainder(off, 90.0 if square else 180.0)) < TURNED_DEG

    def _clear(self, rest: list[str]) -> bool:
        return not any(self._in(o, rest[0]) for o in self.before
                       if o not in (rest[0], 'table'))

    def _count(self, rest: list[str]) -> int:
        _, names, _, target = rest
        return sum(self._on(n, target) for n in names.split('+'))

    def _some(self, rest: list[str]) -> bool:
        return any(self._on(n, rest[2]) for n in rest[0].split('+'))

    def _different(self, rest: list[str]) -> bool:
        carried = [[t for t in rest[2].split('+') if self._on(n, t)] for n in rest[1].split('+')]
        found = [targets[0] for targets in carried if targets]
        return len(found) == len(set(found)) == min(len(carried), len(rest[2].split('+')))

    def _row(self, names: list[str]) -> bool:
        spots = [self._now(n).position for n in names]
        ys = [self.sign * p[1] for p in spots]
        return ys == sorted(ys, reverse=True) and max(p[0] for p in spots) - min(
            p[0] for p in spots) < 0.03

    def _holding(self, rest: list[str]) -> bool:
        names = [n for n in self.before if self.before[n].movable] if rest[0] == '?' else rest[:1]
        return any(self._now(n).bottom_z > LIFTED_M and self.truth.in_hand(n) for n in names)

    def _did(self, rest: list[str]) -> bool:
        if rest[0] not in ('push', 'pull'):
            return all(self._moved(n) < STILL_M for n in self.before)
        name, *where = rest[1:]
        dx, dy = (self._now(name).position[i] - self.before[name].position[i] for i in (0, 1))
        way = _PUSHES.get(where[0], None) if where else None
        return (dx * way[0] + dy * way[1] if way else math.hypot(dx, dy)) > PUSHED_M
