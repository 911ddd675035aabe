# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A person's approval over ROS: the plan is on `~/question`, the answer is a service call."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from replan_agent_interfaces.srv import ApprovePlan

from replan_agent.domain.approval_request import Approval, ApprovalRequest
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan
from replan_agent.ros.messages.call_messages import approval_from_request
from replan_agent.ros.messages.message_fields import id_from_msg

from .awaited_person import AwaitedPerson


class RosApprovals:
    """Serves `approve_plan`; a plan that is not approved in time is denied."""

    def __init__(self, node: Node, timeout_s: float, awaited: AwaitedPerson) -> None:
        self.timeout_s, self._person = timeout_s, awaited
        self._lock = threading.Lock()
        self._awaited: tuple[str, ApprovalRequest] | None = None  # task id and question
        self._decision: Approval | None = None
        node.create_service(ApprovePlan, 'approve_plan', self._on_decision,
                            callback_group=ReentrantCallbackGroup())

    def await_decision(self, task_id: str, request: ApprovalRequest, ctx: Context) -> Approval:
        """A person's decision on the plan of a task."""
        plan = request.plan
        with self._lock:
            self._awaited, self._decision = (task_id, request), None
        request.on_pending(request.assessment)
        question = self._person.approval(task_id, plan, request.number, self.timeout_s,
                                         (*request.assessment.reasons, *request.remarks))
        try:
            with self._person.waiting(question, self.timeout_s):
                return self._decided(plan, ctx)
        finally:
            with self._lock:
                self._awaited = None

    def _decided(self, plan: Plan, ctx: Context) -> Approval:
        def taken() -> Approval | None:
            with self._lock:
                return self._decision

        decision = self._person.answer(taken, ctx, self.timeout_s)
        why = (f' within approval.timeout={self.timeout_s:g}s' if self._person.is_heard()
               else f': {self._person.nobody}')
        return decision or Approval(False, 'remote', f'plan {plan.version} was not approved{why}')

    def _on_decision(self, request: ApprovePlan.Request,
                     response: ApprovePlan.Response) -> ApprovePlan.Response:
        with self._lock:
            if self._awaited is None or self._decision is not None:
                response.error_code = response.NOTHING_WAITS
                response.error_msg = 'no plan waits for approval'
            elif not _is_about(request, *self._awaited):
                task_id, waiting = self._awaited
                response.error_code = response.WRONG_PLAN
                response.error_msg = (f'another plan waits: version {waiting.plan.version} of '
                                      f'task {task_id}, request {waiting.number}')
            else:
                self._decision = approval_from_request(request)
        return response


def _is_about(answer: ApprovePlan.Request, task_id: str, waiting: ApprovalRequest) -> bool:
    """Whether the answer is to this question. Without a number, only to the first of a version."""
    known = (waiting.number, 0) if waiting.is_first else (waiting.number,)
    return ((id_from_msg(answer.task_id), answer.plan_version) == (task_id, waiting.plan.version)
            and answer.request in known)


@dataclass(frozen=True)
class RosApprover:
    """Asks a person about the plans of one task."""

    approvals: RosApprovals
    task_id: str

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        return self.approvals.await_decision(self.task_id, request, ctx)

    def report_outcome(self, success: bool) -> None:
        """Do nothing: a person sees the outcome elsewhere."""
