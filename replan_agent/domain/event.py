# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Everything that happens, as typed events in the order it happened."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from replan_agent.text.plain_values import Recorded

from .failure import Attempt
from .goal import Goal
from .local_planning import LocalNode, LocalRecord
from .plan import Plan, Step
from .recovery import Fix, Reflection, Remembered
from .resume import Resume
from .scene import Scene
from .skill import SkillResult


@dataclass(frozen=True)
class Event(Recorded):
    """Base of all events. The recorder adds wall and robot time."""

    @property
    def kind(self) -> str:
        """The class name in snake case: `StepStarted` is 'step_started'."""
        return re.sub(r'(?<!^)(?=[A-Z])', '_', type(self).__name__).lower()


@dataclass(frozen=True)
class StateChanged(Event):
    state: str


@dataclass(frozen=True)
class InternalError(Event):
    """A bug: what was raised and where. The task ends with `internal_error`."""

    error: str
    traceback: str


@dataclass(frozen=True)
class TaskStarted(Event):
    """`facts` are those of the result: robot, scene, approver, settings."""

    task: str
    planner: str
    perception: str
    config: Mapping[str, Any]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TaskResumed(Event):
    """The task continues an earlier run."""

    earlier: Resume


@dataclass(frozen=True)
class ScenePerceived(Event):
    scene: Scene
    duration_s: float


@dataclass(frozen=True)
class PlanRequested(Event):
    """A plan is asked for. `replan` counts all new plans of the task, whatever led to them."""

    task: str
    replan: int
    prior_attempts: int


@dataclass(frozen=True)
class ModelThinking(Event):
    """A model, or a twin, takes long: how long, and how much there is so far."""

    message: str


@dataclass(frozen=True)
class ModelCalled(Event):
    """A model was asked: its name, the messages, and the reply, or why there is none."""

    model: str
    messages: tuple[Mapping[str, Any], ...]
    reply: Mapping[str, Any] | None = None
    error: str = ''


@dataclass(frozen=True)
class PlanMade(Event):
    """`understood`: the goals of the task and what it leaves alone, in a sentence."""

    plan: Plan
    duration_s: float
    understood: str = ''


@dataclass(frozen=True)
class PlanAdapted(Event):
    """The agent puts steps of its own into the plan: its last adaptation.

    `to_run` are these steps with what is left of the plan.
    """

    plan: Plan
    to_run: tuple[Step, ...]

    @property
    def running(self) -> Plan:
        """The steps to run, as the plan that is approved."""
        own = self.plan.adaptations[-1]
        return replace(self.plan, steps=self.to_run, cause=own.cause, reason=own.reason)


@dataclass(frozen=True)
class GoalsSet(Event):
    """These are the goals from now on. `certain`: they are in the words of the task."""

    goals: tuple[Goal, ...]
    certain: bool


@dataclass(frozen=True)
class PlanRefused(Event):
    plan: Plan
    problems: tuple[str, ...]


@dataclass(frozen=True)
class RehearsalFinished(Event):
    """A plan was tried ahead: whether it went well, else which step failed and why."""

    plan_version: int
    ok: bool
    step: Step | None
    result: SkillResult | None
    duration_s: float
    chance: Mapping[str, Any] = field(default_factory=dict)  # as of RehearsalResult


@dataclass(frozen=True)
class ApprovalPending(Event):
    """PENDING_APPROVAL: a plan is waiting for a person.

    `request` is the number of the question in this task, `plan` has the steps in question.
    """

    plan_version: int
    risk: float | None = None
    threshold: float | None = None
    reasons: tuple[str, ...] = ()
    request: int = 0
    plan: Plan | None = None


@dataclass(frozen=True)
class ApprovalDecided(Event):
    """The answer to a request, and the steps that it is about.

    `edit` is what the person wants changed, if that was the answer.
    """

    plan_version: int
    approved: bool
    approver: str
    detail: str
    risk: float | None = None
    threshold: float | None = None
    reasons: tuple[str, ...] = ()
    edit: str = ''
    request: int = 0
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class StepStarted(Event):
    step_idx: int
    plan_version: int
    step: Step
    retry: int = 0
    local_state: str = ''


@dataclass(frozen=True)
class PhaseStarted(Event):
    """A part of a skill began: approach, grasp, lift ..."""

    step_idx: int
    skill: str
    phase: str


@dataclass(frozen=True)
class StepFinished(Event):
    step_idx: int
    plan_version: int
    step: Step
    result: SkillResult
    duration_s: float


@dataclass(frozen=True)
class StepSkipped(Event):
    """A step of the plan that is not executed: the scene shows its result already."""

    step_idx: int
    plan_version: int
    step: Step
    detail: str


@dataclass(frozen=True)
class RepeatGuarded(Event):
    """A call that was proved impossible, or whose known changes all failed, was not executed."""

    step_idx: int
    step: Step
    detail: str


@dataclass(frozen=True)
class AttemptRecorded(Event):
    attempt: Attempt


@dataclass(frozen=True)
class PolicyDecided(Event):
    """The response to the last failure. `detail` is its cause as a slug, `why` is a sentence."""

    step_idx: int
    response: str
    detail: str = ''
    why: str = ''


@dataclass(frozen=True)
class ReflectionMade(Event):
    step_idx: int
    reflection: Reflection


@dataclass(frozen=True)
class MemoryRecalled(Event):
    """Similar past situations, best first."""

    step_idx: int
    remembered: tuple[Remembered, ...]


@dataclass(frozen=True)
class StepAdapted(Event):
    """A step is executed with arguments that differ from the plan's."""

    step_idx: int
    step: Step
    fix: Fix


@dataclass(frozen=True)
class LocalPlanningStarted(Event):
    step_idx: int
    step: Step
    goal: str
    score: float


@dataclass(frozen=True)
class LocalActionJudged(Event):
    node: LocalNode


@dataclass(frozen=True)
class LocalPlanningFinished(Event):
    record: LocalRecord


@dataclass(frozen=True)
class GuidanceGiven(Event):
    """The plan monitor saw a fundamental problem."""

    plan_version: int
    problem: str
    guidance: str


@dataclass(frozen=True)
class ProgressSeen(Event):
    """How much of the suggested plan the scene shows as done."""

    progress_step: int
    goals: tuple[str, ...]


@dataclass(frozen=True)
class HumanAsked(Event):
    question: str
    holding: str


@dataclass(frozen=True)
class HumanAnswered(Event):
    hint: str


@dataclass(frozen=True)
class ReplanStarted(Event):
    cause: str
    replans: int
    total_replans: int
    reason: str = ''


@dataclass(frozen=True)
class GoalJudged(Event):
    goals: tuple[Goal, ...]
    verified: bool | None


@dataclass(frozen=True)
class WarningRaised(Event):
    message: str


@dataclass(frozen=True)
class TaskFinished(Event):
    success: bool
    final_reason: str
    final_detail: str
    why: str = ''
    would_help: str = ''
