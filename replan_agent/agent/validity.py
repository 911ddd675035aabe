"""VALIDATE: every plan is checked before anything moves."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.plan import Plan, PlanProblem

from .episode import Episode


def problems_with(ep: Episode, plan: Plan) -> list[PlanProblem]:
    """Why the plan may not run in the current scene; empty if it may. Problems are recorded."""
    problems = ep.ports.check_plan(plan, ep.current_scene, ep.ports.skills.specs())
    if problems:
        ep.record(events.PlanRefused(plan, tuple(problem.detail for problem in problems)))
    return problems


def listed(problems: list[PlanProblem]) -> str:
    """The problems in one sentence."""
    return '; '.join(problem.detail for problem in problems)
