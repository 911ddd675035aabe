"""Plans that the agent makes itself around a step: checked, rehearsed and approved like any."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.plan import Adaptation, Plan, PlanCause, Step

from .approval import approve
from .episode import Edited, Episode
from .rehearse import is_rehearsed
from .validity import listed, problems_with
from .wishes import edited_steps


def own_plan(ep: Episode, steps: tuple[Step, ...], cause: PlanCause, planner: str,
             reason: str) -> Plan:
    """The steps as a plan to check and approve. It belongs to the version that is running."""
    return Plan(ep.plan_version, ep.task, ep.capped(steps), ep.goals, cause,
                ep.planned.parent if ep.planned else None, ep.current_scene.scene_id, planner,
                reason)


def flaw(ep: Episode, plan: Plan, index: int, later: tuple[Step, ...] = ()) -> str:
    """What the check or the rehearsal finds wrong with the plan; empty if nothing.

    `index` is that of the step of the running plan to which these steps belong. The `later` steps,
    which should follow, are rehearsed with them.
    """
    problems = problems_with(ep, plan)
    if problems:
        return listed(problems)
    whole = replace(plan, steps=(*plan.steps, *ep.capped(later)))
    return '' if is_rehearsed(ep, whole, index) else ep.attempts[-1].reason_detail


def agreed(ep: Episode, plan: Plan, index: int, later: tuple[Step, ...] = (),
           ) -> tuple[Plan, str]:
    """The plan as it is approved, perhaps slower, and why it may not run; empty if it may.

    Raises Ended if it is denied, Edited if a person wants something else than these steps.
    """
    while True:
        found = flaw(ep, plan, index, later)
        if found:
            return plan, found
        ep.adapt_plan(Adaptation(index, plan.steps, plan.cause, plan.reason), plan.steps)
        try:
            approve(ep, plan)
            return plan, ''
        except Edited as edited:
            steps = edited_steps(plan.steps, edited.wish, ep.capped)
            if steps is None or len(steps) < len(plan.steps):
                raise
            plan = replace(plan, steps=steps)
