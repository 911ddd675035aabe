# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is still missing for a goal in a scene: which object should go where."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from replan_agent.domain.goal import SUPPORTED, Goal, Predicate
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.things import Quantity
from replan_agent.geometry.judging import judge, resting_on
from replan_agent.geometry.outlines import gap_m, parts, placed
from replan_agent.geometry.relations import DISTANCE_WITHIN_M, NEAR_M, side
from replan_agent.geometry.room.free_place import SPACING_M, KeepAway, is_free
from replan_agent.geometry.room.hand_room import TURNS, hand_can_put
from replan_agent.geometry.steps.after_step import put_down, turn_to
from replan_agent.geometry.support import footprint, half_extent_along

from .pile import is_exact

MOST_SPOTS = 6
GAPS_M = (0.03, 0.05, 0.08, 0.12, 0.16)
NEAR_GAPS_M = (NEAR_M / 2, 0.05)
LEAST_GAP_M = SPACING_M + 0.001  # the fingers need as much
BEARINGS = 16


@dataclass(frozen=True)
class Want:
    """An object, and where it should go: on or in a target, to a point, or just elsewhere."""

    thing: str
    target: str | None = None
    predicate: Predicate = Predicate.ON
    points: tuple[tuple[float, float], ...] = ()  # the best first; any will do
    why: str = ''
    beside: frozenset[str] = frozenset()  # what the points are relative to


def wants(goal: Goal, scene: Scene, busy: Collection[str | None] = (),
          hopeless: Collection[tuple[str | None, str | None]] = (),
          not_taken: Collection[str | None] = ()) -> list[Want] | None:
    """What a goal that is not met needs; None if no movement of objects can meet it.

    If there is a choice, it is not one of those that are `busy` with another goal, that could not
    be taken, or that have no room on or in that target (`hopeless`).
    """
    if goal.targets is not None:
        return _own_targets(goal, scene)
    if goal.predicate is Predicate.CLEAR and not goal.negated:
        return [Want(o.name) for part in goal.named(scene)
                if (below := scene.get(part.object or '')) for o in resting_on(below, scene)]
    if goal.negated:
        moves = goal.predicate in SUPPORTED and goal.things is None and goal.object
        return [Want(goal.object)] if moves and goal.object else None
    parts = goal.named(scene)
    unmet = [p for p in parts if judge(p, scene) is not True]
    if goal.things is not None and goal.things.quantity is not Quantity.ALL:
        none = not goal.things.count
        met = [p for p in parts if judge(replace(p, negated=none), scene) is (not none)]
        missing = goal.things.count - len(met)
        if missing < 0 or goal.things.quantity is Quantity.AT_MOST:
            met.sort(key=lambda p: p.object in busy)
            return [Want(p.object or '') for p in met[:max(0, -missing)]] or None
        no_room = {p for p in unmet if (p.object, p.target) in hopeless}
        crowded = bool(no_room) and goal.predicate is Predicate.ON  # the smallest have room first
        unmet = sorted(unmet, key=lambda p: (
            p in no_room and not crowded, p.object in busy, p.object in not_taken,
            width_m(p, scene) if crowded else 0.0, _effort(p, scene)))[:missing]
    found = [_want(part, scene) for part in unmet]
    return None if None in found else [w for w in found if w is not None]


def width_m(part: Goal, scene: Scene) -> float:
    """How wide (m) the goal's thing is from above; infinite if it is not seen."""
    thing = scene.get(part.object or '')
    return footprint(thing) if thing is not None else math.inf


def _effort(part: Goal, scene: Scene) -> tuple[int, float]:
    thing = scene.get(part.object or '')
    if thing is None:
        return 99, 0.0
    return len(resting_on(thing, scene)), math.hypot(*thing.position[:2])


def _own_targets(goal: Goal, scene: Scene) -> list[Want] | None:
    """Each object with a target that no other has; those that have one keep it."""
    assert goal.targets is not None
    free = list(goal.targets.names(scene))
    homeless = []
    parts = goal.named(scene)
    if goal.things is not None and goal.things.quantity is not Quantity.ALL:
        parts = parts[:goal.things.count]
    for part in parts:
        own = next((t for t in free if judge(replace(part, target=t, targets=None), scene)), None)
        homeless += [part.object or ''] if own is None else []
        free = [t for t in free if t != own]
    if len(homeless) > len(free):
        return None
    return [Want(name, target, goal.predicate) for name, target in zip(homeless, free)]


def _want(part: Goal, scene: Scene) -> Want | None:
    thing = scene.get(part.object or '')
    if thing is None or not thing.movable:
        return None
    if part.predicate in SUPPORTED:
        return Want(thing.name, part.target, part.predicate)
    if part.predicate is Predicate.AT and part.position is not None:
        return Want(thing.name, points=(part.position,))
    if part.predicate is Predicate.TURNED:
        return _turned_want(part, thing, scene)
    if part.predicate is Predicate.UPRIGHT:
        return None
    points = tuple(itertools.islice(_for_the_hand(part, thing, scene), MOST_SPOTS))
    if not points and is_exact(part):  # what stands there can go aside
        points = tuple(itertools.islice(_spots(part, thing, scene, free=False), 1))
    return Want(thing.name, points=points, why=f', for {part}',
                beside=part.names - {thing.name}) if points else None


