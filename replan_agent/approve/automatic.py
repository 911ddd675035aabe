"""Approvers without a person: one allows, one denies."""

from __future__ import annotations

from replan_agent.agent.ports import Approval, ApprovalRequest
from replan_agent.domain.context import Context


class AutoApprover:
    """Allows every validated plan. For simulation, and only if the configuration names it."""

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        return Approval(True, 'auto')

    def report_outcome(self, success: bool) -> None:
        """Ignored: it always allows."""


class NoApprover:
    """Denies everything. Used if no approver is configured."""

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        return Approval(False, 'none', 'no approver is configured, so nothing may move; '
                        'set approver: auto in simulation')

    def report_outcome(self, success: bool) -> None:
        """Ignored: it always denies."""
