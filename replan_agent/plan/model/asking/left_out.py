# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a plan does not bring about: small models often name two goals and plan for the first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import DIRECTED, Goal, Predicate
from replan_agent.domain.plan import PlanProblem, PlanRequest, Step
from replan_agent.domain.scene import Scene, Shape
from replan_agent.domain.skill import Reason, find_spec, skill_that
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.geometry.judging import judge, resting_on
from replan_agent.geometry.outlines import gap_m
from replan_agent.geometry.outlines import parts as parts_seen
from replan_agent.geometry.steps.forecast import Forecast, forecast
from replan_agent.geometry.support import footprint

from ...search.wants import wants

MAY_TOUCH_OTHERS = (Predicate.CLEAR, Predicate.HOME)
BESIDE = (Predicate.NEAR, Predicate.BETWEEN, *DIRECTED)
MOST_POINTS = 2
IN_THE_WAY_M = 0.06  # what is closer to a thing that is moved, or to its place, may be in the way


def left_out(goals: Iterable[Goal], steps: Sequence[Step], request: PlanRequest
             ) -> list[PlanProblem]:
    """The goals that no step can bring about, because none moves anything that they name.

    A plan that ends with `__replan__` is only a beginning.
    """
    if not steps or steps[-1].is_replan:
        return []
    scene = request.scene
    specs = [(find_spec(request.skills, step.skill), step.args) for step in steps]
    moved = {scene.held, *(spec.moves(args) for spec, args in specs if spec is not None)}
    return [PlanProblem(Reason.BAD_ARGUMENTS, f'the goal {part} is left out: no step moves '
                        f'{part.object}; add the steps for it after the others')
            for part in parts_of(goals, scene)
            if part.object is not None and not part.negated
            and part.predicate not in MAY_TOUCH_OTHERS and judge(part, scene) is not True
            and not moved & part.names]


def not_reached(goals: Iterable[Goal], steps: Sequence[Step], request: PlanRequest,
                by_words: bool) -> list[PlanProblem]:
    """The goals that are not true after the steps, though the steps move what they name.

    `by_words`: the task's words name the goals, so only the steps can be wrong.
    """
    if not steps or steps[-1].is_replan:
        return []
    coming = forecast(steps, request.scene, request.skills)
    scene = coming.expected
    mend = ('the task wants it: correct the steps' if by_words else
            'correct the steps; or, if they are right, name only goals that are true after them')
    return [PlanProblem(Reason.BAD_ARGUMENTS, f'after these steps {part} is not true'
                        f'{_where(part, coming)}; {mend}{"".join(_instead(part, request))}')
            for part in parts_of(goals, request.scene)
            if part.names & set(coming.spots) and _is_missed(part, coming, scene)]


def strays(goals: Sequence[Goal], steps: Sequence[Step], request: PlanRequest,
           left_alone: Iterable[str] = ()) -> list[PlanProblem]:
    """The steps that move what no goal names and what is not in the way of what they name.

    A goal that leaves a choice ("two of the cubes") may mean anything. What the task says to leave
    (`left_alone`) is refused elsewhere, with that reason.
    """
    scene, parts = request.scene, parts_of(goals, request.scene)
    if not parts or any(not goal.is_for_each and goal.things is not None for goal in goals):
        return []
    named = {name for part in parts for name in part.names}
    ends = {name for part in parts
            for name in (part.names if part.predicate in BESIDE else (part.object,))}
    moved = [thing for thing in map(scene.get, filter(None, ends)) if thing is not None]
    blamed = {name for attempt in request.prior_attempts for name in attempt.blockers}
    above = {o.name for below in map(scene.get, named) if below and below.shape is not Shape.TABLE
             for o in resting_on(below, scene)}
    places = [part.position for part in parts if part.position is not None]
    found = []
    for idx, step in enumerate(steps):
        spec = find_spec(request.skills, step.skill)
        thing = scene.get(spec.moves(step.args) or '') if spec is not None else None
        if thing is None or thing.name in {*named, *above, *blamed, *left_alone, scene.held}:
            continue
        near = [gap_m(parts_seen(thing), parts_seen(other)) for other in moved]
        near += [math.dist(thing.position[:2], at[:2]) - footprint(thing) for at in places]
        if all(gap > IN_THE_WAY_M for gap in near):
            found.append(PlanProblem(
                Reason.BAD_ARGUMENTS, f'step {idx + 1} ({step.skill}) moves {thing.name}, which '
                'the task does not name and which is not in the way: leave it where it is', idx,
                Cause.WRONG_OBJECT))
    return found


def parts_of(goals: Iterable[Goal], scene: Scene) -> list[Goal]:
    """The goals for single objects: "all balls" is one for each ball. A choice is left out."""
    return [part for goal in goals if goal.is_for_each or goal.things is None
            for part in goal.named(scene)]


def _is_missed(part: Goal, coming: Forecast, scene: Scene | None) -> bool:
    """Whether the goal is not true at the end. What is not certain is not missed."""
    if part.predicate not in BESIDE or part.negated:
        return coming.judge(part) is False
    spot = coming.spots.get(part.object or '')
    if spot is not None and (spot.held or (spot.target is not None
                                           and spot.target in (part.target, part.second))):
        return True  # what is on or in a thing is not beside it
    return scene is not None and judge(part, scene) is False


def _where(part: Goal, coming: Forecast) -> str:
    """Where the steps leave its object."""
    spot = coming.spots.get(part.object or '')
    if spot is None:
        return ''
    if spot.held:
        return f': {part.object} is still in the gripper'
    return f': they put {part.object} to {spot.target}' if spot.target else ''


def _instead(part: Goal, request: PlanRequest) -> Iterator[str]:
    """A step that would do, for a place that is hard to calculate."""
    spec = skill_that(request.skills, EffectKind.PUT_AT)
    if spec is None or part.predicate not in BESIDE or part.negated:
        return
    for want in wants(part, request.scene) or ():
        calls = [f'{spec.name} {spec.effect.x}={x:g}, {spec.effect.y}={y:g}'
                 for x, y in want.points[:MOST_POINTS]]
        if calls:
            yield f'; free places for {want.thing}: {" or ".join(calls)}'
