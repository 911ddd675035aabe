# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a goal that a model names is another reading of the task's words."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from replan_agent.domain.goal import DIRECTED, SUPPORTED, Goal, Predicate
from replan_agent.domain.scene import Scene
from replan_agent.geometry.judging import judge
from replan_agent.geometry.relations import side
from replan_agent.geometry.steps.after_step import put_down

PLACES = DIRECTED | {Predicate.AT, Predicate.NEAR, Predicate.BETWEEN}
SAME_DIRECTION = math.cos(math.radians(45))


def is_other_reading(named: Sequence[Goal], words: Sequence[Goal],
                     choices: Collection[str] | None, scene: Scene) -> bool:
    """Whether `named` differs from the goals in the words only where the words are open.

    `choices` are the objects that the words leave to choose from: "a cube". Without them it is
    a convention such as tidying up, where a model may mean something else.
    """
    if choices is None:
        return True
    goals = [part for goal in words for part in (goal.named(scene) or (goal,))]
    wanted = [part for goal in named for part in (goal.named(scene) or (goal,))]

    def agrees(one: Goal, other: Goal) -> bool:
        return _is_same_kind(one, other, scene) and (
            one.object == other.object or {one.object, other.object} <= set(choices))

    return (all(any(agrees(word, goal) for goal in wanted) for word in goals)
            and all(any(agrees(word, goal) for word in goals) for goal in wanted))


def _is_same_kind(word: Goal, goal: Goal, scene: Scene) -> bool:
    if word.negated != goal.negated:
        return False
    if word.predicate in SUPPORTED:
        return goal.predicate in SUPPORTED and word.target == goal.target
    if word.predicate is Predicate.AT:
        return goal.predicate in PLACES and _leads_the_same_way(word, goal, scene)
    if word.predicate in DIRECTED and goal.predicate in DIRECTED:
        return (word.target, word.distance) == (goal.target, goal.distance) and (
            word.predicate is goal.predicate or side(word.predicate.value, word.viewpoint)
            == side(goal.predicate.value, goal.viewpoint))
    if word.predicate in PLACES and goal.predicate is Predicate.AT:
        return judge(word, put_down(scene, goal.object, at=goal.position)) is True
    return (word.predicate, word.target, word.distance) == (
        goal.predicate, goal.target, goal.distance)


def _leads_the_same_way(word: Goal, goal: Goal, scene: Scene) -> bool:
    """Whether two places of an object are in the same direction from where it is now."""
    thing = scene.get(goal.object or '')
    if thing is None or word.position is None or goal.position is None:
        return goal.position is None
    x, y, _ = thing.position
    (ax, ay), (bx, by) = ((p[0] - x, p[1] - y) for p in (word.position, goal.position))
    lengths = math.hypot(ax, ay) * math.hypot(bx, by)
    return lengths == 0 or (ax * bx + ay * by) / lengths >= SAME_DIRECTION
