# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Approvers without a person: one allows, one denies."""

from __future__ import annotations

from replan_agent.domain.approval_request import Approval, ApprovalRequest
from replan_agent.domain.context import Context


class AutoApprover:
    """Allows every validated plan. For simulation, and only if the configuration names it."""

    name = 'auto'

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        return Approval(True, 'auto')

    def report_outcome(self, success: bool) -> None:
        """Ignored: it always allows."""


class NoApprover:
    """Denies everything: no approver is configured, or the one named `wanted` is not available."""

    name = 'none'

    def __init__(self, wanted: str = '') -> None:
        named = (f'the approver {wanted!r} is not available here' if wanted
                 else 'no approver is configured (approver: none)')
        self._why = (f'{named}, so nothing may move; set approver: auto in simulation, or one '
                     'that asks you: adaptive, console, or remote over ROS')

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        return Approval(False, 'none', self._why)

    def report_outcome(self, success: bool) -> None:
        """Ignored: it always denies."""
