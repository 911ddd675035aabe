"""Points on the table that words mean: to the left, in the corner, a row, groups, the bin."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.kinds import name_words
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.domain.skill_effect import FLAT_ON_TOP
from replan_agent.geometry.judging import support_below
from replan_agent.geometry.outlines import gap_m, parts
from replan_agent.geometry.relations import NEAR_M, is_near
from replan_agent.geometry.room.free_place import (
    SPACING_M,
    Point,
    free_places,
    grid,
    is_free,
    is_on_top,
    is_within_reach,
    stands_on,
)
from replan_agent.geometry.steps.after_step import standing_at
from replan_agent.geometry.support import footprint

from ..dictionary import fits, is_named
from ..phrases import Place, Relation
from .ranks import height, volume
from .said_before import Discourse, cannot, missing, which

ROW_GAP_M = 0.03
ROWS_X_M = (0.50, 0.45, 0.55, 0.40, 0.60, 0.35, 0.65, 0.30)
ROW_SHIFTS_M = (0.0, 0.05, -0.05, 0.10, -0.10, 0.15, -0.15)
WITHIN_M = 0.035  # between neighbours of a group: the fingers have room, and no more
CLOSER_M = NEAR_M / 2  # the gap between neighbours that are hardly near
CLEARLY_M = NEAR_M - 0.005  # a look that is a little off still finds them near
SAME_LEVEL_M = 0.01  # what is on another thing is not next to it
APART_M = (0.18, 0.15, 0.12)  # from all others, the first that there is room for: not near
STEP_M = 0.10  # "to the left" without a distance
OTHER_STEPS_M = (0.08, 0.12, 0.06, 0.15)  # if something stands there
MOVE_M = 0.5  # what a movement that can be spared is worth, as metres of way
Pair = tuple[SceneObject, SceneObject]
_DIRECTIONS = {'left': (0.0, 1.0), 'right': (0.0, -1.0), 'forward': (1.0, 0.0),
               'away': (1.0, 0.0), 'back': (-1.0, 0.0), 'closer': (-1.0, 0.0),
               'near': (-1.0, 0.0), 'far': (1.0, 0.0)}


def kind_of(thing: SceneObject) -> str:
    """What it is called, without its number and colour: "cube", "apple"."""
    return next((w for w in reversed(name_words(thing.name)) if not w.isdigit()), thing.name)


SORT_KEYS: Mapping[str, Callable[[SceneObject], Any]] = {
    'colour': lambda o: o.colour, 'shape': lambda o: o.shape.value, 'kind': kind_of,
    'size': volume, 'size_up': volume, 'size_down': lambda o: -volume(o), 'height': height,
    'height_up': height, 'height_down': lambda o: -height(o)}


def table_of(scene: Scene) -> SceneObject:
    if scene.table is None:
        raise missing('no table is seen')
    return scene.table


def on_table(point: tuple[float, float] | None, scene: Scene) -> tuple[float, float]:
    """The point (m), if the table is below it."""
    assert point is not None
    table = table_of(scene)
    if not is_on_top(table, point, 0.0):
        spans = ', '.join(f'{axis} {c - h:.2f} to {c + h:.2f}' for axis, c, h in
                          zip('xy', table.position, table.half_extents_in_base()))
        raise Unclear(Reason.WORKSPACE_VIOLATION, f'it would fall: ({point[0]:.2f}, '
                      f'{point[1]:.2f}) is not over the {table.name}, which spans {spans} m')
    return point


def container_for(scene: Scene, waste: bool) -> str:
    """Where loose things belong: the only bin; if they are no waste, the only container."""
    containers = [o for o in scene.objects if o.is_container]
    found = [o for o in containers if fits('bin', o)]
    if waste:
        found = [o for o in found if is_named(['bin'], o)] or found
    elif len(found) != 1:
        found = containers
    if not found:
        raise missing(f'there is no {"bin" if waste else "bowl or bin"} to put things in: where '
                      'should it go?', Cause.NO_CONTAINER)
    if len(found) > 1:
        raise which('into which one?', [o.name for o in found])
    return found[0].name


def instead_of(thing: SceneObject, other: SceneObject, scene: Scene) -> Goal:
    """The goal that puts a thing where the other one is now."""
    if scene.held == other.name:
        return Goal(Predicate.HOLDING, thing.name)
    below = support_below(other, replace(scene, objects=scene.without([thing.name])))
    if below is not None and below.shape is not Shape.TABLE:
        return Goal(Predicate.IN if below.is_container else Predicate.ON, thing.name, below.name)
    return Goal(Predicate.AT, thing.name, position=(other.position[0], other.position[1]))


def row(things: Sequence[SceneObject], key: Callable[[SceneObject], Any], context: Discourse
        ) -> Mapping[str, tuple[float, float]]:
    """A spot (x, y, m) for each in a row from left to right, by the key and then as they stand."""
    sign = -1.0 if context.viewpoint == 'person' else 1.0
    order = sorted(things, key=lambda o: (key(o), -sign * o.position[1]))
    gaps = [footprint(a) + footprint(b) + ROW_GAP_M for a, b in zip(order, order[1:])]
    offsets = [sum(gaps[:i]) - sum(gaps) / 2 for i in range(len(order))]
    table_of(context.scene)
    others = replace(context.scene, objects=context.scene.without({o.name for o in things}))
    for x, shift in itertools.product(ROWS_X_M, ROW_SHIFTS_M):
        spots = {o.name: (x, round(sign * (shift - off), 4)) for o, off in zip(order, offsets)}
        if all(is_free(o, spots[o.name], others) for o in order):
            return spots
    raise Unclear(Reason.TARGET_OCCUPIED, f'there is no room for a row of {len(things)}')


def bottom_up(things: Sequence[SceneObject]) -> list[str]:
    """An order to stack them: flat tops below, the widest first."""
    order = sorted(things, key=lambda o: (o.shape not in FLAT_ON_TOP, -min(o.size[:2])))
    if any(o.shape not in FLAT_ON_TOP for o in order[:-1]):
        wrong = next(o.name for o in order if o.shape not in FLAT_ON_TOP)
        raise cannot(f'nothing can stand on {wrong}')
    return [o.name for o in order]


# Groups: close to their own, apart from all others

def clusters(groups: Sequence[Sequence[SceneObject]], loads: Sequence[SceneObject],
             others: Sequence[SceneObject], context: Discourse) -> dict[str, SceneObject]:
    """The things of the groups as they should stand. `loads` lie on them and go elsewhere."""
    for apart_m in APART_M:
        there: dict[str, SceneObject] = {}
        for group in (*sorted(groups, key=len, reverse=True), *([o] for o in loads)):
            rest = [there.get(o.name, o) for o in (*itertools.chain(*groups), *loads, *others)
                    if o not in group]
            there |= {o.name: o for o in _layout(group, rest, apart_m, context)}
        if len(there) == len(loads) + sum(map(len, groups)):
            return there
    raise Unclear(Reason.TARGET_OCCUPIED, 'there is no room for groups that are apart: '
                  + ', '.join('+'.join(o.name for o in group) for group in groups))


def _layout(group: Sequence[SceneObject], rest: Sequence[SceneObject], apart_m: float,
            context: Discourse) -> Sequence[SceneObject]:
    """How the group may stand: as it does now, or in the block with the shortest way; or none."""
    def is_good(there: Sequence[SceneObject]) -> bool:
        return len(links(there)) == len(there) - 1 and all(
            math.dist(thing.position[:2], o.position[:2]) - footprint(thing) - footprint(o)
            >= apart_m for thing in there for o in rest)

    def way_m(thing: SceneObject, at: Point) -> float:
        far = math.dist(thing.position[:2], at)
        stays = far < 1e-3 and thing.bottom_z < table.top_z + SAME_LEVEL_M
        return 0.0 if stays else MOVE_M + far

    if is_good(group):
        return group
    scene, table = context.scene, table_of(context.scene)
    then = replace(scene, objects=(*scene.objects, *(o for o in rest if o not in scene.objects)))
    for block in sorted(_blocks(group, context), key=lambda block: sum(
            way_m(o, at) for o, at in block)):
        there = [standing_at(o, at, table) for o, at in block]
        if is_good(there) and all(not way_m(o, at) or is_within_reach(at, scene.hand)
                                  and is_free(o, at, then) for o, at in block):
            return there
    return ()


def _blocks(group: Sequence[SceneObject], context: Discourse
            ) -> Iterator[list[tuple[SceneObject, Point]]]:
    """The things of the group in cells of a block, at their places and all over the table."""
    dx, dy = (2 * float(max(o.half_extents_in_base()[i] for o in group)) + WITHIN_M
              for i in (0, 1))
    wide = math.ceil(math.sqrt(len(group)))
    cells = [(i // wide * dx, i % wide * dy) for i in range(len(group))]
    corners = [(o.position[0] - x, o.position[1] - y) for o in group for x, y in cells]
    for cx, cy in (*corners, *grid(context.scene.hand)):
        left, block = list(group), []
        for x, y in cells:
            at = (round(cx + x, 4), round(cy + y, 4))
            nearest = min(left, key=lambda o: math.dist(o.position[:2], at))
            left.remove(nearest)
            block.append((nearest, at))
        yield block


def links(group: Sequence[SceneObject]) -> list[Pair]:
    """Each that can be reached from the first over neighbours, and from which one it is."""
    return _joined(group[:1], group[1:], _are_near)


def neighbours(things: Sequence[SceneObject]) -> list[Pair]:
    """Each with another one that should be next to it: most are already."""
    near = [min(found, key=_far) for o in things
            if (found := [(o, p) for p in things if p is not o and _are_near(o, p)])]
    settled = [o for o, _ in near] or [min(things, key=lambda o: sum(
        _far((o, p)) for p in things))]
    return near + _joined(settled, [o for o in things if o not in settled], lambda *_: True)


def _joined(settled: Sequence[SceneObject], lone: Sequence[SceneObject],
            may_join: Callable[[SceneObject, SceneObject], bool]) -> list[Pair]:
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


# Spots

def way_of(word: str, context: Discourse) -> Point:
    """The direction (x, y) of a word, as the one who looks means it."""
    x, y = _DIRECTIONS[word]
    turned = context.viewpoint == 'person' and word not in ('away', 'closer')  # from the robot
    return (-x, -y) if turned else (x, y)


def word_for(direction: str, context: Discourse) -> str:
    """The direction as the arm's own word (`domain/skill_effect.py`)."""
    way = way_of(direction, context)
    return next(word for word in ('left', 'right', 'forward', 'back') if _DIRECTIONS[word] == way)


