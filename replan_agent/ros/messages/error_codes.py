# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers for reasons: the `error_code` of an action's result (Nav2's convention).

0 is NONE. Each action has its own range from 10000 up; the first code is UNKNOWN. The constants
are defined in the interfaces, so that nodes in any language have the same ones.
"""

from __future__ import annotations

from replan_agent_interfaces.action import ExecuteSkill, ExecuteTask, MakePlan

from replan_agent.domain.plan import ReplyKind
from replan_agent.domain.skill import Reason, SkillResult
from replan_agent.domain.task_result import FinalReason, TaskResult

NONE = 0
SUCCESSES = frozenset({FinalReason.PLAN_COMPLETE, FinalReason.ALREADY_DONE})
ANSWERS = frozenset({ReplyKind.STEPS, ReplyKind.DONE})

SKILL_CODES: dict[Reason, int] = {r: getattr(ExecuteSkill.Result, r.name) for r in Reason}
TASK_CODES: dict[FinalReason, int] = {
    r: NONE if r in SUCCESSES else getattr(ExecuteTask.Result, r.name) for r in FinalReason
}
PLAN_CODES: dict[ReplyKind, int] = {
    k: NONE if k in ANSWERS else getattr(MakePlan.Result, k.name) for k in ReplyKind
}


def skill_code(result: SkillResult) -> int:
    """The code of a skill's result: NONE after a success."""
    return SKILL_CODES[result.reason] if result.reason else NONE


def task_code(result: TaskResult) -> int:
    """The code of a task's result: NONE after a success, never after a failure."""
    if result.success:
        return NONE
    return TASK_CODES[result.final_reason] or int(ExecuteTask.Result.UNKNOWN)
