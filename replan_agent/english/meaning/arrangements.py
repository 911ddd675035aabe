# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Points on the table that words mean: to the left, in the corner, a row, groups, the bin."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from replan_agent.domain.cause import Cause
from replan_agent.domain.kinds import name_words
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.domain.skill_effect import DIRECTIONS
from replan_agent.geometry.outlines import gap_m, parts
from replan_agent.geometry.relations import NEAR_M
from replan_agent.geometry.room import free_place
from replan_agent.geometry.room.free_place import Point
from replan_agent.geometry.steps.forecast import would_fall
from replan_agent.geometry.support import footprint
from replan_agent.geometry.towers import height, volume

from ..dictionary import fits, is_named
from ..phrases import Place, Relation
from .said_before import Discourse, cannot, missing, which

STEPS_M = (0.10, 0.08, 0.12, 0.06, 0.15)  # "to the left": the others if something stands there
_WAYS = {**DIRECTIONS, 'away': (1.0, 0.0), 'closer': (-1.0, 0.0), 'near': (-1.0, 0.0),
        'far': (1.0, 0.0)}


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
    why = would_fall(None, point, table_of(scene))
    if why:
        raise Unclear(Reason.WORKSPACE_VIOLATION, why, cause=Cause.WOULD_NOT_STAY)
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


# Spots

def way_of(word: str, context: Discourse) -> Point:
    """The direction (x, y) of a word, as the one who looks means it."""
    x, y = _WAYS[word]
    turned = context.viewpoint == 'person' and word not in ('away', 'closer')  # from the robot
    return (-x, -y) if turned else (x, y)


def _ways(place: Place, context: Discourse) -> list[Point]:
    return [way_of(w, context) for w in place.direction.split() if w in _WAYS]


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
    if place.relation is not Relation.HALFWAY:
        raise cannot(f'where should {thing.name} go? Say in, on or next to what')
    one, other = landmarks
    x, y = (round((one.position[i] + other.position[i]) / 2, 4) for i in (0, 1))
    ends = replace(context.scene, objects=(table_of(context.scene), one, other))
    if not free_place.is_free(thing, (x, y), ends):
        raise Unclear(Reason.TARGET_OCCUPIED, f'{thing.name} has no room between {one.name} and '
                      f'{other.name}')
    return x, y


def _stepped(thing: SceneObject, place: Place, landmarks: Sequence[SceneObject],
             context: Discourse) -> Point:
    """A step in a direction, or on the line to a landmark: as far as said, or one of STEPS_M."""
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
            room = far - footprint(thing) - footprint(other) - NEAR_M / 2 if asked is None else (
                gap_m(parts(thing), parts(other)) - free_place.SPACING_M)
        if room < (asked or 0.02):
            raise cannot(f'{thing.name} can come {max(0.0, room):.2f} m closer to {other.name}, '
                         'not more: the fingers need room')
    x, y, _ = thing.position
    found = [(round(x + way[0] * far, 4), round(y + way[1] * far, 4)) for far in dict.fromkeys(
        min(length, room) for length in ((asked,) if asked else STEPS_M))]
    inside = [at for at in found if free_place.stands_on(thing, table_of(context.scene), at)]
    if not inside:
        raise Unclear(Reason.WORKSPACE_VIOLATION, f'{thing.name} would not be on the table at '
                      f'({found[0][0]:.2f}, {found[0][1]:.2f})', cause=Cause.WOULD_NOT_STAY)
    return next((at for at in inside if free_place.is_free(thing, at, context.scene)), inside[0])


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
    points = sorted((*first, *free_place.grid(context.scene.hand)), key=merit, reverse=True)
    for at in free_place.free_places(thing, context.scene, points):
        return round(at[0], 4), round(at[1], 4)
    raise Unclear(Reason.TARGET_OCCUPIED, f'there is no room at {said}')
