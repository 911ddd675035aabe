"""Who approves plans in the embedded world, by the settings."""

from __future__ import annotations

from replan_agent.agent.ports import Approver
from replan_agent.approve.adaptive import AdaptiveApprover
from replan_agent.approve.automatic import AutoApprover, NoApprover
from replan_agent.approve.console_approver import ConsoleApprover
from replan_agent.approve.risk import PlanRisk
from replan_agent.domain.config import Config


def build_approver(config: Config) -> Approver:
    """The approver that the settings name; for one that is not to be had here, one that denies."""
    if config.approver == 'auto':
        return AutoApprover()
    console = ConsoleApprover(config.approval.timeout)
    if config.approver == 'console':
        return console
    if config.approver == 'adaptive':
        return AdaptiveApprover(PlanRisk(config), config.approval, console)
    return NoApprover()