def _ways(place: Place, context: Discourse) -> list[Point]:
    return [way_of(w, context) for w in place.direction.split() if w in _DIRECTIONS]


def is_in_part(thing: SceneObject, place: Place, context: Discourse, by_m: float) -> bool:
    """Whether it is in that half or corner of the table, so far beyond the middle."""
    table, ways = context.scene.table, _ways(place, context)
    if table is None or not ways or place.landmarks:
        return False
    dx, dy = (thing.position[i] - table.position[i] for i in (0, 1))
    return all(dx * x + dy * y > by_m for x, y in ways)


def spot(thing: SceneObject, place: Place, landmarks: Sequence[SceneObject], context: Discourse
         ) -> Point:
    """The point (m) that a place means for a thing. Raises Unclear."""
    sign, _, axis = place.axis.partition(' ')
    if axis and not any(way['xy'.index(axis)] * float(sign) > 0 for way in _ways(place, context)):
        raise which(f'{place.direction!r} is not on that side of {axis}: which one is meant?')
    if place.relation is Relation.ASIDE and not place.sure and place.distance_m is None:
        raise which(f'where is that? Say "10 cm to the {place.direction}", or "on the '
                    f'{place.direction} side of the table"')
    if place.relation in (Relation.ASIDE, Relation.TOWARDS, Relation.APART_FROM):
        return _stepped(thing, place, landmarks, context)
    if place.relation is Relation.ZONE and landmarks:  # on its other side
        x, y = (2 * landmarks[0].position[i] - thing.position[i] for i in (0, 1))
        return nearest_spot(thing, (x, y), context)
    if place.relation is Relation.ZONE:
        return _zone(thing, place, context)
    if place.relation is Relation.HALFWAY:
        return _midpoint(thing, landmarks, context)
    raise cannot(f'where should {thing.name} go? Say in, on or next to what')


