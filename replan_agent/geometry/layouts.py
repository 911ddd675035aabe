# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where things go: instead of another; together in a row, or in groups apart from each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.scene import Scene, SceneObject, Shape

from .judging import support_below
from .relations import NEAR_M, is_near
from .room.free_place import Point, grid, is_free, is_within_reach
from .steps.after_step import standing_at
from .support import footprint

ROW_GAP_M = 0.03
ROWS_X_M = (0.50, 0.45, 0.55, 0.40, 0.60, 0.35, 0.65, 0.30)
ROW_SHIFTS_M = (0.0, 0.05, -0.05, 0.10, -0.10, 0.15, -0.15)
WITHIN_M = 0.035  # between neighbours of a group: the fingers have room, and no more
CLOSER_M = NEAR_M / 2  # the gap between neighbours that are hardly near
CLEARLY_M = NEAR_M - 0.005  # a look that is a little off still finds them near
SAME_LEVEL_M = 0.01  # what is on another thing is not next to it
APART_M = (0.18, 0.15, 0.12)  # from all others, the first that there is room for: not near
MOVE_M = 0.5  # what a movement that can be spared is worth, as metres of way
Pair = tuple[SceneObject, SceneObject]
Group = Sequence[SceneObject]


def row(order: Group, scene: Scene, sign: float) -> Mapping[str, Point] | None:
    """A spot (x, y, m) for each, from left to right (-1: to left); None if no row is free."""
    gaps = [footprint(a) + footprint(b) + ROW_GAP_M for a, b in zip(order, order[1:])]
    offsets = [sum(gaps[:i]) - sum(gaps) / 2 for i in range(len(order))]
    others = replace(scene, objects=scene.without({o.name for o in order}))
    for x, shift in itertools.product(ROWS_X_M, ROW_SHIFTS_M):
        spots = {o.name: (x, round(sign * (shift - off), 4)) for o, off in zip(order, offsets)}
        if all(is_free(o, spots[o.name], others) for o in order):
            return spots
    return None


def instead_of(thing: SceneObject, other: SceneObject, scene: Scene) -> Goal:
    """The goal that puts a thing where the other one is now."""
    if scene.held == other.name:
        return Goal(Predicate.HOLDING, thing.name)
    below = support_below(other, replace(scene, objects=scene.without([thing.name])))
    if below is not None and below.shape is not Shape.TABLE:
        return Goal(Predicate.IN if below.is_container else Predicate.ON, thing.name, below.name)
    return Goal(Predicate.AT, thing.name, position=(other.position[0], other.position[1]))


# Groups: close to their own, apart from all others

def clusters(groups: Sequence[Group], loads: Group, others: Group, scene: Scene,
             table: SceneObject) -> dict[str, SceneObject] | None:
    """The things of the groups as they should stand. `loads` lie on them and go elsewhere."""
    for apart_m in APART_M:
        there: dict[str, SceneObject] = {}
        for group in (*sorted(groups, key=len, reverse=True), *([o] for o in loads)):
            rest = [there.get(o.name, o) for o in (*itertools.chain(*groups), *loads, *others)
                    if o not in group]
            there |= {o.name: o for o in _layout(group, rest, apart_m, scene, table)}
        if len(there) == len(loads) + sum(map(len, groups)):
            return there
    return None


def _layout(group: Group, rest: Group, apart_m: float, scene: Scene, table: SceneObject) -> Group:
    """How the group may stand: as it does now, or in the block with the shortest way; or none."""
    def is_good(there: Group) -> bool:
        return len(links(there)) == len(there) - 1 and all(
            math.dist(thing.position[:2], o.position[:2]) - footprint(thing) - footprint(o)
            >= apart_m for thing in there for o in rest)

    def way_m(thing: SceneObject, at: Point) -> float:
        far = math.dist(thing.position[:2], at)
        stays = far < 1e-3 and thing.bottom_z < table.top_z + SAME_LEVEL_M
        return 0.0 if stays else MOVE_M + far

    if is_good(group):
        return group
    then = replace(scene, objects=(*scene.objects, *(o for o in rest if o not in scene.objects)))
    for block in sorted(_blocks(group, scene), key=lambda block: sum(
            way_m(o, at) for o, at in block)):
        there = [standing_at(o, at, table) for o, at in block]
        if is_good(there) and all(not way_m(o, at) or is_within_reach(at, scene.hand)
                                  and is_free(o, at, then) for o, at in block):
            return there
    return ()


def _blocks(group: Group, scene: Scene) -> Iterator[list[tuple[SceneObject, Point]]]:
    """The things of the group in cells of a block, at their places and all over the table."""
    dx, dy = (2 * float(max(o.half_extents_in_base()[i] for o in group)) + WITHIN_M
              for i in (0, 1))
    wide = math.ceil(math.sqrt(len(group)))
    cells = [(i // wide * dx, i % wide * dy) for i in range(len(group))]
    corners = [(o.position[0] - x, o.position[1] - y) for o in group for x, y in cells]
    for cx, cy in (*corners, *grid(scene.hand)):
        left, block = list(group), []
        for x, y in cells:
            at = (round(cx + x, 4), round(cy + y, 4))
            nearest = min(left, key=lambda o: math.dist(o.position[:2], at))
            left.remove(nearest)
            block.append((nearest, at))
        yield block


def links(group: Group) -> list[Pair]:
    """Each that can be reached from the first over neighbours, and from which one it is."""
    return _joined(group[:1], group[1:], _are_near)


def neighbours(things: Group) -> list[Pair]:
    """Each with another one that should be next to it: most are already."""
    near = [min(found, key=_far) for o in things
            if (found := [(o, p) for p in things if p is not o and _are_near(o, p)])]
    settled = [o for o, _ in near] or [min(things, key=lambda o: sum(
        _far((o, p)) for p in things))]
    return near + _joined(settled, [o for o in things if o not in settled], lambda *_: True)


def _joined(settled: Group, lone: Group, may_join: Callable[[SceneObject, SceneObject], bool]
            ) -> list[Pair]:
    """Each of the lone things with the nearest that is settled by then, if it may join that."""
    found: list[Pair] = []
    while pairs := [(o, s) for o in lone for s in (*settled, *(joined for joined, _ in found))
                    if o not in dict(found) and may_join(o, s)]:
        found.append(min(pairs, key=_far))
    return found


def _are_near(one: SceneObject, other: SceneObject) -> bool:
    return abs(one.bottom_z - other.bottom_z) < SAME_LEVEL_M and is_near(one, other, CLEARLY_M)


def is_hardly_near(one: SceneObject, other: SceneObject) -> bool:
    """Whether they would count as near, and a look that is a little off would not find them so."""
    return is_near(one, other) and not is_near(one, other, CLEARLY_M)


def _far(pair: Pair) -> float:
    return math.dist(pair[0].position, pair[1].position)
