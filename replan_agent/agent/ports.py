# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ports: everything the loop knows about the world, as protocols.

Each call takes a context with a deadline and a cancel token. A port is a Python object
(embedded) or a ROS client (distributed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # values of all stages, which who needs a port need not load
    from replan_agent.domain.approval_request import Approval, ApprovalRequest
    from replan_agent.domain.chat import ChatMessage, ChatReply, ReplyForm, ToolSpec
    from replan_agent.domain.context import Context
    from replan_agent.domain.event import Event
    from replan_agent.domain.failure import Diagnosis
    from replan_agent.domain.goal import Goal
    from replan_agent.domain.kinds import Word
    from replan_agent.domain.local_planning import LocalNode, LocalOption, LocalRecord
    from replan_agent.domain.orders import Order
    from replan_agent.domain.plan import Plan, PlanProblem, PlanReply, PlanRequest, Step
    from replan_agent.domain.reading import Reading, Remark, Wording
    from replan_agent.domain.recovery import (
        FailureCase,
        Fix,
        Reflection,
        Remembered,
        Response,
        RetryCounts,
        Situation,
    )
    from replan_agent.domain.refusals import Open, Unclear
    from replan_agent.domain.scene import Scene
    from replan_agent.domain.skill import SkillResult, SkillSpec
    from replan_agent.domain.task_result import TaskResult
    from replan_agent.domain.task_view import Guidance, RehearsalResult, TaskView

PhaseCallback = Callable[[str], None]
Record = Callable[['Event'], None]


class Perception(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def uses_model(self) -> bool:
        """Whether an observation calls a model, which counts against `max_api_calls`."""

    def observe(self, ctx: Context) -> Scene:
        """The scene now. Raises PerceptionError if none is available."""


class Planner(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def uses_model(self) -> bool:
        """Whether a plan calls a model, which counts against `max_api_calls`."""

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply: ...


class SceneAfter(Protocol):
    def __call__(self, order: Order, scene: Scene, left_alone: frozenset[str],
                 imagined: bool = False) -> Scene:
        """The scene that an order should lead to, if these things stay where they are.

        `imagined`: there are things in it that are not seen.
        """


class Reader(Protocol):
    """Reads what people say, in words."""

    def read(self, request: PlanRequest, after: SceneAfter) -> Reading:
        """What the task asks for in the scene, after what was done before.

        Raises NotUnderstood, Open or Unclear: the words are refused, or leave a question.
        """

    def said(self, goals: Iterable[Goal], scene: Scene, left_alone: Sequence[str] = (),
             stages: Sequence[Goal] = ()) -> str:
        """The goals as a sentence that is read as the same goals in the scene.

        It also says what the task leaves alone, and the stages before the goals.
        """

    def said_in_order(self, orders: Iterable[Order], scene: Scene) -> str:
        """The same for orders, one after the other: "..., then ..."."""

    def wording(self, task: str, scene: Scene) -> Wording:
        """What is to be said about the words themselves."""

    def similar(self, task: str, scene: Scene) -> Sequence[str]:
        """Sentences like the task that may work here, the most similar first."""

    def mentions(self, task: str) -> tuple[str, ...]:
        """The things that the task mentions, in its words. Raises NotUnderstood or Open."""

    def word(self, text: str) -> Word:
        """What a word says about an object."""

    def remarks(self, text: str, scene: Scene) -> tuple[Remark, ...]:
        """All readings of what is said beside orders; none if it is something else."""

    def fitting(self, phrase: str, scene: Scene, said: Sequence[tuple[str, ...]] = ()
                ) -> tuple[str, ...]:
        """The objects that a phrase may mean; "it" is the last group that was said.

        Raises NotUnderstood, Open or Unclear.
        """

    def is_there(self, thing: str, place: str, scene: Scene,
                 said: Sequence[tuple[str, ...]] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of the things that are meant, those at the place, and those that should be there too.

        Without a place, the things that are seen. Raises as `fitting`, also if there are none.
        """

    def amending(self, scene: Scene, read: Callable[[str], Reading],
                 mentioned: Sequence[tuple[str, ...]] = ()) -> Amending:
        """Makes other tasks in that scene. `read` reads a task there.

        `mentioned` are the groups of things that were moved before, the last one last.
        """


class Amending(Protocol):
    """Makes another task of one and what is said about it: a whole sentence with names."""

    def amended(self, task: str, said: str, goes_on: bool = False) -> str:
        """The task that is meant after an answer or a correction; '' if the words are neither.

        `goes_on`: another thing or place is the same order again: "now the green one".
        """

    def referred(self, task: str) -> str:
        """The task, with names for what refers to earlier tasks: "it", "the other one"."""

    def question(self, task: str) -> Open | Unclear | None:
        """What the task leaves open here; None if nothing, or if it is not understood."""

    def choices(self, task: str) -> tuple[str, ...]:
        """Sentences that each say one of the things that the task may mean."""

    def listed(self, names: Sequence[str]) -> str:
        """Words that mean these things and no others."""


class ChatModel(Protocol):
    """A language model that may see pictures and call tools."""

    @property
    def name(self) -> str: ...

    def complete(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec],
                 ctx: Context, form: ReplyForm | None = None) -> ChatReply:
        """The model's reply. Raises ModelError. Calls `ctx.spend_call` before each request.

        `form` asks for one JSON object in the text. It is given only where it is needed.
        """


class Snapshot(Protocol):
    def __call__(self, scene: Scene, ctx: Context) -> bytes:
        """What the camera sees now with the names of the scene's objects, as PNG or JPEG.

        Raises PerceptionError if there is no picture.
        """


class PlanCheck(Protocol):
    """Checks a plan between the planner and motion."""

    def __call__(self, plan: Plan, scene: Scene, skills: tuple[SkillSpec, ...]
                 ) -> list[PlanProblem]:
        """The problems of a plan; empty if it may run."""


class Skills(Protocol):
    def specs(self) -> tuple[SkillSpec, ...]: ...

    def execute(self, step: Step, scene: Scene, ctx: Context,
                on_phase: PhaseCallback) -> SkillResult:
        """Check, run and verify one step. Failures are results, never exceptions."""

    def stop(self) -> None:
        """Stop all motion and confirm standstill."""


class Rehearsal(Protocol):
    def is_due(self, plan: Plan, scene: Scene) -> bool:
        """Whether it can show something about the plan."""

    def rehearse(self, plan: Plan, scene: Scene, ctx: Context) -> RehearsalResult:
        """Run the plan in a twin of the scene. The robot stays still. Raises RehearsalError."""


class Foresight(Protocol):
    def specs(self) -> tuple[SkillSpec, ...]:
        """The skills whose steps can be foreseen."""

    def foresee(self, step: Step, scene: Scene, ctx: Context) -> SkillResult:
        """Whether the step could be done in that scene. It is checked and planned; nothing moves.

        The scene may be imagined.
        """


class Approver(Protocol):
    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval: ...

    def report_outcome(self, success: bool) -> None:
        """Report how the last approved plan went. Repeated reports are ignored."""


class Human(Protocol):
    def hint(self, question: str, ctx: Context) -> str | None:
        """What a person says about a stuck task; None if nobody answers."""


class Policy(Protocol):
    """Reads a failure and decides what to do about it."""

    def diagnose(self, case: FailureCase) -> Diagnosis: ...

    def respond(self, diagnosis: Diagnosis, tries: RetryCounts, is_step: bool) -> Response:
        """What to do now. Only a step can be retried or planned around."""


class Reflector(Protocol):
    def reflect(self, case: FailureCase, remembered: Sequence[Remembered], deep: bool,
                ctx: Context) -> Reflection:
        """Why it failed and what may help. `deep` allows a model call if there is a model."""


class Memory(Protocol):
    """What failed earlier and what helped. Never raises: without a file it is empty."""

    def recall(self, situation: Situation) -> tuple[Remembered, ...]:
        """Similar situations, the most useful first. The caller checks that a fix is legal."""

    def learn(self, situation: Situation, fix: Fix, worked: bool) -> None:
        """Record whether a fix worked in a situation; this changes its weight."""

    def remember_failure(self, situation: Situation, task: str, root_cause: str,
                         as_planned: bool) -> None:
        """Record a failure in words, also one without a fix. `as_planned`: the step had no change
        that could matter, so it counts against the plain way."""

    def chooses_plain(self, known: Remembered) -> bool:
        """Whether to try the step as planned this time, to compare it with what is known."""

    def warnings(self) -> tuple[str, ...]:
        """What went wrong with the memory since the last call."""


class LocalSearch(Protocol):
    """Local planning around one blocked step."""

    @property
    def goal(self) -> str:
        """The condition to reach, in words."""

    def score(self, scene: Scene, ctx: Context) -> float:
        """How close the scene is to the goal, 0 to 10, higher is closer."""

    def next_option(self, scene: Scene, ctx: Context) -> LocalOption | None:
        """What to try now; None if nothing is left."""

    def judge(self, number: str, option: LocalOption, before: Scene, after: Scene,
              succeeded: bool, ctx: Context) -> LocalNode:
        """What the option changed, and what to do next."""

    def can_undo(self, option: LocalOption, scene: Scene, ctx: Context) -> bool:
        """Whether the steps that undo the option are possible now."""


class LocalPlanner(Protocol):
    saw_all: bool
    """The last `begin` gave None after it looked at every option."""

    def begin(self, step: Step, case: FailureCase, remembered: Sequence[Remembered],
              ctx: Context, earlier: Sequence[LocalRecord] = ()) -> LocalSearch | None:
        """A search around the step, or None if a few small actions cannot help.

        `earlier` are the local plannings of the same task: what they learned holds.
        """


class Monitor(Protocol):
    """Watches a task and reports only fundamental problems."""

    def review(self, plan: Plan, view: TaskView, ctx: Context) -> Guidance | None:
        """What is wrong with a plan that is about to run. May raise ModelError."""

    def watch(self, plan: Plan, view: TaskView, ctx: Context) -> Guidance | None:
        """What is wrong after a step."""


class Recorder(Protocol):
    def record(self, event: Event) -> None:
        """Write an event as it happens; it is on disk when this returns."""

    def finish(self, result: TaskResult) -> None: ...


class Clock(Protocol):
    """Wall time, for budgets and durations."""

    def now(self) -> float:
        """Seconds, monotonic."""

    def sleep(self, seconds: float, ctx: Context) -> None:
        """Wait; raises `Cancelled` at once if the context is cancelled."""
