"""The ports: all that the loop knows of the world.

Each takes a context with a deadline and a cancel token. Embedded, a port is a Python object;
distributed, a ROS client.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from replan_agent.domain.chat import ChatMessage, ChatReply, ToolSpec
from replan_agent.domain.context import Context
from replan_agent.domain.event import Event
from replan_agent.domain.failure import Attempt, Diagnosis
from replan_agent.domain.goal import Goal
from replan_agent.domain.local_planning import LocalNode, LocalOption
from replan_agent.domain.plan import Plan, PlanProblem, PlanReply, PlanRequest, Step
from replan_agent.domain.recovery import (
    FailureCase,
    Fix,
    Reflection,
    Remembered,
    Response,
    Situation,
)
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillResult, SkillSpec
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan
from replan_agent.domain.task_result import StepRecord, TaskResult

PhaseCallback = Callable[[str], None]


class PerceptionError(Exception):
    """No scene can be had; the message says why."""


class NodeLost(Exception):
    """Who was to answer is gone; the message says who, and how long it was waited for."""


class Perception(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def uses_model(self) -> bool:
        """Whether an observation calls a model, which counts against `max_api_calls`."""

    def observe(self, ctx: Context) -> Scene:
        """The scene now. Raises PerceptionError when there is none to be had."""


class Planner(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def uses_model(self) -> bool:
        """Whether a plan calls a model, which counts against `max_api_calls`."""

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply: ...


class ChatModel(Protocol):
    """A language model that may see pictures and call tools."""

    @property
    def name(self) -> str: ...

    def complete(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec],
                 ctx: Context) -> ChatReply:
        """The model's reply. Raises ModelError; calls `ctx.spend_call` before each request."""


class Snapshot(Protocol):
    def __call__(self, ctx: Context) -> bytes:
        """What the camera sees now, as PNG or JPEG. Raises PerceptionError when it cannot."""


class PlanCheck(Protocol):
    """Validation between the planner and motion."""

    def __call__(self, plan: Plan, scene: Scene, skills: tuple[SkillSpec, ...]
                 ) -> list[PlanProblem]:
        """The problems of a plan; empty when it may run."""


class Skills(Protocol):
    def specs(self) -> tuple[SkillSpec, ...]: ...

    def execute(self, step: Step, scene: Scene, ctx: Context,
                on_phase: PhaseCallback) -> SkillResult:
        """Check, run and verify one step. Failures are results, never exceptions."""

    def stop(self) -> None:
        """End all motion and confirm standstill."""


class RehearsalError(Exception):
    """A plan cannot be rehearsed in this scene; the message says why."""


@dataclass(frozen=True)
class RehearsalResult:
    """How a plan went in the twin: the first step that failed there, and its result.

    `after` is the scene that the plan ended with there.
    """

    ok: bool
    duration_s: float
    failed_step: Step | None = None
    result: SkillResult | None = None
    after: Scene | None = None


class Rehearsal(Protocol):
    def rehearse(self, plan: Plan, scene: Scene, ctx: Context) -> RehearsalResult:
        """Run the plan in a twin of the scene; the robot stays still. Raises RehearsalError."""


class Foresight(Protocol):
    def specs(self) -> tuple[SkillSpec, ...]:
        """The skills whose steps can be foreseen."""

    def foresee(self, step: Step, scene: Scene, ctx: Context) -> SkillResult:
        """Whether the step could be done in that scene: checked and planned; nothing moves.

        The scene may be one that is only imagined.
        """


@dataclass(frozen=True)
class RiskAssessment:
    """How risky a plan is (0 to 1), from what risk a person is asked, and why."""

    risk: float | None = None
    threshold: float | None = None
    reasons: tuple[str, ...] = ()


def _unheard(assessment: RiskAssessment) -> None:
    """Nobody listens."""


@dataclass(frozen=True)
class ApprovalRequest:
    """A plan that wants to run, what happened before it, and the skills that there are.

    Who asks a person calls `on_pending(assessment)` when the answer can be given, before it waits.
    """

    plan: Plan
    scene: Scene
    attempts: tuple[Attempt, ...] = ()
    assessment: RiskAssessment = RiskAssessment()
    on_pending: Callable[[RiskAssessment], None] = _unheard
    skills: tuple[SkillSpec, ...] = ()


