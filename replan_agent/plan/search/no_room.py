# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things that have no place in a container, and what can be done without them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, ReplyKind
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.domain.things import Quantity
from replan_agent.geometry.judging import covers, judge, resting_on
from replan_agent.geometry.outlines import extents_m
from replan_agent.geometry.room.container_room import Room, does_not_fit, no_room_left
from replan_agent.geometry.room.free_place import SPACING_M, free_tops, packed_top
from replan_agent.geometry.room.hand_room import fits_between_pads, too_wide
from replan_agent.geometry.steps.after_step import put_down

from .wants import width_m

PLAIN_SHAPES = (Shape.BOX, Shape.CYLINDER, Shape.SPHERE)  # fingers close across their outline


@dataclass(frozen=True)
class NoRoom:
    """Why a thing has no place in a container, in a sentence."""

    cause: Cause
    why: str
    filled_by: tuple[str, ...] = ()


def can_take_off(thing: SceneObject, scene: Scene) -> bool:
    """Whether the fingers may take the thing off what it lies on."""
    hand = scene.hand
    return thing.movable and (hand is None or fits_between_pads(extents_m(thing)[1], hand))


def covered(container: SceneObject, scene: Scene) -> NoRoom | None:
    """What lies on the container and cannot be taken off, in a sentence."""
    for lid in covers(container, scene):
        if not can_take_off(lid, scene):
            why = too_wide(lid.name, extents_m(lid)[1], scene.hand.max_width_m) if (
                lid.movable and scene.hand) else f'{lid.name} cannot be moved'
            return NoRoom(Cause.TARGET_OCCUPIED, f'{lid.name} covers {container.name}, and {why}',
                          (lid.name,))
    return None


def no_room_for(thing: SceneObject, container: SceneObject, scene: Scene) -> NoRoom:
    """The thing is too large for the container, or the container is full."""
    why = does_not_fit(thing, container)
    if why:
        width, hand = extents_m(thing)[1], scene.hand
        if thing.shape in PLAIN_SHAPES and hand and not fits_between_pads(width, hand):
            return NoRoom(  # a larger container alone does not help
                Cause.TOO_WIDE, f'{why}; and {too_wide(thing.name, width, hand.max_width_m)}')
        return NoRoom(Cause.DOES_NOT_FIT, why)
    return NoRoom(Cause.CONTAINER_FULL, no_room_left(thing, container, scene),
                  Room(container, scene, [thing.name]).names)


def no_top_for(thing: SceneObject, target: SceneObject, scene: Scene) -> NoRoom:
    """All of the target's top is taken, or too near to something that is as high."""
    (w, d, _), (tw, td, _) = ([round(v * 1000) for v in o.size] for o in (thing, target))
    there = ', '.join(o.name for o in resting_on(target, scene)) or 'its neighbours'
    return NoRoom(Cause.NO_FREE_SPOT, f'{thing.name} ({w} x {d} mm) has no room on {target.name} '
                  f'({tw} x {td} mm) beside {there}: {SPACING_M * 1000:.0f} mm around it must be '
                  'free for the fingers')


def one_by_one(goals: Sequence[Goal], scene: Scene) -> list[Goal]:
    """The goals, with one for each thing in place of one for all things."""
    return [part for goal in goals
            for part in (goal.named(scene) if goal.is_for_each else (goal,))]


def no_room_on_top(goals: Sequence[Goal], scene: Scene) -> list[NoRoom]:
    """Why several things that should be on one other thing do not all have room there."""
    found = []
    for target, names in _wanted_on_top(goals, scene).items():
        below, things = scene.get(target), [o for n in names if (o := scene.get(n)) is not None]
        if below is None or below.is_container or below == scene.table or len(things) < 2:
            continue
        fitting = _how_many_fit(things, below, scene)
        if fitting < len(things):
            listed = ', '.join(thing.name for thing in things)
            found.append(NoRoom(Cause.NO_FREE_SPOT, f'{target} has room for {fitting} of these '
                                f'{len(things)}, with space for the fingers: {listed}'))
    return found


def _wanted_on_top(goals: Sequence[Goal], scene: Scene) -> dict[str, list[str]]:
    """What should be on which thing. With a free choice: what is there, then the smallest."""
    together: dict[str, dict[str, None]] = {}
    for goal in goals:
        if goal.predicate is not Predicate.ON or goal.negated or goal.targets is not None:
            continue
        parts = list(goal.named(scene))
        if goal.things is not None and goal.things.quantity is Quantity.AT_MOST:
            continue
        if goal.things is not None and goal.things.quantity is not Quantity.ALL:
            parts.sort(key=lambda part: (judge(part, scene) is not True, width_m(part, scene)))
            parts = parts[:goal.things.count]
        together.setdefault(goal.target or '', {}).update((p.object or '', None) for p in parts)
    return {target: list(names) for target, names in together.items()}


def _how_many_fit(things: Sequence[SceneObject], below: SceneObject, scene: Scene) -> int:
    """How many of the things have room on top of another one, side by side.

    Those that are there may stay where they are, or all are put there as is best.
    """
    there = [o.name for o in resting_on(below, scene)]
    bare = replace(scene, held=None, objects=tuple(
        scene.without([*there, *(thing.name for thing in things)])))
    staying = [thing for thing in things if thing.name in there]
    coming = [thing for thing in things if thing.name not in there]
    most = _how_many_more(things, below, bare)
    if staying and most < len(things):
        now = replace(bare, objects=(*bare.objects, *staying))
        most = max(most, len(staying) + _how_many_more(coming, below, now))
    return most


def _how_many_more(things: Sequence[SceneObject], below: SceneObject, now: Scene) -> int:
    """How many of the things have room on top, one after the other, beside what is there."""
    for number, thing in enumerate(things):
        at = packed_top(thing, below, now)
        if at is None and not resting_on(below, now):
            at = next(free_tops(thing, below, now), None)
        if at is None:
            return number
        now = put_down(replace(now, objects=(*now.objects, thing)), thing.name, below.name, at)
    return len(things)


def nothing_fits(left: Collection[NoRoom], goals: tuple[Goal, ...]) -> PlanReply:
    """The reply if only such things are left: what is full, and what does not fit."""
    full = [each for each in left if each.cause in (Cause.CONTAINER_FULL, Cause.TARGET_OCCUPIED)]
    said = '; '.join(dict.fromkeys(each.why for each in left))
    return PlanReply(
        ReplyKind.EXHAUSTED, goals=goals, detail=f'{said}; no other plan was found',
        reason=Reason.TARGET_OCCUPIED if full else Reason.PRECONDITION_FAILED,
        cause=next(iter(full or left)).cause,
        blockers=tuple(dict.fromkeys(name for each in left for name in each.filled_by)))
