"""The ports: all that the loop knows of the world.

Each takes a context with a deadline and a cancel token. Embedded, a port is a Python object;
distributed, a ROS client.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from replan_agent.domain.context import Context
from replan_agent.domain.event import Event
from replan_agent.domain.failure import Attempt, Diagnosis
from replan_agent.domain.model import ChatMessage, ChatReply, ToolSpec
from replan_agent.domain.outcome import TaskResult
from replan_agent.domain.plan import Plan, PlanProblem, PlanReply, PlanRequest, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillResult, SkillSpec

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
    """How a plan went in the twin: the first step that failed there, and its result."""

    ok: bool
    duration_s: float
    failed_step: Step | None = None
    result: SkillResult | None = None


class Rehearsal(Protocol):
    def rehearse(self, plan: Plan, scene: Scene, ctx: Context) -> RehearsalResult:
        """Run the plan in a twin of the scene; the robot stays still. Raises RehearsalError."""


@dataclass(frozen=True)
class Approval:
    approved: bool
    approver: str
    detail: str = ''


class Approver(Protocol):
    def approve(self, plan: Plan, scene: Scene, ctx: Context) -> Approval: ...


class Policy(Protocol):
    """Reads a failure and decides what to do about it."""

    def diagnose(self, attempt: Attempt) -> Diagnosis: ...

    def retry(self, diagnosis: Diagnosis, retries: int) -> bool:
        """Whether the same step should be tried again, after a fresh look."""


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
