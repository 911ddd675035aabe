# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What follows from the orders of a task: goals in words to suggest, and what is shut again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.orders import Order, final_goals
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.reading import Reading
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan
from replan_agent.geometry.goal_words import goals_in_words, spoken
from replan_agent.geometry.judging import shut_for

from .actions import RELEASE


def suggested_plan_for(orders: Sequence[Order]) -> SuggestedPlan | None:
    """The goals of the orders, in order; None if the scene can show none of them."""
    goals = [goal for order in orders for goal in _suggested(order)]
    return SuggestedPlan(tuple(goals)) if any(g.goal for g in goals) else None


def _suggested(order: Order) -> list[SuggestedGoal]:
    if order.movement is not None and order.movement.kind is EffectKind.RELEASE:
        return [SuggestedGoal(RELEASE.description)]
    return [SuggestedGoal(describe_goal(goal), goal) for goal in order.goals]


def describe_goal(goal: Goal) -> str:
    """What a goal asks for, without saying how, or where in metres."""
    return goals_in_words([goal]) if goal.position is None else (
        f'{spoken(goal.object)} should be where the task wants it')


def left_as_it_was(reading: Reading, request: PlanRequest) -> Reading:
    """The reading, with a last order that shuts what must be opened for its goals.

    Not what the task says something about, nor what it fills a hand from. What was decided before
    it was opened still counts.
    """
    scene, goals = request.scene, final_goals(reading.orders, request.scene)
    said = {g.object for order in reading.orders for g in order.goals
            if g.predicate is Predicate.IS}
    if any(g.predicate is Predicate.HOLDING for g in goals):
        return reading
    shut = [Goal(Predicate.IS, o.name, state=o.states.now) for goal in goals
            for part in goal.named(scene) if goal.predicate is not Predicate.IS
            for o in shut_for(part.object, part.target, scene) if o.states and o.states.now]
    before = [g for g in request.goals
              if g.predicate is Predicate.IS and scene.get(g.object or '')]
    left = tuple(dict.fromkeys(g for g in (*before, *shut) if g.object not in said))
    if not left:
        return reading
    return replace(reading, orders=(*reading.orders, Order(left, follows=True)),
                   done=(*reading.done, False))