def _stepped(thing: SceneObject, place: Place, landmarks: Sequence[SceneObject],
             context: Discourse) -> Point:
    """A step in a direction, or on the line to a landmark.

    A distance that was said is kept. Without one it is about STEP_M, where there is room.
    """
    asked, room = place.distance_m, math.inf
    if not landmarks:
        way = way_of(place.direction, context)
    else:
        closer, other = place.relation is Relation.TOWARDS, landmarks[0]
        dx, dy = (other.position[i] - thing.position[i] for i in (0, 1))
        far = math.hypot(dx, dy)
        if far < 0.01:
            raise cannot(f'which way? {thing.name} is at {other.name}')
        way = (dx / far, dy / far) if closer else (-dx / far, -dy / far)
        if closer:
            room = gap_m(parts(thing), parts(other)) - SPACING_M if asked is not None else (
                far - footprint(thing) - footprint(other) - NEAR_M / 2)
        if room < (asked or 0.02):
            raise cannot(f'{thing.name} can come {max(0.0, room):.2f} m closer to {other.name}, '
                         'not more: the fingers need room')
    x, y, _ = thing.position
    found = [(round(x + way[0] * far, 4), round(y + way[1] * far, 4)) for far in dict.fromkeys(
        min(length, room) for length in ((asked,) if asked else (STEP_M, *OTHER_STEPS_M)))]
    inside = [at for at in found if stands_on(thing, table_of(context.scene), at)]
    if not inside:
        raise Unclear(Reason.WORKSPACE_VIOLATION, f'{thing.name} would not be on the table at '
                      f'({found[0][0]:.2f}, {found[0][1]:.2f})')
    return next((at for at in inside if is_free(thing, at, context.scene)), inside[0])