@dataclass(frozen=True)
class Approval:
    """The answer; risk (0 to 1), threshold and reasons if the risk was assessed."""

    approved: bool
    approver: str
    detail: str = ''
    risk: float | None = None
    threshold: float | None = None
    reasons: tuple[str, ...] = ()


class Approver(Protocol):
    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval: ...

    def report_outcome(self, success: bool) -> None:
        """How the plan that was last approved went; told again, it is no news."""


class Human(Protocol):
    def hint(self, question: str, ctx: Context) -> str | None:
        """What a person says about a task that is stuck; None when nobody answers."""


@dataclass(frozen=True)
class RetryCounts:
    """How often a step was tried again, how often worked around, and whether it may be."""

    retries: int = 0
    local: int = 0
    may_work_around: bool = True


class Policy(Protocol):
    """Reads a failure and decides what to do about it."""

    def diagnose(self, case: FailureCase) -> Diagnosis: ...

    def respond(self, diagnosis: Diagnosis, tries: RetryCounts, is_step: bool) -> Response:
        """What to do now. Only a step can be retried or planned around."""


class Reflector(Protocol):
    def reflect(self, case: FailureCase, remembered: Sequence[Remembered], deep: bool,
                ctx: Context) -> Reflection:
        """Why it failed and what may help; `deep` allows a model call where there is a model."""


class Memory(Protocol):
    """What failed earlier and what helped. It never raises: without a file it knows nothing."""

    def recall(self, situation: Situation) -> tuple[Remembered, ...]:
        """Similar situations, the most useful first; who uses a fix checks that it is legal."""

    def learn(self, situation: Situation, fix: Fix, worked: bool) -> None:
        """A fix was tried in a situation: it gains or loses weight."""

    def warnings(self) -> tuple[str, ...]:
        """What went wrong with the memory since it was last asked."""


class LocalSearch(Protocol):
    """Local planning around one blocked step."""

    @property
    def goal(self) -> str:
        """The condition that it works towards, in words."""

    def score(self, scene: Scene, ctx: Context) -> float:
        """How close the scene is to the goal, 0 to 10, higher is closer."""

    def next_option(self, scene: Scene, ctx: Context) -> LocalOption | None:
        """What to try now; None when there is nothing left."""

    def judge(self, number: str, option: LocalOption, before: Scene, after: Scene,
              succeeded: bool, ctx: Context) -> LocalNode:
        """What the option brought, and what to do next."""


class LocalPlanner(Protocol):
    def begin(self, step: Step, case: FailureCase, remembered: Sequence[Remembered],
              ctx: Context) -> LocalSearch | None:
        """A search around the step, or None when a few small actions cannot help."""


@dataclass(frozen=True)
class TaskView:
    """What a monitor may look at. `scenes` begins with the first one, then one after each step.

    `now` is the latest scene, `guidance` what monitors have said so far.
    """

    task: str
    goals: tuple[Goal, ...]
    suggested_plan: SuggestedPlan | None
    scenes: tuple[Scene, ...]
    steps: tuple[StepRecord, ...]
    attempts: tuple[Attempt, ...]
    now: Scene
    rehearsal: RehearsalResult | None = None
    guidance: tuple[str, ...] = ()
    skills: tuple[SkillSpec, ...] = ()


@dataclass(frozen=True)
class Guidance:
    """A fundamental problem, what to do about it, and the goals that replace the unmet ones."""

    problem: str
    text: str
    goals: tuple[SuggestedGoal, ...] = ()


class Monitor(Protocol):
    """Watches a task, and speaks only on fundamental problems."""

    def review(self, plan: Plan, view: TaskView, ctx: Context) -> Guidance | None:
        """What is wrong with a plan that is about to run. May raise ModelError."""

    def watch(self, plan: Plan, view: TaskView, ctx: Context) -> Guidance | None:
        """What is wrong after a step."""


class Recorder(Protocol):
    def record(self, event: Event) -> None:
        """Takes an event as it happens; on disk before it returns."""

    def finish(self, result: TaskResult) -> None: ...


class Clock(Protocol):
    """Wall time, for budgets and durations."""

    def now(self) -> float:
        """Seconds, monotonic."""

    def sleep(self, seconds: float, ctx: Context) -> None:
        """Wait, or raise `Cancelled` at once when the context is cancelled."""
