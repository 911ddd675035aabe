"""Plans that the agent makes itself around a step: checked, rehearsed and approved like any."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.plan import Plan, PlanCause, Step

from .approval import approve
from .episode import Episode
from .rehearse import is_rehearsed
from .validity import listed, problems_with


def own_plan(ep: Episode, steps: tuple[Step, ...], cause: PlanCause, planner: str,
             reason: str) -> Plan:
    """Record the steps as a new version of the plan."""
    plan = ep.next_plan(steps, (), cause, planner, reason)
    ep.record(events.PlanMade(plan, 0.0))
    return plan


def flaw(ep: Episode, plan: Plan) -> str:
    """What the check or the rehearsal finds wrong with the plan; empty if nothing."""
    problems = problems_with(ep, plan)
    if problems:
        return listed(problems)
    return '' if is_rehearsed(ep, plan) else ep.attempts[-1].reason_detail


def objection(ep: Episode, plan: Plan) -> str:
    """Why the plan may not run; empty if it may. Raises Ended if it is denied."""
    found = flaw(ep, plan)
    if not found:
        approve(ep, plan)
    return found
