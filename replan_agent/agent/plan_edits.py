"""Changes that a person wants in a plan and that the agent can make itself."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.plan import Plan, PlanCause
from replan_agent.domain.task_result import FinalReason

from .episode import Edited, Ended, Episode
from .planning import refuse
from .validity import listed, problems_with
from .wishes import edited_steps


def plan_as_wished(ep: Episode, edited: Edited) -> Plan | None:
    """The plan with the person's change, to be approved; None if the planner must make it.

    Ends the task if the planner has made the same plan again, although it knew the wish.
    """
    calls = edited.plan.calls
    steps = edited_steps(edited.plan.steps, edited.wish, ep.capped)
    if steps is not None:
        plan = ep.next_plan(steps, edited.plan.goals, PlanCause.HUMAN,
                            f'a person said: {edited.wish}')
        ep.record(events.PlanMade(plan, 0.0))
        problems = problems_with(ep, plan)
        if not problems:
            return plan
        refuse(ep, problems[0].reason.value, listed(problems))
    if calls in ep.asked_to_change:
        why = f'; {ep.last_failure()}' if ep.attempts else ''
        raise Ended(FinalReason.APPROVAL_DENIED, f'a person said {edited.wish!r}, and the planner '
                                                 f'made the same plan again{why}')
    ep.asked_to_change.add(calls)
    return None
