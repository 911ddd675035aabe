# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a caller of ExecuteTask wants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from replan_agent_interfaces.action import ExecuteTask

from replan_agent.domain.config import AgentConfig, ConfigError, build
from replan_agent.domain.plan import Step

from .message_fields import MessageError, duration_to_msg, time_from_msg

COUNTS = ('max_replans', 'max_total_replans', 'max_api_calls', 'max_step_retries', 'max_steps')
TIMEOUTS = ('replan_timeout', 'skill_timeout', 'task_timeout')
BUDGETS = (*COUNTS, *TIMEOUTS)
NO_BUDGET, NEEDED = -1, 'max_steps'  # -1 means 0 in a goal; 0 in a goal means "as configured"


@dataclass(frozen=True)
class TaskOrder:
    """What a caller wants: a task, and how it differs from the configuration."""

    task: str
    scene_hints: tuple[str, ...] = ()
    budgets: Mapping[str, float] = field(default_factory=dict)  # those of BUDGETS that differ
    planner: str | None = None
    perception: str | None = None
    approval: str | None = None
    steps: tuple[Step, ...] = ()  # a plan of the caller; without it a planner is asked

    def applied_to(self, config: AgentConfig) -> AgentConfig:
        """`config` with this task's budgets; MessageError if one is out of range."""
        try:
            checked = build(AgentConfig, dict(self.budgets), 'goal')
        except ConfigError as error:
            raise MessageError(str(error)) from error
        if 'max_replans' in self.budgets:  # no limit that the goal does not name is nearer
            config = config.allowing_replans(checked.max_replans)
        return replace(config, **{name: getattr(checked, name) for name in self.budgets})


def budgets_to_msg(budgets: Mapping[str, float]) -> dict[str, Any]:
    """The fields of a goal for them."""
    return {name: duration_to_msg(value) if name in TIMEOUTS else value or NO_BUDGET
            for name, value in budgets.items()}


def budgets_from_msg(msg: ExecuteTask.Goal) -> dict[str, float]:
    """Those that the goal names."""
    counts = {name: 0 if value == NO_BUDGET and name != NEEDED else value
              for name in COUNTS if (value := getattr(msg, name))}
    return counts | {name: seconds for name in TIMEOUTS
                     if (seconds := time_from_msg(getattr(msg, name)))}
