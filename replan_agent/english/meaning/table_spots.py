"""Points on the table that words mean: to the left, away from the bowl, in the corner."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.geometry.relations import NEAR_M
from replan_agent.geometry.room.free_place import (
    SPACING_M,
    Point,
    free_places,
    grid,
    is_free,
    stands_on,
)
from replan_agent.geometry.support import footprint, half_extent_along

from ..phrases import Place, Relation
from .arrangements import OF_THE_ARM, table_of
from .said_before import Discourse

IN_HALF_M = 0.03  # so far beyond the middle, it is in that half of the table
STEP_M = 0.10  # "to the left" without a distance
OTHER_STEPS_M = (0.08, 0.12, 0.06, 0.15)  # if something stands there
_DIRECTIONS = {'left': (0.0, 1.0), 'right': (0.0, -1.0), 'forward': (1.0, 0.0),
               'away': (1.0, 0.0), 'back': (-1.0, 0.0), 'closer': (-1.0, 0.0),
               'near': (-1.0, 0.0), 'far': (1.0, 0.0)}


def aside(thing: SceneObject, place: Place, context: Discourse) -> Point:
    """The point (m) at the distance in the direction from where the thing is."""
    return _stepped(thing, _way(place.direction, context), place, context,
                    f'{place.direction} of where {thing.name} is')


def _way(word: str, context: Discourse) -> Point:
    """The direction (x, y) of a word, as the one who looks means it."""
    x, y = _DIRECTIONS[word]
    turned = context.viewpoint == 'person' and word not in OF_THE_ARM
    return (-x, -y) if turned else (x, y)


def is_in_zone(thing: SceneObject, place: Place, context: Discourse) -> bool:
    """Whether it is in that half of the table already."""
    *sides, noun = place.direction.rstrip('s').split()
    if noun not in ('side', 'half') or place.landmarks or not sides or 'other' in sides:
        return False
    off = [thing.position[i] - table_of(context.scene).position[i] for i in (0, 1)]
    return all(off[0] * x + off[1] * y > IN_HALF_M for x, y in (_way(s, context) for s in sides))


def step(thing: SceneObject, place: Place, landmark: SceneObject, context: Discourse) -> Point:
    """The point (m) nearer to a landmark, or further from it."""
    dx, dy = (landmark.position[i] - thing.position[i] for i in (0, 1))
    far = math.hypot(dx, dy)
    if far < 0.01:
        raise Unclear(Reason.BAD_ARGUMENTS, f'which way? {thing.name} is at {landmark.name}')
    sign = 1.0 if place.relation is Relation.TOWARDS else -1.0
    least = footprint(thing) + footprint(landmark) + NEAR_M / 2
    if place.distance_m is not None:
        yaw = math.atan2(dy, dx)
        least = half_extent_along(thing, yaw) + half_extent_along(landmark, yaw) + SPACING_M
    if sign > 0 and far - least < (place.distance_m or 0.02):
        raise Unclear(Reason.BAD_ARGUMENTS, f'{thing.name} can come {max(0.0, far - least):.2f} m '
                      f'closer to {landmark.name}, not more: the fingers need room')
    most = far - least if sign > 0 else math.inf
    return _stepped(thing, (sign * dx / far, sign * dy / far), place, context,
                    f'from {thing.name} {"towards" if sign > 0 else "away from"} {landmark.name}',
                    most)


def _stepped(thing: SceneObject, way: Point, place: Place, context: Discourse, said: str,
             most_m: float = math.inf) -> Point:
    """A distance that was said is kept. Without one it is about STEP_M, where there is room."""
    asked = place.distance_m
    lengths = (asked,) if asked is not None else (STEP_M, *OTHER_STEPS_M)
    x, y, _ = thing.position
    found = [(round(x + way[0] * far, 4), round(y + way[1] * far, 4)) for far in
             dict.fromkeys(min(length, most_m) for length in lengths)]
    table = table_of(context.scene)
    inside = [at for at in found if stands_on(thing, table, at)]
    if not inside:
        raise Unclear(Reason.WORKSPACE_VIOLATION, f'{lengths[0]:g} m {said} there is no table: '
                      f'({found[0][0]:.2f}, {found[0][1]:.2f})')
    others = context.scene.without([thing.name, table.name])
    return next((at for at in inside if all(_is_apart(thing, at, o) for o in others)), inside[0])


def _is_apart(thing: SceneObject, at: Point, other: SceneObject) -> bool:
    dx, dy = (other.position[i] - at[i] for i in (0, 1))
    yaw = math.atan2(dy, dx)
    return math.hypot(dx, dy) >= (half_extent_along(thing, yaw) + half_extent_along(other, yaw)
                                  + SPACING_M)


def zone(thing: SceneObject, place: Place, context: Discourse) -> Point:
    """The free point (m) that is most in that part of the table."""
    *sides, noun = place.direction.rstrip('s').split()
    middle = table_of(context.scene).position
    if 'other' in sides:
        return _nearest(thing, (thing.position[0], 2 * middle[1] - thing.position[1]), context)
    if noun == 'middle':
        return _nearest(thing, (middle[0], middle[1]), context)
    ways = [_way(s, context) for s in sides]
    if noun == 'corner' and len({x != 0 for x, _ in ways}) < 2:
        raise Unclear(Reason.AMBIGUOUS_OBJECT, 'which corner? For example "the far left corner"')
    if not ways:
        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which {noun}? For example "the left {noun}"')
    is_corner = len(ways) > 1

    def merit(at: Point) -> float:
        along = sum(at[0] * x + at[1] * y for x, y in ways)
        off = 0.0 if is_corner else abs((at[0] - thing.position[0]) * ways[0][1]) + abs(
            (at[1] - thing.position[1]) * ways[0][0])
        return along - 2 * off

    return _best(thing, merit, context, f'the {place.direction} of the table')


def midpoint(thing: SceneObject, first: SceneObject, second: SceneObject, context: Discourse
             ) -> Point:
    """The point (m) halfway between two things."""
    at = (round((first.position[0] + second.position[0]) / 2, 4),
          round((first.position[1] + second.position[1]) / 2, 4))
    alone = replace(context.scene, objects=(table_of(context.scene), first, second))
    if not is_free(thing, at, alone):
        raise Unclear(Reason.TARGET_OCCUPIED, f'{thing.name} has no room between {first.name} '
                      f'and {second.name}')
    return at


def beyond(thing: SceneObject, landmark: SceneObject, context: Discourse) -> Point:
    """The free point (m) on the other side of a landmark."""
    return _nearest(thing, (2 * landmark.position[0] - thing.position[0],
                            2 * landmark.position[1] - thing.position[1]), context)


def person_spot(thing: SceneObject, context: Discourse) -> Point:
    """The free point (m) nearest to the person's edge, opposite the arm, that it can reach."""
    return _best(thing, lambda at: at[0] - 0.2 * abs(at[1]), context,
                 "the person's edge of the table")


def _nearest(thing: SceneObject, to: Point, context: Discourse) -> Point:
    return _best(thing, lambda at: -math.dist(at, to), context, f'({to[0]:.2f}, {to[1]:.2f})', to)


def _best(thing: SceneObject, merit: Callable[[Point], float], context: Discourse, said: str,
          first: Point | None = None) -> Point:
    """The free point with the most merit. Raises Unclear if there is none."""
    table_of(context.scene)
    points = [*([first] if first else []), *grid(context.scene.hand)]
    for at in free_places(thing, context.scene, sorted(points, key=merit, reverse=True)):
        return round(at[0], 4), round(at[1], 4)
    raise Unclear(Reason.TARGET_OCCUPIED, f'there is no room at {said}')
