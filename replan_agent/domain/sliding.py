"""What slides over a table when it is pushed, and how far: alone, or in a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from .goal import is_resting_on, support_below
from .outlines import bears, beyond_m, extents_m, gap_m, parts, placed
from .scene import Scene, SceneObject, Shape
from .slide import Slide
from .support import footprint, is_upright, may_be_near

EDGE_M = 0.03  # stay this far from the table's edge
BESIDE_M = 0.005  # between an object that slides and one that it passes
TOUCHING_M = 0.001
TIPS = 2.0  # what is this many times as high as wide falls over when it is pushed


def row_objection(slide: Slide, scene: Scene, zones: Sequence[SceneObject] = ()) -> str:
    """Why the slide cannot push what it meets along, in a sentence; '' if it can.

    `zones` are areas that nothing may enter.
    """
    ends = slide.ends(scene.movable())
    row = [slide.thing, *(o for end in ends[1:] if (o := scene.get(end.name)) is not None)]
    stuck = next((o for o in row if not can_be_pushed(o, scene)), None)
    if stuck is not None:
        return f'{stuck.name} does not slide: it would roll or fall over, or is not free'
    low = [zone for zone in zones if zone.bottom_z < max(o.top_z for o in row)]
    others = replace(scene, objects=(*scene.without([o.name for o in row]), *low))
    for start, end in zip(row, ends):
        if not can_slide(others, start, end.position[:2], beside_m=0.0):
            return f'{start.name} would meet something on its way, or the edge of the table'
    return ''


def can_be_pushed(thing: SceneObject, scene: Scene) -> bool:
    """Whether it slides: it neither rolls nor tips over, carries nothing and is in nothing."""
    below = support_below(thing, scene)
    on_table = below is not None and below.shape is Shape.TABLE
    rolls = thing.shape is Shape.SPHERE or (thing.shape is Shape.CYLINDER
                                            and not is_upright(thing))
    tips = thing.top_z - thing.bottom_z > TIPS * min(extents_m(thing))
    return on_table and not rolls and not tips and (
        thing.is_container or not resting_on(scene, thing))


def can_slide(scene: Scene, thing: SceneObject, to: tuple[float, float],
              beside_m: float = BESIDE_M) -> bool:
    """Whether the object can slide to a point of the table, `beside_m` from all others."""
    x, y, _ = thing.position
    steps = max(1, math.ceil(math.dist((x, y), to) / 0.02))
    way_m = math.dist((x, y), to) + beside_m
    along = {o.name for o in load(scene, thing)}
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
    return on_table(scene, thing, to)


def on_table(scene: Scene, thing: SceneObject, at: tuple[float, float]) -> bool:
    """Whether all of the object would be on the table, away from its edge."""
    table = scene.table
    return table is not None and beyond_m(placed(thing, 0.0, at), table) <= -EDGE_M


def resting_on(scene: Scene, thing: SceneObject) -> list[SceneObject]:
    """What rests on the object or in it, also with only a part of it."""
    return [o for o in scene.movable() if o.name not in (thing.name, scene.held)
            and may_be_near(thing, thing.position, o, 0.0)
            and (is_resting_on(o, thing) or bears(thing, o))]


def load(scene: Scene, thing: SceneObject) -> list[SceneObject]:
    """What rests on the object, and what rests on that; nothing twice."""
    found: dict[str, SceneObject] = {}
    waiting = [thing]
    while waiting:
        for o in resting_on(scene, waiting.pop()):
            if o.name not in found and o.name != thing.name:
                found[o.name] = o
                waiting.append(o)
    return list(found.values())
