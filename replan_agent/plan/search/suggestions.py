# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Suggested plans from the orders of a task: goals in words, not how to reach them."""

from __future__ import annotations

from collections.abc import Sequence

from replan_agent.domain.goal import Goal
from replan_agent.domain.orders import Order
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan
from replan_agent.geometry.goal_words import goals_in_words, spoken

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
