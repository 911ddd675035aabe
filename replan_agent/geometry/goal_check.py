# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether goals can be judged in a scene at all, and which mean the same in it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from replan_agent.domain.goal import DIRECTED, MEASURED, RELATIONS, SUPPORTED, Goal, Predicate
from replan_agent.domain.scene import Scene
from replan_agent.domain.things import Quantity, Things
from replan_agent.text.shown_text import shown

NEEDED = {**{relation: ('object', 'target') for relation in RELATIONS},
          Predicate.BETWEEN: ('object', 'target', 'second'),
          Predicate.AT: ('object', 'position'), Predicate.TURNED: ('object', 'degrees'),
          Predicate.UPRIGHT: ('object',), Predicate.CLEAR: ('object',),
          Predicate.IS: ('object', 'state')}
INSTEAD = {'object': 'things', 'target': 'targets'}  # a quantity stands in for a name


def goal_problems(goals: Any, scene: Scene) -> Iterator[str]:
    """A sentence for each goal that names no known predicate or object, or lacks something."""
    if not isinstance(goals, (tuple, list)):
        yield f'goals must be a tuple of Goal, not {shown(goals)}'
        return
    for number, goal in enumerate(goals, 1):
        for problem in _problems(goal, scene):
            yield f'goal {number}: {problem}'


def _problems(goal: Any, scene: Scene) -> Iterator[str]:
    if not isinstance(goal, Goal) or not isinstance(goal.predicate, Predicate):
        known = ', '.join(predicate.value for predicate in Predicate)
        yield f'{shown(goal)} is not a Goal with one of the predicates {known}'
        return
    lacking = [part for part in NEEDED.get(goal.predicate, ()) if getattr(goal, part) in (None, '')
               and getattr(goal, INSTEAD.get(part, part)) is None]
    if lacking:
        yield f'{goal.predicate.value} needs {" and ".join(lacking)}'
    for part in ('object', 'target', 'second'):
        name = getattr(goal, part)
        if name is not None and name not in scene.names():
            yield (f'{part} {shown(name)} is not in the scene, which has: '
                   f'{", ".join(scene.names()) or "no objects"}')
    if goal.distance is not None and not (goal.predicate in MEASURED and is_length(goal.distance)):
        yield (f'distance must be a length in metres, for one of '
               f'{", ".join(sorted(p.value for p in MEASURED))}; not {shown(goal.distance)}')
    at: Any = goal.position
    if at is not None and not (isinstance(at, (tuple, list)) and len(at) == 2 and all(
            type(v) in (int, float) and abs(v) < 1e6 and math.isfinite(v) for v in at)):
        yield f'position must be x and y, finite numbers in metres, not {shown(goal.position)}'


def is_length(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < 10


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
