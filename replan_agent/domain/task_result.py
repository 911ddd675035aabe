"""How a task ended, and everything that led there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .event import ApprovalDecided, plain
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


FINAL_WORDS = {
    FinalReason.PLAN_COMPLETE: 'the plan is done',
    FinalReason.ALREADY_DONE: 'it was so already',
    FinalReason.REPLAN_EXHAUSTED: 'no other plan is left',
    FinalReason.GAVE_UP: 'the planner gave up',
    FinalReason.GOAL_NOT_MET: 'the goal is not met',
    FinalReason.CONFLICTING_GOALS: 'two goals exclude each other',
    FinalReason.UNRECOGNIZED_PROMPT: 'the task was not understood',
    FinalReason.NO_PLAN: 'there is no plan',
    FinalReason.VLM_TRANSPORT: 'the model does not answer',
    FinalReason.BUDGET_EXHAUSTED: 'a budget is spent',
    FinalReason.APPROVAL_DENIED: 'a plan was not approved',
    FinalReason.HUMAN_REQUIRED: 'a person is needed',
    FinalReason.MAX_STEPS: 'too many steps',
    FinalReason.PERCEPTION_LOST: 'nothing is seen any more',
    FinalReason.NODE_LOST: 'a part of the system does not answer',
    FinalReason.AGENT_LOST: 'the agent does not answer',
    FinalReason.CANCELLED: 'the task was cancelled',
    FinalReason.STOPPED: 'the arm was stopped',
    FinalReason.INTERNAL_ERROR: 'a bug in the agent',
}


@dataclass(frozen=True)
class StepRecord:
    """One executed step: its index in its plan, its result, how long it took (wall s).

    `local_state` marks the agent's own steps: '8.1' is the first of local planning around step
    8, 'put_down' is before a person is asked. Their index is that of the step they belong to.
    """

    step_idx: int
    plan_version: int
    step: Step
    result: SkillResult
    duration_s: float
    retry: int = 0
    local_state: str = ''

    def as_dict(self) -> dict[str, Any]:
        return {
            'step_idx': self.step_idx, 'plan_version': self.plan_version, **self.step.as_dict(),
            'result': self.result.as_dict(), 'duration_s': self.duration_s, 'retry': self.retry,
            'local_state': self.local_state,
        }


@dataclass(frozen=True)
class TaskResult:
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
    local: tuple[LocalRecord, ...] = ()
    suggested_plan: SuggestedPlan | None = None
    guidance: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    completed: tuple[CompletedStep, ...] = ()
    approvals: tuple[ApprovalDecided, ...] = ()
    proofs: tuple[Proof, ...] = ()
    undone: tuple[CompletedStep, ...] = ()
    threshold: float | None = None
    not_recorded: str = ''
    goals_named_by: str = ''  # 'task': its own words; else the planner; '': there are no goals
    why: str = ''  # why it failed, for people; '' after a success
    would_help: str = ''  # what would make it possible; '' if nobody knows
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.success

    def resume(self, *hints: str) -> Resume:
        """What a run needs that continues this one, and a person's hints."""
        return Resume(self.attempts, self.completed, self.goals, (*self.hints, *hints),
                      self.plans, self.proofs, self.reflections, self.undone,
                      str(self.extra.get('approver', '')), self.threshold,
                      self.goals_named_by == GOALS_OF_THE_TASK,
                      any(not decided.approved for decided in self.approvals))

    def as_dict(self) -> dict[str, Any]:
        return {
            'task': self.task,
            'success': self.success,
            'final_reason': self.final_reason.value,
            'why': self.why,
            'would_help': self.would_help,
            'final_detail': self.final_detail,
            'replans': self.replans,
            'total_replans': self.total_replans,
            'goal_verified': self.goal_verified,
            'goals': plain(self.goals),
            'goals_named_by': self.goals_named_by,
            'planner': self.planner,
            'perception': self.perception,
            'api_calls': self.api_calls,
            'recaptures': self.recaptures,
            'steps': plain(self.steps),
            'attempts': plain(self.attempts),
            'plans': plain(self.plans),
            'approvals': plain(self.approvals),
            'threshold': self.threshold,
            'completed': plain(self.completed),
            'undone': plain(self.undone),
            'proofs': plain(self.proofs),
            'reflections': plain(self.reflections),
            'local_planning': plain(self.local),
            'suggested_plan': plain(self.suggested_plan),
            'optimization_guidance': list(self.guidance),
            'hints': list(self.hints),
            'timings': dict(self.timings),
            'not_recorded': self.not_recorded,
            **plain(self.extra),
        }
