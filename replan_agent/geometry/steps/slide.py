# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Straight slides over a table: where they end, what they push along, and what can slide."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from replan_agent.domain.pose import inward
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import EffectKind

from ..judging import carried_by, load, may_touch_below, support_below
from ..outlines import extents_m, gap_m, parts, placed
from ..room.free_place import stands_on
from ..support import footprint, half_extent_along, is_upright, may_be_near

TOWARDS_GAP_M = 0.01  # a slide towards an object ends this far before it
GRAZE_M = 0.002  # things whose sides overlap by less than this pass each other
SLIDE_EDGE_M = 0.03  # from the table's edge: a slide ends less exactly than a put-down
BESIDE_M = 0.005  # between an object that slides and one that it passes
TOUCHING_M = 0.001
ALONG = 0.966  # cosine of 15 degrees
TIPS = 2.0  # what is this many times as high as wide falls over when it is pushed


@dataclass(frozen=True)
class Slide:
    """`thing`, where it is before the slide; its direction (x, y, length 1) and distance (m)."""

    thing: SceneObject
    direction: tuple[float, float]
    distance_m: float

    @property
    def moved(self) -> SceneObject:
        """The thing after the slide."""
        return _moved(self.thing, self.direction, self.distance_m)

    def ends(self, others: Iterable[SceneObject]) -> list[SceneObject]:
        """The thing and what it pushes along, where the slide leaves them."""
        return [self.moved, *self.pushed_along(others)]

    def pushed_along(self, others: Iterable[SceneObject]) -> list[SceneObject]:
        """Those of the others that the slide meets, where it leaves them.

        What is met pushes what stands behind it. Things that are fixed stop the slide instead.
        What lies on or in the thing, or leans against its side, is not met.
        """
        yaw = math.atan2(self.direction[1], self.direction[0])
        ahead = [o for o in others if o.movable and o.name != self.thing.name
                 and _along(o, yaw) > _along(self.thing, yaw)
                 and _front(self.thing, yaw) - _rear(o, yaw) <= max(
                     0.0, _sideways(self.thing, o, yaw))]
        moving = [self.moved]
        for other in sorted(ahead, key=lambda o: _rear(o, yaw)):
            far = max((_front(m, yaw) - _rear(other, yaw) for m in moving
                       if _sideways(m, other, yaw) > GRAZE_M  # they overlap along the slide,
                       and other.top_z > m.bottom_z and other.bottom_z < m.top_z), default=0.0)
            if far > 0 and not may_touch_below(other, self.thing):
                moving.append(_moved(other, self.direction, far))
        return moving[1:]


def slide_in(scene: Scene, spec: SkillSpec, args: Mapping[str, Any]) -> Slide | None:
    """The slide that a call of the skill makes in the scene; None if it makes none."""
    thing = scene.get(spec.effect.name('object', args) or '')
    target = scene.get(spec.effect.name('target', args) or '')
    return slide_of(spec, args, thing, target) if thing is not None else None


def slide_of(spec: SkillSpec, args: Mapping[str, Any], thing: SceneObject,
             target: SceneObject | None) -> Slide | None:
    """The slide of `thing` that a call of the skill makes; None if it makes none."""
    effect = spec.effect
    heading, asked = effect.heading(args), effect.value('distance', args)
    if not effect.slides:
        return None
    if not isinstance(asked, (int, float)):
        asked = None
    if heading is None and target is not None:
        whole = towards(thing, target)
        far = whole.distance_m if asked is None else min(asked, whole.distance_m)
        return replace(whole, distance_m=max(0.0, far))
    if heading is None and effect.kind is not EffectKind.BRING_CLOSER:
        return None
    x, y = heading or inward(thing.position)
    if asked is None:
        asked = spec.argument_schema(effect.distance).get('default', 0.0)
    return Slide(thing, (float(x), float(y)), float(asked))


def towards(thing: SceneObject, target: SceneObject) -> Slide:
    """The slide of `thing` up to the target. Its distance is 0 or less if it is there already."""
    gap = [b - a for a, b in zip(thing.position[:2], target.position[:2])]
    away = max(math.hypot(*gap), 1e-9)
    yaw = math.atan2(gap[1], gap[0])
    room = (away - half_extent_along(thing, yaw) - half_extent_along(target, yaw + math.pi)
            - TOWARDS_GAP_M)
    return Slide(thing, (gap[0] / away, gap[1] / away), room)