def _zone(thing: SceneObject, place: Place, context: Discourse) -> Point:
    """The free point (m) that is most in that part of the table."""
    *sides, noun = place.direction.rstrip('s').split()
    x, y = thing.position[:2]
    middle = table_of(context.scene).position
    if 'other' in sides or noun == 'middle':
        to = (x, 2 * middle[1] - y) if 'other' in sides else (middle[0], middle[1])
        return nearest_spot(thing, to, context)
    ways = [way_of(s, context) for s in sides]
    if not ways or noun == 'corner' and len({dx != 0 for dx, _ in ways}) < 2:
        raise which(f'which {noun}? For example "the {"far " * (noun == "corner")}left {noun}"')

    def merit(at: Point) -> float:
        along = sum(at[0] * dx + at[1] * dy for dx, dy in ways)
        (dx, dy), *more = ways
        return along - (0.0 if more else 2 * (abs((at[0] - x) * dy) + abs((at[1] - y) * dx)))

    return _best(thing, merit, context, f'the {place.direction} of the table')


def _midpoint(thing: SceneObject, ends: Sequence[SceneObject], context: Discourse) -> Point:
    x, y = (round((ends[0].position[i] + ends[1].position[i]) / 2, 4) for i in (0, 1))
    if not is_free(thing, (x, y), replace(context.scene, objects=(
            table_of(context.scene), *ends))):
        raise Unclear(Reason.TARGET_OCCUPIED, f'{thing.name} has no room between {ends[0].name} '
                      f'and {ends[1].name}')
    return x, y


def person_spot(thing: SceneObject, context: Discourse) -> Point:
    """The free point (m) nearest to the person's edge, opposite the arm, that it can reach."""
    return _best(thing, lambda at: at[0] - 0.2 * abs(at[1]), context,
                 "the person's edge of the table")


def nearest_spot(thing: SceneObject, to: Point, context: Discourse) -> Point:
    """The free point (m) nearest to another one where the arm puts things down."""
    return _best(thing, lambda at: -math.dist(at, to), context, f'({to[0]:.2f}, {to[1]:.2f})', to)


def _best(thing: SceneObject, merit: Callable[[Point], float], context: Discourse, said: str,
          *first: Point) -> Point:
    """The free point with the most merit. Raises Unclear if there is none."""
    table_of(context.scene)
    points = sorted((*first, *grid(context.scene.hand)), key=merit, reverse=True)
    for at in free_places(thing, context.scene, points):
        return round(at[0], 4), round(at[1], 4)
    raise Unclear(Reason.TARGET_OCCUPIED, f'there is no room at {said}')
