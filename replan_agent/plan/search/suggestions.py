"""Suggested plans from the orders of a task: goals in words, not how to reach them."""

from __future__ import annotations

from collections.abc import Sequence

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.orders import Order
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan

from .actions import RELEASE

_WORDS = {
    Predicate.IN: 'Get the {object} into the {target}',
    Predicate.ON: 'Get the {object} onto the {target}',
    Predicate.STACKED: 'Build a stack: the {object} on the {target}',
    Predicate.AT: 'Bring the {object} to where the task wants it',
    Predicate.HOLDING: 'Have the {object} in the gripper',
    Predicate.HOME: 'Bring the arm home',
}


def suggested_plan_for(orders: Sequence[Order]) -> SuggestedPlan | None:
    """The goals of the orders, in order; None if the scene can show none of them."""
    goals = [goal for order in orders for goal in _suggested(order)]
    return SuggestedPlan(tuple(goals)) if any(g.goal for g in goals) else None


def _suggested(order: Order) -> list[SuggestedGoal]:
    if order.movement is not None and order.movement.kind is EffectKind.RELEASE:
        return [SuggestedGoal(RELEASE.description)]
    return [SuggestedGoal(describe_goal(goal), goal) for goal in order.goals]


def describe_goal(goal: Goal) -> str:
    """What a goal asks for, without saying how."""
    simple = goal.object is not None or goal.predicate is Predicate.HOME
    if goal.predicate not in _WORDS or goal.negated or not simple or goal.targets:
        return f'Reach {goal}'
    return _WORDS[goal.predicate].format(object=goal.object, target=goal.target)
