"""Plans that the agent makes itself around a step: checked, rehearsed and approved like any."""

from __future__ import annotations

from replan_agent.domain.plan import Adaptation, Plan, PlanCause, Step

from .approval import approve
from .episode import Episode
from .rehearse import is_rehearsed
from .validity import listed, problems_with


def own_plan(ep: Episode, steps: tuple[Step, ...], cause: PlanCause, planner: str,
             reason: str) -> Plan:
    """The steps as a plan to check and approve. It belongs to the version that is running."""
    return Plan(ep.plan_version, ep.task, steps, ep.goals, cause,
                ep.planned.parent if ep.planned else None, ep.current_scene.scene_id, planner,
                reason)


def flaw(ep: Episode, plan: Plan, index: int) -> str:
    """What the check or the rehearsal finds wrong with the plan; empty if nothing.

    `index` is that of the step of the running plan to which these steps belong.
    """
    problems = problems_with(ep, plan)
    if problems:
        return listed(problems)
    return '' if is_rehearsed(ep, plan, index) else ep.attempts[-1].reason_detail


def objection(ep: Episode, plan: Plan, index: int) -> str:
    """Why the plan may not run; empty if it may. Raises Ended if it is denied."""
    found = flaw(ep, plan, index)
    if not found:
        ep.adapt_plan(Adaptation(index, plan.steps, plan.cause, plan.reason), plan.steps)
        approve(ep, plan)
    return found