def row_objection(slide: Slide, scene: Scene, zones: Sequence[SceneObject] = ()) -> str:
    """Why the slide cannot push what it meets along, in a sentence; '' if it can.

    `zones` are areas that nothing may enter.
    """
    ends = slide.ends(scene.movable())
    row = [slide.thing, *(o for end in ends[1:] if (o := scene.get(end.name)) is not None)]
    stuck = next((o for o in row if not can_be_pushed(o, scene, slide.direction)), None)
    if stuck is not None:
        return f'{stuck.name} does not slide: it would roll or fall over, or is not free'
    low = [zone for zone in zones if zone.bottom_z < max(o.top_z for o in row)]
    others = replace(scene, objects=(*scene.without([o.name for o in row]), *low))
    for start, end in zip(row, ends):
        if not can_slide(others, start, end.position[:2], beside_m=0.0):
            return f'{start.name} would meet something on its way, or the edge of the table'
    return ''


def can_be_pushed(thing: SceneObject, scene: Scene, heading: Sequence[float] = (0.0, 0.0)) -> bool:
    """Whether it slides: it neither rolls nor tips over, carries nothing and is in nothing.

    A rod slides along its axis, and what is tall and thin along a longer side: say the `heading`.
    """
    below = support_below(thing, scene)
    stands = below is not None and below.shape is Shape.TABLE
    along = np.abs(np.asarray(heading) @ thing.pose.rotation[:2]) > ALONG  # which of its sides
    rolls = thing.shape is Shape.SPHERE or (thing.shape is Shape.CYLINDER
                                            and not is_upright(thing) and not along[2])
    wide = max(np.asarray(thing.size)[along], default=min(extents_m(thing)))
    tips = thing.top_z - thing.bottom_z > TIPS * wide
    return stands and not rolls and not tips and (
        thing.is_container or not carried_by(thing, scene))


def can_slide(scene: Scene, thing: SceneObject, to: tuple[float, float],
              beside_m: float = BESIDE_M) -> bool:
    """Whether the object can slide to a point of the table, `beside_m` from all others."""
    x, y, _ = thing.position
    steps = max(1, math.ceil(math.dist((x, y), to) / 0.02))
    way_m = math.dist((x, y), to) + beside_m
    along = {o.name for o in load(thing, scene)}
    others = [o for o in scene.without([thing.name, *along])
              if o.shape is not Shape.TABLE and may_be_near(thing, (x, y), o, way_m)]
    for other in others:  # one that is already close may stay that close
        least, around = min(beside_m, gap_m(parts(thing), parts(other))), footprint(other)
        for k in range(1, steps + 1):
            at = (x + (to[0] - x) * k / steps, y + (to[1] - y) * k / steps)
            if math.dist(at, other.position[:2]) > footprint(thing) + around + beside_m:
                continue
            if gap_m(placed(thing, 0.0, at), parts(other)) < least - TOUCHING_M:
                return False
    table = scene.table
    return table is not None and stands_on(thing, table, to, edge_m=SLIDE_EDGE_M)


def _moved(thing: SceneObject, direction: tuple[float, float], far_m: float) -> SceneObject:
    return replace(thing, pose=thing.pose.moved(direction[0] * far_m, direction[1] * far_m))


def _along(thing: SceneObject, yaw: float) -> float:
    return math.cos(yaw) * thing.position[0] + math.sin(yaw) * thing.position[1]


def _front(thing: SceneObject, yaw: float) -> float:
    return _along(thing, yaw) + half_extent_along(thing, yaw)


def _rear(thing: SceneObject, yaw: float) -> float:
    return _along(thing, yaw) - half_extent_along(thing, yaw + math.pi)


def _sideways(mover: SceneObject, other: SceneObject, yaw: float) -> float:
    """By how much (m) they overlap as seen along the slide."""
    left = yaw + math.pi / 2
    return (min(_front(mover, left), _front(other, left))
            - max(_rear(mover, left), _rear(other, left)))
