# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The approver that the settings name."""

from __future__ import annotations

from typing import Any

from replan_agent.agent.ports import Approver
from replan_agent.approve.adaptive import AdaptiveApprover, Threshold
from replan_agent.approve.automatic import AutoApprover, NoApprover
from replan_agent.approve.risk import PlanRisk
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import Config, ConfigError

# The approvers, the strictest first; the two that ask a person every time are equally strict.
LENIENCY = {'none': 0, 'console': 1, 'remote': 1, 'adaptive': 2, 'auto': 3}


def is_more_lenient(approver: str, than: str) -> bool:
    """Whether the first lets plans run that the second would ask about or deny."""
    return LENIENCY[approver] > LENIENCY[than]


def known_approver(name: str) -> str:
    """The name, if the settings know it. An approver of somebody's own counts as a person."""
    return name if name in LENIENCY or not name else 'console'


def build_approver(config: Config, person: Approver, asked_by: str,
                   threshold: Threshold | None = None) -> Approver:
    """The approver that the settings name. If it is not available here, every plan is denied.

    `asked_by` is the setting that selects `person`: 'console' or 'remote'. `threshold` is what
    adaptive approval has learned so far. Raises ConfigError for settings that cannot work.
    """
    if config.approver not in LENIENCY:
        raise ConfigError(f'approver: {config.approver!r} is not one of: {", ".join(LENIENCY)}')
    if config.approval.ask_below and (config.approver == 'auto' or not config.agent.chance):
        why = ('approver auto asks nobody; choose adaptive' if config.approver == 'auto' else
               'agent.chance is off, so no chance is told; set it to auto')
        raise ConfigError(f'approval.ask_below: {why}')
    if config.approver == 'auto':
        return AutoApprover()
    if config.approver == 'adaptive':
        risk = PlanRisk(config, arm_named(config.robot.model).home_tcp)
        return AdaptiveApprover(risk, config.approval, person, threshold)
    return person if config.approver == asked_by else NoApprover(
        '' if config.approver == 'none' else config.approver)


def checked_approver(given: Any) -> Approver:
    """The object of a user. Raises TypeError if it cannot approve plans."""
    words = ('approve', 'report_outcome')
    if isinstance(given, type) or not all(callable(getattr(given, word, None)) for word in words):
        raise TypeError(f'an approver is a name as in the settings, or an object with '
                        f'{" and ".join(words)}, not {given!r}')
    approver: Approver = given
    return approver
