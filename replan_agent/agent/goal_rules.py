# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which goals cannot all hold at the end, and when a goal may switch to a look-alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import SUPPORTED, Goal, Predicate
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.geometry.judging import AT_TOLERANCE_M, is_inside, judge

MAY_OVERLAP_M = 0.015  # then they may stand side by side, near their points
SAME_SIZE = 0.15  # relative
TWICE = frozenset({Predicate.AT, Predicate.IN, Predicate.HOLDING})


def conflict(goals: Iterable[Goal], scene: Scene) -> str:
    """Why two of the goals exclude each other, in a sentence; '' if no two surely do.

    Only goals about one named thing are compared.
    """
    simple = [g for g in goals if g.things is None and g.targets is None]
    for one, other in combinations(simple, 2):
        why = _excludes(one, other, simple, scene)
        if why and not (judge(one, scene) and judge(other, scene)):
            return f'{one} and {other} cannot both be met: {why}'
    return ''


def _excludes(one: Goal, other: Goal, goals: list[Goal], scene: Scene) -> str:
    if one.negated != other.negated:
        return 'one is the opposite of the other' if one == replace(
            other, negated=one.negated) else ''
    if one.negated or one.object is None or other.object is None or one == other:
        return ''
    if one.predicate is Predicate.HOLDING and other.predicate is Predicate.HOLDING:
        return 'the gripper holds one thing at a time'
    if one.object == other.object:
        return _in_two_places(one, other, goals, scene)
    if one.predicate in SUPPORTED and other.predicate in SUPPORTED \
            and (one.object, one.target) == (other.target, other.object):
        return 'neither can be below and above the other'
    if one.predicate is Predicate.AT and other.predicate is Predicate.AT:
        return _in_one_place(one, other, goals, scene)
    return ''


def _in_two_places(one: Goal, other: Goal, goals: list[Goal], scene: Scene) -> str:
    if one.predicate is not other.predicate or one.predicate not in TWICE:
        return ''
    if one.predicate is Predicate.AT and one.position and other.position:
        apart = math.dist(one.position, other.position) > 2 * AT_TOLERANCE_M
        return f'{one.object} can only be in one place' if apart else ''
    boxes = [scene.get(goal.target or '') for goal in (one, other)]
    if one.predicate is not Predicate.IN or None in boxes or one.target == other.target:
        return ''
    a, b = (box for box in boxes if box is not None)
    nested = is_inside(a, b) or is_inside(b, a) or any(
        {g.object, g.target} == {a.name, b.name} for g in goals)
    return '' if nested else f'{one.object} can only be in one of them'


def _in_one_place(one: Goal, other: Goal, goals: list[Goal], scene: Scene) -> str:
    """Whether two things are to stand at one place, and neither may be in or on the other."""
    a, b = scene.get(one.object or ''), scene.get(other.object or '')
    if a is None or b is None or one.position is None or other.position is None:
        return ''
    if a.is_container or b.is_container or a.pieces or b.pieces:
        return ''
    if _stands_on(a.name, b.name, goals) or _stands_on(b.name, a.name, goals):
        return ''
    inside_m = (min(a.size[:2]) + min(b.size[:2])) / 2  # of both, seen from above, however turned
    overlap_m = inside_m - math.dist(one.position, other.position)
    return 'there is room for one of them at that place' if overlap_m > MAY_OVERLAP_M else ''


def _stands_on(thing: str, below: str, goals: list[Goal]) -> bool:
    """Whether goals put one thing on another, perhaps with others between."""
    on = {g.object: g.target for g in goals if g.predicate in SUPPORTED and not g.negated}
    seen: set[str | None] = set()
    at: str | None = thing
    while at in on and at not in seen:
        seen.add(at)
        at = on[at]
        if at == below:
            return True
    return False


def is_look_alike(one: SceneObject, other: SceneObject) -> bool:
    """Whether the two look the same: same shape, same colour, about the same size."""
    sizes = zip(sorted(one.size), sorted(other.size))
    return (one.shape is other.shape and one.colour == other.colour
            and all(abs(a - b) <= SAME_SIZE * max(a, b) for a, b in sizes))


def may_replace(old: Sequence[Goal], new: Sequence[Goal], scene: Scene,
                attempts: Iterable[Attempt]) -> bool:
    """Whether `new` is `old` with impossible objects replaced by their look-alikes.

    Any other change would weaken the goal.
    """
    hopeless = {name for a in attempts if a.diagnosis and a.diagnosis.proved
                for name in a.args.values() if isinstance(name, str)}
    return len(old) == len(new) and all(
        a == b or _swaps(a, b, scene, hopeless) for a, b in zip(old, new))


def _swaps(old: Goal, new: Goal, scene: Scene, hopeless: set[str]) -> bool:
    if replace(new, object=old.object) != old or old.object not in hopeless:
        return False
    before, now = scene.get(old.object or ''), scene.get(new.object or '')
    return before is not None and now is not None and is_look_alike(before, now)
