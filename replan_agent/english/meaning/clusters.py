"""Where things go that should stand in groups: close to their own, apart from all others."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.geometry.judging import AT_TOLERANCE_M
from replan_agent.geometry.relations import NEAR_M, is_near
from replan_agent.geometry.room.free_place import Point, grid, is_free, is_within_reach
from replan_agent.geometry.steps.after_step import standing_at
from replan_agent.geometry.support import footprint, half_extent_along

from .arrangements import table_of
from .said_before import Discourse

WITHIN_M = 0.035  # between neighbours of a group: the fingers have room, and no more
BESIDE_M = (0.03, 0.045)  # to a neighbour: room for the fingers, and still near
CLEARLY_M = NEAR_M - 0.005  # a look that is a little off still finds them near
SAME_LEVEL_M = 0.01  # what is on another thing is not next to it
APART_M = (0.18, 0.15, 0.12)  # from all others, the first that there is room for: not near
MOVE_M = 0.5  # what a movement that can be spared is worth, as metres of way


@dataclass
class Table:
    """The things as they will stand: `spots` has those that were given one."""

    context: Discourse
    things: Sequence[SceneObject]
    spots: dict[str, Point] = field(default_factory=dict)

    def at(self, thing: SceneObject) -> Point:
        return self.spots.get(thing.name, (thing.position[0], thing.position[1]))

    def is_apart(self, thing: SceneObject, at: Point, own: Sequence[str], apart_m: float) -> bool:
        """Whether a thing at a point is so far from all that are not of its own group."""
        return all(_gap(thing, at, o, self.at(o)) >= apart_m
                   for o in self.things if o.name not in own)

    def has_room(self, thing: SceneObject, at: Point) -> bool:
        """Whether it can be put down there, now and when all others stand where they should."""
        if math.dist(at, thing.position[:2]) < 1e-6 and thing.name not in self.spots:
            return True
        now = [o for o in self.things if o.name != thing.name]
        table = table_of(self.context.scene)
        if not is_within_reach(at, self.context.scene.hand):
            return False
        later = [standing_at(o, self.spots[o.name], table) for o in now if o.name in self.spots]
        there = replace(self.context.scene, objects=(table, *now, *later))
        return is_free(thing, at, there)


def clusters(groups: Sequence[Sequence[SceneObject]], loads: Sequence[SceneObject],
             others: Sequence[SceneObject], context: Discourse) -> Mapping[str, Point]:
    """A spot (x, y, m) for each thing of the groups. `loads` lie on them and go elsewhere."""
    things = [*itertools.chain(*groups), *loads, *others]
    for apart_m in APART_M:
        for order in (sorted(groups, key=len, reverse=True), sorted(groups, key=len)):
            table = Table(context, things)
            if all(_settle(group, table, apart_m) for group in (*order, *([o] for o in loads))):
                return table.spots
    raise Unclear(Reason.TARGET_OCCUPIED, 'there is no room for groups that are apart: '
                  + ', '.join('+'.join(o.name for o in group) for group in groups))


def _settle(group: Sequence[SceneObject], table: Table, apart_m: float) -> bool:
    """Gives each of the group its spot. False if there is no room."""
    own = [o.name for o in group]
    now = {o.name: table.at(o) for o in group}
    if _is_linked(group) and all(table.is_apart(o, now[o.name], own, apart_m) for o in group):
        table.spots.update(now)
        return True
    best: tuple[float, dict[str, Point]] | None = None
    for cells in _layouts(group, table.context.scene.hand):
        found = _assigned(group, cells, table, apart_m)
        if found is not None and (best is None or found[0] < best[0]) and _is_linked(
                _at(group, found[1], table.context)):
            best = found
    if best is not None:
        table.spots.update(best[1])
    return best is not None


def _is_linked(group: Sequence[SceneObject]) -> bool:
    """Whether each can be reached from the first over neighbours."""
    return len(_chain(group)) == len(group) - 1


def _are_near(one: SceneObject, other: SceneObject) -> bool:
    return abs(one.bottom_z - other.bottom_z) < SAME_LEVEL_M and is_near(one, other, CLEARLY_M)


def _chain(group: Sequence[SceneObject]) -> list[tuple[SceneObject, SceneObject]]:
    """Each that can be reached from the first, and the neighbour that it is reached from."""
    found, left = [group[0]], list(group[1:])
    chain: list[tuple[SceneObject, SceneObject]] = []
    while step := min(((o, f) for f in found for o in left if _are_near(o, f)), default=None,
                      key=lambda pair: math.dist(pair[0].position, pair[1].position)):
        chain.append(step)
        found.append(step[0])
        left.remove(step[0])
    return chain


def links(group: Sequence[SceneObject], spots: Mapping[str, Point], context: Discourse
          ) -> list[tuple[SceneObject, SceneObject]]:
    """Who must be near whom, so that the group at these spots is one."""
    return _chain(_at(group, spots, context))


def pairs(things: Sequence[SceneObject], spots: Mapping[str, Point], context: Discourse
          ) -> list[tuple[SceneObject, SceneObject]]:
    """Each thing at its spot with the nearest of the others."""
    there = _at(things, spots, context)
    return [(one, min(((not _are_near(one, other), math.dist(one.position, other.position), i)
                       , other) for i, other in enumerate(there) if other is not one)[1])
            for one in there]


def _at(group: Sequence[SceneObject], spots: Mapping[str, Point], context: Discourse
        ) -> list[SceneObject]:
    table = table_of(context.scene)
    return [standing_at(o, spots[o.name], table) for o in group]


def _layouts(group: Sequence[SceneObject], hand: HandShape | None) -> Iterator[list[Point]]:
    """Cells of a block for the group, at each place of the table; first where its things are."""
    dx, dy = (2 * float(max(o.half_extents_in_base()[i] for o in group)) + WITHIN_M
              for i in (0, 1))
    wide = math.ceil(math.sqrt(len(group)))
    rows = math.ceil(len(group) / wide)
    block = [(i * dx, j * dy) for i in range(rows) for j in range(wide)][:len(group)]
    corners = [(o.position[0] - x, o.position[1] - y) for o in group for x, y in block]
    for cx, cy in (*corners, *grid(hand)):
        yield [(round(cx + x, 4), round(cy + y, 4)) for x, y in block]


def _assigned(group: Sequence[SceneObject], cells: list[Point], table: Table, apart_m: float
              ) -> tuple[float, dict[str, Point]] | None:
    """The cost (m of way) of a layout and who stands where; None if there is no room."""
    own, left, spots, cost = [o.name for o in group], list(cells), {}, 0.0
    ways = sorted((math.dist(table.at(o), c), o.bottom_z, o.name, c) for o in group for c in cells)
    level = table_of(table.context.scene).top_z + SAME_LEVEL_M
    by_name = {o.name: o for o in group}
    for way, bottom_z, name, cell in ways:
        if name in spots or cell not in left:
            continue
        thing = by_name[name]
        stays = way < 1e-3 and bottom_z < level
        if not table.is_apart(thing, cell, own, apart_m) or not (
                stays or table.has_room(thing, cell)):
            return None
        spots[name] = cell
        left.remove(cell)
        cost += 0.0 if stays else MOVE_M + way
    return cost, spots


def neighbours(things: Sequence[SceneObject], others: Sequence[SceneObject], context: Discourse
               ) -> Mapping[str, Point]:
    """A spot for each, so that each has one of the others next to it. Most stay where they are."""
    table = Table(context, [*things, *others])
    settled = [o for o in things if any(_is_linked((o, p)) for p in things if p is not o)]
    lone = [o for o in things if o not in settled]
    if not settled:
        settled = [lone.pop(min(range(len(lone)), key=lambda i: sum(
            math.dist(lone[i].position, o.position) for o in lone)))]
    table.spots.update({o.name: table.at(o) for o in settled})
    for thing in sorted(lone, key=lambda o: min(math.dist(o.position, s.position)
                                                for s in settled)):
        spot = _beside(thing, settled, table)
        if spot is None:
            raise Unclear(Reason.TARGET_OCCUPIED, f'there is no room next to the others for '
                          f'{thing.name}')
        table.spots[thing.name] = spot
        settled.append(thing)
    return table.spots


def _beside(thing: SceneObject, settled: Sequence[SceneObject], table: Table) -> Point | None:
    """The free point next to one of them that is nearest; with the smallest gap that has one."""
    around = []
    for gap in BESIDE_M:
        around += sorted((_off(table.at(one), yaw, half_extent_along(thing, yaw)
                               + half_extent_along(one, yaw) + gap)
                          for one in settled for yaw in map(math.radians, range(0, 360, 15))),
                         key=lambda at: math.dist(at, thing.position[:2]))
    far_enough = 2 * AT_TOLERANCE_M  # nearer, the goal would be as good as met already
    return next((at for at in around if math.dist(at, thing.position[:2]) > far_enough
                 and table.has_room(thing, at)), None)


def _off(point: Point, yaw: float, far: float) -> Point:
    return (round(point[0] + far * math.cos(yaw), 4), round(point[1] + far * math.sin(yaw), 4))


def _gap(one: SceneObject, at: Point, other: SceneObject, there: Point) -> float:
    return math.dist(at, there) - footprint(one) - footprint(other)
