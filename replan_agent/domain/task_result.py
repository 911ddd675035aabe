# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a task ended, and everything that led there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from replan_agent.text.plain_values import Recorded, on_disk

from .event import ApprovalDecided
from .failure import Attempt
from .goal import Goal
from .local_planning import LocalRecord
from .plan import CompletedStep, Plan, Proof, Step
from .recovery import Reflection
from .resume import Resume
from .skill import SkillResult
from .suggested_plan import SuggestedPlan

GOALS_OF_THE_TASK = 'task'  # TaskResult.goals_named_by: the words of the task name the goals


class FinalReason(str, Enum):
    PLAN_COMPLETE = 'plan_complete'
    ALREADY_DONE = 'already_done'
    REPLAN_EXHAUSTED = 'replan_exhausted'
    GAVE_UP = 'gave_up'
    GOAL_NOT_MET = 'goal_not_met'
    CONFLICTING_GOALS = 'conflicting_goals'
    UNRECOGNIZED_PROMPT = 'unrecognized_prompt'
    NO_PLAN = 'no_plan'
    VLM_TRANSPORT = 'vlm_transport'
    BUDGET_EXHAUSTED = 'budget_exhausted'
    APPROVAL_DENIED = 'approval_denied'
    HUMAN_REQUIRED = 'human_required'
    MAX_STEPS = 'max_steps'
    PERCEPTION_LOST = 'perception_lost'
    NODE_LOST = 'node_lost'
    AGENT_LOST = 'agent_lost'
    CANCELLED = 'cancelled'
    STOPPED = 'stopped'
    INTERNAL_ERROR = 'internal_error'

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class StepRecord(Recorded):
    """One executed step: its index in its plan, its result, how long it took (wall s).

    `local_state` marks the agent's own steps: '8.1' is the first of local planning around step
    8, 'put_down' is before a person is asked. Their index is that of the step they belong to.
    """

    step_idx: int
    plan_version: int
    step: Step = field(metadata=on_disk(flat=True))
    result: SkillResult
    duration_s: float
    retry: int = 0
    local_state: str = ''


@dataclass(frozen=True)
class TaskResult(Recorded):
    """Everything about one task: the content of result.json. It is true if the task succeeded.

    `not_recorded` says why the record of the task is not complete; '' if it is. `undone` are
    steps of an earlier run in a world that has started again. `threshold` is the latest risk from
    which a person was asked, also if an earlier run asked; None if it was never assessed.
    """

    task: str
    success: bool
    final_reason: FinalReason
    final_detail: str
    replans: int
    total_replans: int
    steps: tuple[StepRecord, ...]
    attempts: tuple[Attempt, ...]
    plans: tuple[Plan, ...]
    goals: tuple[Goal, ...]
    goal_verified: bool | None
    planner: str
    perception: str
    api_calls: int
    recaptures: int
    timings: Mapping[str, float] = field(default_factory=dict)
    reflections: tuple[Reflection, ...] = ()
    local: tuple[LocalRecord, ...] = field(default=(), metadata=on_disk(key='local_planning'))
    suggested_plan: SuggestedPlan | None = None
    guidance: tuple[str, ...] = field(default=(), metadata=on_disk(key='optimization_guidance'))
    hints: tuple[str, ...] = ()
    completed: tuple[CompletedStep, ...] = ()
    approvals: tuple[ApprovalDecided, ...] = ()
    proofs: tuple[Proof, ...] = ()
    undone: tuple[CompletedStep, ...] = ()
    threshold: float | None = None
    denied: bool = False  # a person denied a plan or wanted it changed, also in an earlier run
    not_recorded: str = ''
    goals_named_by: str = ''  # 'task': its own words; else the planner; '': there are no goals
    why: str = ''  # why it failed, for people; '' after a success
    would_help: str = ''  # what would make it possible; '' if nobody knows
    causes: tuple[str, ...] = ()  # those that `why` tells, of domain/cause.py
    extra: Mapping[str, Any] = field(default_factory=dict, metadata=on_disk(flat=True))

    WRITTEN = (
        'task success final_reason why would_help causes final_detail replans total_replans '
        'goal_verified goals goals_named_by planner perception api_calls recaptures steps '
        'attempts plans approvals threshold denied completed undone proofs reflections local '
        'suggested_plan guidance hints timings not_recorded extra')

    def __bool__(self) -> bool:
        return self.success

    def resume(self, *hints: str) -> Resume:
        """What a run needs that continues this one, and a person's hints."""
        return Resume(self.attempts, self.completed, self.goals, (*self.hints, *hints),
                      self.plans, self.proofs, self.reflections, self.undone,
                      str(self.extra.get('approver', '')), self.threshold,
                      self.goals_named_by == GOALS_OF_THE_TASK,
                      self.denied, self.extra.get('settings', {}).get('approval', {}))
