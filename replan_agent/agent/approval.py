# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""APPROVE: nothing runs without approval."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain import event as events
from replan_agent.domain.approval_request import Approval, ApprovalRequest, RiskAssessment
from replan_agent.domain.plan import Plan
from replan_agent.domain.port_errors import PartFailed
from replan_agent.domain.task_result import FinalReason
from replan_agent.text.refusal import is_refusal
from replan_agent.text.shown_text import shown

from .episode import Edited, Ended, Episode
from .state.approvals import is_only_slower
from .state.budgets import REPLANS, TOTAL_REPLANS
from .task_progress import State


def approve(ep: Episode, plan: Plan) -> None:
    """End the task if the plan is denied. Approval lasts until something fails.

    A wish that is worded as a refusal is a no. Raises Edited if a person wants it changed, now or
    earlier: such a plan is not offered again.
    """
    if plan.calls in ep.approvals.wishes:
        raise Edited(plan, ep.approvals.wishes[plan.calls])
    ep.enter(State.APPROVING)
    number, latest = len(ep.approvals.decided) + 1, ep.plans.latest
    is_first = latest is not None and plan.steps == latest.steps and all(
        earlier.plan_version != plan.version for earlier in ep.approvals.decided)

    def pending(assessment: RiskAssessment) -> None:
        ep.enter(State.PENDING_APPROVAL)
        ep.record(events.ApprovalPending(plan.version, assessment.risk, assessment.threshold,
                                         (*assessment.reasons, *request.remarks), number, plan))

    request = ApprovalRequest(plan, ep.scene, tuple(ep.failures.attempts), on_pending=pending,
                              skills=ep.specs, number=number, is_first=is_first,
                              ask_person=ep.approvals.denied,
                              understood='' if ep.goals.certain else ep.goals.understood,
                              chance=ep.plans.rehearsed.chance if ep.plans.rehearsed else {})
    answer = ep.ports.approver.approve(request, ep.ctx)
    ep.ctx.check()  # a stop comes before every answer
    if not isinstance(answer, Approval):
        raise PartFailed(f'the approver answered {shown(answer)}, which is no Approval')
    decided = events.ApprovalDecided(plan.version, answer.approved, answer.approver,
                                     answer.detail, answer.risk, answer.threshold,
                                     answer.reasons, answer.edit, number, plan.steps)
    ep.approvals.decided.append(decided)
    ep.record(decided)
    ep.approvals.denied = ep.approvals.denied or not answer.approved
    refused = is_refusal(answer.edit)
    if answer.edit and not refused:
        ep.take_hint(answer.edit, plan.steps)
        if is_only_slower(answer.edit) and ep.capped(plan.steps) == plan.steps:
            return _ask_as_it_is(ep, plan, answer.edit)
        ep.budgets.renew(REPLANS, TOTAL_REPLANS)
        ep.approvals.wishes[plan.calls] = answer.edit
        if not is_only_slower(answer.edit):  # the planner's next one may differ in speed alone
            ep.approvals.wishes[replace(plan, steps=ep.capped(plan.steps)).calls] = answer.edit
        raise Edited(plan, answer.edit)
    if refused or not answer.approved:
        raise Ended(FinalReason.APPROVAL_DENIED,
                    answer.detail or f'{answer.approver} denied plan {plan.version}'
                    + (f': {answer.edit}' if refused else ''))
    ep.approvals.grant(plan, len(ep.failures.attempts))


def _ask_as_it_is(ep: Episode, plan: Plan, wish: str) -> None:
    """Ask once more about a plan that cannot be slower: no planner could make it so."""
    cannot = 'no step of this plan has a speed that can be lowered'
    if plan.calls in ep.approvals.slowest:
        raise Ended(FinalReason.APPROVAL_DENIED, f'a person said {wish!r}, and {cannot}')
    ep.approvals.slowest.add(plan.calls)
    ep.warn(f'{cannot}; it is asked about as it is')
    approve(ep, plan)
