"""Points on the table that words mean: to the left, away from the bowl, in the corner."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
from .arrangements import table_of
from .said_before import Discourse, cannot, which

STEP_M = 0.10  # "to the left" without a distance
OTHER_STEPS_M = (0.08, 0.12, 0.06, 0.15)  # if something stands there
_DIRECTIONS = {'left': (0.0, 1.0), 'right': (0.0, -1.0), 'forward': (1.0, 0.0),
               'away': (1.0, 0.0), 'back': (-1.0, 0.0), 'closer': (-1.0, 0.0),
               'near': (-1.0, 0.0), 'far': (1.0, 0.0)}


def way_of(word: str, context: Discourse) -> Point:
    """The direction (x, y) of a word, as the one who looks means it."""
    x, y = _DIRECTIONS[word]
    turned = context.viewpoint == 'person' and word not in ('away', 'closer')  # from the robot
    return (-x, -y) if turned else (x, y)


def word_for(direction: str, context: Discourse) -> str:
    """The direction as the arm's own word (`domain/skill_effect.py`)."""
    way = way_of(direction, context)
    return next(word for word in ('left', 'right', 'forward', 'back') if _DIRECTIONS[word] == way)


def is_in_part(thing: SceneObject, place: Place, context: Discourse, by_m: float) -> bool:
    """Whether it is in that half or corner of the table, so far beyond the middle."""
    table = context.scene.table
    ways = [way_of(w, context) for w in place.direction.split() if w in _DIRECTIONS]
    if table is None or not ways or place.landmarks:
        return False
    dx, dy = (thing.position[i] - table.position[i] for i in (0, 1))
    return all(dx * x + dy * y > by_m for x, y in ways)


def spot(thing: SceneObject, place: Place, landmarks: Sequence[SceneObject], context: Discourse
         ) -> Point:
    """The point (m) that a place means for a thing. Raises Unclear."""
    _check_axis(place, context)
    if place.relation is Relation.ASIDE:
        if not place.sure and place.distance_m is None:
            raise which(f'where is that? Say "10 cm to the {place.direction}", or "on the '
                        f'{place.direction} side of the table"')
        return _stepped(thing, way_of(place.direction, context), place, context,
                        f'{place.direction} of where {thing.name} is')
    if place.relation is Relation.ZONE and landmarks:  # on its other side
        x, y = (2 * landmarks[0].position[i] - thing.position[i] for i in (0, 1))
        return _nearest(thing, (x, y), context)
    if place.relation is Relation.ZONE:
        return _zone(thing, place, context)
    if place.relation is Relation.HALFWAY:
        return _midpoint(thing, landmarks, context)
    if place.relation in (Relation.TOWARDS, Relation.APART_FROM):
        return _step(thing, place, landmarks[0], context)
    raise cannot(f'where should {thing.name} go? Say in, on or next to what')


def _check_axis(place: Place, context: Discourse) -> None:
    """Raises Unclear for "on the right side (positive y)"."""
    ways = [way_of(w, context) for w in place.direction.split() if w in _DIRECTIONS]
    sign, _, axis = place.axis.partition(' ')
    if axis and not any(way['xy'.index(axis)] * float(sign) > 0 for way in ways):
        raise which(f'which one is meant: {place.direction!r}, or {"+" if sign == "1" else "-"}'
                    f'{axis}?')


def _step(thing: SceneObject, place: Place, landmark: SceneObject, context: Discourse) -> Point:
    """The point (m) nearer to a landmark, or further from it."""
    dx, dy = (landmark.position[i] - thing.position[i] for i in (0, 1))
    far = math.hypot(dx, dy)
    if far < 0.01:
        raise cannot(f'which way? {thing.name} is at {landmark.name}')
    if place.relation is Relation.APART_FROM:
        return _stepped(thing, (-dx / far, -dy / far), place, context,
                        f'from {thing.name} away from {landmark.name}')
    room = far - (footprint(thing) + footprint(landmark) + NEAR_M / 2 if place.distance_m is None
                  else _least_m(thing, landmark, math.atan2(dy, dx)))
    if room < (place.distance_m or 0.02):
        raise cannot(f'{thing.name} can come {max(0.0, room):.2f} m closer to {landmark.name}, '
                     'not more: the fingers need room')
    return _stepped(thing, (dx / far, dy / far), place, context,
                    f'from {thing.name} towards {landmark.name}', room)


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
    return next((at for at in inside if all(math.dist(at, o.position[:2]) >= _least_m(
        thing, o, math.atan2(o.position[1] - at[1], o.position[0] - at[0])) for o in others)),
        inside[0])


def _least_m(thing: SceneObject, other: SceneObject, yaw: float) -> float:
    """How close (m) their centres may come in a direction, so that the fingers have room."""
    return half_extent_along(thing, yaw) + half_extent_along(other, yaw) + SPACING_M


def _zone(thing: SceneObject, place: Place, context: Discourse) -> Point:
    """The free point (m) that is most in that part of the table."""
    *sides, noun = place.direction.rstrip('s').split()
    x, y = thing.position[:2]
    middle = table_of(context.scene).position
    if 'other' in sides or noun == 'middle':
        to = (x, 2 * middle[1] - y) if 'other' in sides else (middle[0], middle[1])
        return _nearest(thing, to, context)
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


def nearest_spot(thing: SceneObject, context: Discourse) -> Point:
    """The free point (m) nearest to the thing where the arm puts things down."""
    return _best(thing, lambda at: -math.dist(at, thing.position[:2]), context, 'its place')


def _nearest(thing: SceneObject, to: Point, context: Discourse) -> Point:
    return _best(thing, lambda at: -math.dist(at, to), context, f'({to[0]:.2f}, {to[1]:.2f})', to)


def _best(thing: SceneObject, merit: Callable[[Point], float], context: Discourse, said: str,
          *first: Point) -> Point:
    """The free point with the most merit. Raises Unclear if there is none."""
    table_of(context.scene)
    points = sorted((*first, *grid(context.scene.hand)), key=merit, reverse=True)
    for at in free_places(thing, context.scene, points):
        return round(at[0], 4), round(at[1], 4)
    raise Unclear(Reason.TARGET_OCCUPIED, f'there is no room at {said}')
