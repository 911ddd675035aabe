"""Whether a goal that a model names is another reading of the task's words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from replan_agent.domain.goal import DIRECTED, SUPPORTED, Goal, Predicate, judge
from replan_agent.domain.relations import SIDES, side
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill_effect import DIRECTIONS

from .mentions import fitting_names

# Guesses about how far, and whose left it is. The rest of such a goal is certain.
SPATIAL = frozenset({*SIDES, *DIRECTIONS, Predicate.NEAR.value, 'closer'})
PLACES = DIRECTED | {Predicate.AT, Predicate.NEAR, Predicate.BETWEEN}
SAME_DIRECTION = math.cos(math.radians(45))


def is_other_reading(named: Sequence[Goal], words: Sequence[Goal], guesses: Sequence[str],
                     scene: Scene) -> bool:
    """Whether `named` differs from the goals in the words only where the words are open.

    `guesses` are the choices that the words leave: "a cube", or "left" without a distance. Any
    other text is a convention such as tidying up, where a model may mean something else.
    """
    choices: set[str] = set()
    for guess in guesses:
        if guess in SPATIAL:
            continue
        fitting = fitting_names(guess, scene)
        if not fitting:
            return True
        choices |= set(fitting)
    goals = [part for goal in words for part in (goal.named(scene) or (goal,))]
    wanted = [part for goal in named for part in (goal.named(scene) or (goal,))]

    def agrees(one: Goal, other: Goal) -> bool:
        return _has_same_object(one, other, choices) and _is_same_kind(one, other, scene)

    return (all(any(agrees(word, goal) for goal in wanted) for word in goals)
            and all(any(agrees(word, goal) for word in goals) for goal in wanted))


def _has_same_object(word: Goal, goal: Goal, choices: set[str]) -> bool:
    return word.object == goal.object or {word.object, goal.object} <= choices


def _is_same_kind(word: Goal, goal: Goal, scene: Scene) -> bool:
    if word.negated != goal.negated:
        return False
    if word.predicate in SUPPORTED:
        return goal.predicate in SUPPORTED and word.target == goal.target
    if word.predicate is Predicate.AT:
        return goal.predicate in PLACES and _leads_the_same_way(word, goal, scene)
    if word.predicate in DIRECTED and goal.predicate in DIRECTED:
        return word.target == goal.target and (word.predicate is goal.predicate or side(
            word.predicate.value, word.viewpoint) == side(goal.predicate.value, goal.viewpoint))
    if word.predicate in PLACES and goal.predicate is Predicate.AT:
        return judge(word, _imagined(goal, scene)) is True
    return word.predicate is goal.predicate and word.target == goal.target


def _leads_the_same_way(word: Goal, goal: Goal, scene: Scene) -> bool:
    """Whether two places of an object are in the same direction from where it is now."""
    thing = scene.get(goal.object or '')
    if thing is None or word.position is None or goal.position is None:
        return goal.position is None
    x, y, _ = thing.position
    (ax, ay), (bx, by) = ((p[0] - x, p[1] - y) for p in (word.position, goal.position))
    lengths = math.hypot(ax, ay) * math.hypot(bx, by)
    return lengths == 0 or (ax * bx + ay * by) / lengths >= SAME_DIRECTION


def _imagined(goal: Goal, scene: Scene) -> Scene:
    """The scene with the object at the place that the goal names."""
    x, y = goal.position or (0.0, 0.0)
    return replace(scene, held=None, objects=tuple(
        replace(o, pose=replace(o.pose, position=(x, y, o.position[2])))
        if o.name == goal.object else o for o in scene.objects))
