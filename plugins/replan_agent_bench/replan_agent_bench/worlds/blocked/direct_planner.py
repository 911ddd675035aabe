# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planner that names only the steps which the goals say: it moves nothing out of the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanRequest, Step
from replan_agent.domain.skill import skill_that
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.geometry.judging import judge


def direct_planner(goals: Sequence[Goal]) -> Callable[[PlanRequest, Context], list[Step]]:
    """A planner with a take and a placement for each goal that is not met, in their order."""
    def plan(request: PlanRequest, ctx: Context) -> list[Step]:
        held = request.scene.held
        steps: list[Step] = []
        for goal in goals:
            if judge(goal, request.scene) is True:
                continue
            take = skill_that(request.skills, EffectKind.TAKE)
            if take is not None and goal.object != held:
                steps.append(Step(len(steps) + 1, take.name,
                                  take.effect.arguments(object=goal.object)))
            steps += _placement(goal, request, len(steps) + 1)
            held = None
        return steps
    return plan


def _placement(goal: Goal, request: PlanRequest, number: int) -> list[Step]:
    if goal.predicate is Predicate.HOLDING:
        return []
    if goal.position is not None:
        put = skill_that(request.skills, EffectKind.PUT_AT)
        roles: dict[str, object] = {'x': goal.position[0], 'y': goal.position[1]}
    else:
        target = request.scene.get(goal.target or '')
        put = skill_that(request.skills, EffectKind.PUT_ON, target=target)
        roles = {'target': goal.target}
    return [] if put is None else [Step(number, put.name, put.effect.arguments(**roles))]
