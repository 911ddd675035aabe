# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A task that goes on: the goals in force, and what is seen of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .goal import SUPPORTED, Goal, Predicate
from .hand import may_hold
from .orders import final_goals, orders_for
from .plan import PlanRequest
from .reading import Reading, inventory, told_not_seen
from .refusals import Unclear
from .scene import Scene, Shape
from .skill import Reason, SkillSpec, find_spec

_LET_GO = ''


def is_decided(request: PlanRequest, reading: Reading, has_condition: bool) -> bool:
    """Whether the goals in force say all that is left: they were read from the task earlier.

    A condition was judged then. What was done since may have changed it: "if the bowl is empty".
    """
    if not (request.goals and request.completed and (request.goals_certain or has_condition)):
        return False
    if reading.refusal is not None:
        return not reading.stops_to_look
    finals = final_goals(reading.orders, request.scene)
    return all(o.movement is None and set(o.goals) <= set(finals) for o in reading.orders)


def use_goals_in_force(request: PlanRequest, reading: Reading, in_part: bool) -> Reading:
    """The goals in force as the orders of the task; `in_part`: those about what is seen now."""
    orders = orders_for(request.goals)
    reading = replace(reading, refusal=None, orders=orders, done=(False,) * len(orders))
    gone = {g.object: g.object for g in request.goals
            if g.predicate not in (Predicate.HOME, Predicate.HOLDING)
            and g.object is not None and g.object not in request.scene.names()}
    return begin_with_what_is_seen(reading, gone, request.scene) if in_part and gone else reading


def begin_with_what_is_seen(reading: Reading, gone: Mapping[str, str], scene: Scene) -> Reading:
    """The reading without the things that are not seen (their names, and the words for them).

    The refusal names them. `not_seen` stays empty if the others should not be moved before them.
    """
    goals = [goal for order in reading.orders for goal in order.goals]
    kept = set(_goals_to_begin_with(goals, gone, scene))
    left = [(replace(order, goals=own), done) for order, done in zip(reading.orders, reading.done)
            if (own := tuple(g for g in order.goals if g in kept))]
    said = tuple(gone.values())
    return replace(reading, not_seen=said if kept else (), orders=tuple(o for o, _ in left),
                   done=tuple(done for _, done in left),
                   refusal=Unclear(
                       Reason.OBJECT_NOT_FOUND, f'{told_not_seen(said)}; {inventory(scene)}',
                       not_seen=said[0]))


def _goals_to_begin_with(goals: Sequence[Goal], gone: Collection[str], scene: Scene
                        ) -> tuple[Goal, ...]:
    """The goals about other things than those; none if some goals may depend on each other.

    What moves is needed by no other goal, and what is gone needs no place that a seen thing takes.
    """
    known = {o.name: o for o in scene.objects}
    moved = {goal.object for goal in goals}
    plain = all(g.predicate in SUPPORTED and not g.negated and g.object and g.target in known
                and g.target not in moved for g in goals)
    seen = tuple(goal for goal in goals if goal.object not in gone)
    shared = {g.target or '' for g in goals if g.object in gone} & {g.target for g in seen}
    return seen if plain and all(known[name].is_container or known[name].shape is Shape.TABLE
                                 for name in shared) else ()


def may_hold_unseen(request: PlanRequest) -> bool:
    """Whether there may be something in the hand that the scene does not show.

    Pads that are neither open nor closed may hold it, unless the last thing that they did in this
    task was to let go, and each thing that they tried to take is seen.
    """
    scene = request.scene
    width = scene.arm.gripper_width if scene.arm is not None else None
    widest_m = scene.hand.max_width_m if scene.hand is not None else math.inf
    if scene.held or width is not None and not may_hold(width, widest_m):
        return False
    tried = [_taken(a.skill, a.args, request.skills) for a in request.prior_attempts]
    done = [_taken(d.step.skill, d.step.args, request.skills) for d in request.completed]
    in_doubt = [*filter(None, tried), *[name for name in done if name is not None][-1:]]
    return not in_doubt or not set(in_doubt) <= {_LET_GO, *scene.names()}


def _taken(skill: str, args: Mapping[str, Any], skills: Sequence[SkillSpec]) -> str | None:
    """What such a step takes in the hand; _LET_GO if it lets go; None if it does neither."""
    spec = find_spec(skills, skill)
    if spec is None or not spec.effect.changes_hand:
        return None
    return spec.effect.name('object', args) if spec.effect.takes else _LET_GO
