"""The approvers that need nobody: one allows, one denies."""

from __future__ import annotations

from replan_agent.agent.ports import Approval
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan
from replan_agent.domain.scene import Scene


class AutoApprover:
    """Allows every validated plan. For simulation, and only where configuration names it."""

    def approve(self, plan: Plan, scene: Scene, ctx: Context) -> Approval:
        return Approval(True, 'auto')


class NoApprover:
    """Denies everything: what stands in when no approver is configured."""

    def approve(self, plan: Plan, scene: Scene, ctx: Context) -> Approval:
        return Approval(False, 'none', 'no approver is configured, so nothing may move; '
                        'set approver: auto in simulation')
