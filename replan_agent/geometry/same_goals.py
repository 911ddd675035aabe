# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals that mean the same in a scene, however they are written."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from replan_agent.domain.goal import DIRECTED, SUPPORTED, Goal, Predicate
from replan_agent.domain.scene import Scene
from replan_agent.domain.things import Quantity, Things


def meanings(goals: Iterable[Goal], scene: Scene, digits: int = 2) -> frozenset[Goal]:
    """The goals in a form where those that are judged the same way in the scene are equal.

    Positions count to so many digits (m).
    """
    return frozenset(part for goal in goals for part in _parts(goal, scene, digits))


def _parts(goal: Goal, scene: Scene, digits: int) -> Iterable[Goal]:
    predicate, target = goal.predicate, scene.get(goal.target or '')
    if predicate in SUPPORTED and target is not None:
        predicate = Predicate.IN if target.is_container else Predicate.ON
    goal = replace(
        goal, predicate=predicate,
        viewpoint=(goal.viewpoint or 'arm') if predicate in DIRECTED else '',
        position=goal.position and (round(goal.position[0], digits) + 0.0,
                                    round(goal.position[1], digits) + 0.0),
        degrees=None if goal.degrees is None else round(
            math.remainder(round(goal.degrees, 1), 360.0), 1) % 360.0,
        distance=None if goal.distance is None else round(goal.distance, 4),
        targets=goal.targets and _named(goal.targets, goal.targets.names(scene)))
    if goal.things is None:
        return [goal]
    each = goal.named(scene)
    if goal.is_for_each:
        return each
    if goal.things.quantity is Quantity.ALL and len(each) == 1 and goal.targets is None:
        return [replace(each[0], negated=goal.negated)]
    return [replace(goal, things=_named(goal.things, [part.object or '' for part in each]))]


def _named(things: Things, names: Iterable[str]) -> Things:
    return Things(things.quantity, things.count, named=tuple(sorted(names)))