def _turned_want(part: Goal, thing: SceneObject, scene: Scene) -> Want | None:
    """Turned where it is, or near there; None if no look can tell how it is turned."""
    if thing.turn_unknown or part.degrees is None:
        return None
    x, y, _ = thing.position
    turn = turn_to(thing, part.degrees)
    around = [(round(x + far * math.cos(k * math.tau / BEARINGS), 3),
               round(y + far * math.sin(k * math.tau / BEARINGS), 3))
              for far in GAPS_M for k in range(BEARINGS)]
    free = (p for p in around if is_free(thing, p, scene, turn))
    return Want(thing.name, points=((x, y), *itertools.islice(free, 2)))


def _for_the_hand(part: Goal, thing: SceneObject, scene: Scene) -> Iterator[tuple[float, float]]:
    """Free points at which the goal would be true: first those where the hand has room too."""
    tight = []
    for at in _spots(part, thing, scene):
        if hand_can_put(thing, at, scene):
            yield at
        else:
            tight.append(at)
    yield from tight


def _spots(part: Goal, thing: SceneObject, scene: Scene, free: bool = True
           ) -> Iterator[tuple[float, float]]:
    """Points (m) at which the goal would be true, the best first. `free`: nothing is there."""
    table = scene.table
    target, second = scene.get(part.target or ''), scene.get(part.second or '')
    if table is None or target is None:
        return
    alone = replace(scene, held=None)
    stay = replace(scene, objects=tuple(  # what the goal is relative to is not moved aside
        o for o in scene.objects if free or o is table or o.name in part.names))
    turns = TURNS[:1] if free else TURNS
    for x, y in _proposed(part, thing, target, second):
        at = (round(x, 3), round(y, 3))
        if any(is_free(thing, at, stay, turn) for turn in turns) and judge(
                part, put_down(alone, thing.name, table.name, at)) is True:
            yield at


def _proposed(part: Goal, thing: SceneObject, target: SceneObject, second: SceneObject | None
              ) -> Iterator[tuple[float, float]]:
    if part.distance is None:
        yield from _around(part, thing, target, second)
    elif (gap := max(part.distance, LEAST_GAP_M)) <= part.distance + DISTANCE_WITHIN_M / 2:
        for at in _around(part, thing, target, second, (gap,)):
            yield _at_gap(gap, thing, target, at)


def _at_gap(gap: float, thing: SceneObject, target: SceneObject, at: tuple[float, float]
            ) -> tuple[float, float]:
    """The point nearer to the target, or further away, where their outlines have that gap."""
    tx, ty, _ = target.position
    for _ in range(3):
        far = math.dist(at, (tx, ty))
        more = 1 + (gap - gap_m(placed(thing, 0.0, at), parts(target))) / far
        at = tx + more * (at[0] - tx), ty + more * (at[1] - ty)
    return at


def _around(part: Goal, thing: SceneObject, target: SceneObject, second: SceneObject | None,
            gaps_m: Sequence[float] = ()) -> Iterator[tuple[float, float]]:
    tx, ty, _ = target.position
    if part.predicate is Predicate.BETWEEN and second is not None:
        sx, sy, _ = second.position
        for share in (0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65):
            yield tx + share * (sx - tx), ty + share * (sy - ty)
        return
    if part.predicate is Predicate.NEAR:
        here = math.atan2(thing.position[1] - ty, thing.position[0] - tx)
        turns = sorted((i * math.tau / BEARINGS for i in range(BEARINGS)),
                       key=lambda a: abs(math.remainder(a, math.tau)))
        for gap, turn in itertools.product(gaps_m or NEAR_GAPS_M, turns):
            yaw = here + turn
            far = half_extent_along(target, yaw) + half_extent_along(thing, yaw + math.pi) + gap
            yield tx + far * math.cos(yaw), ty + far * math.sin(yaw)
        return
    dx, dy = side(part.predicate.value, part.viewpoint)
    yaw = math.atan2(dy, dx)
    room = half_extent_along(thing, yaw) + half_extent_along(target, yaw)
    for gap, slant in itertools.product(gaps_m or GAPS_M, (0.0, 0.3, -0.3, 0.6, -0.6)):
        far = room + gap
        yield tx + far * (dx - slant * dy), ty + far * (dy + slant * dx)


def needed_points(all_wants: Sequence[Want], thing: SceneObject, scene: Scene) -> KeepAway:
    """The points that are needed for other objects, and how far (m) the thing stays from each."""
    return tuple((want.points[0], footprint(other) + footprint(thing) + SPACING_M + 0.005)
                 for want in all_wants
                 if want.points and (other := scene.get(want.thing)) is not None)
