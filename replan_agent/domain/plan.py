# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plans, their steps, and a planner's request and reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from replan_agent.text.choices import member, member_or_none
from replan_agent.text.plain_values import Recorded, on_disk
from replan_agent.text.shown_text import told_call

from .cause import Cause
from .failure import Attempt
from .goal import Goal
from .scene import Scene
from .skill import REPLAN_STEP, Reason, SkillResult, SkillSpec
from .suggested_plan import SuggestedPlan

REPLAN_TOLD = 'look again, then plan on'


@dataclass(frozen=True)
class Step(Recorded):
    """One call of a skill; or `__replan__`: stop here, look again, plan the rest."""

    step_number: int
    skill: str
    args: Mapping[str, Any] = field(default_factory=dict)
    description: str = ''
    expected_change: str = ''

    @property
    def is_replan(self) -> bool:
        return self.skill == REPLAN_STEP

    @property
    def call(self) -> str:
        """The call with all its digits: the same text is the same call."""
        return f'{self.skill}({dict(self.args)})' if self.args else f'{self.skill}()'

    @property
    def told(self) -> str:
        """The call as people read it."""
        return REPLAN_TOLD if self.is_replan else told_call(self.skill, self.args)


@dataclass(frozen=True)
class CompletedStep(Recorded):
    """A step that is done, and what the hand held before it (None: nothing)."""

    step: Step = field(metadata=on_disk(flat=True))
    held: str | None = None

    @property
    def text(self) -> str:
        """The step in words, for people and models."""
        return self.step.description or self.step.call


class ReplyKind(str, Enum):
    """How a planner may answer."""

    STEPS = 'steps'
    DONE = 'done'
    GIVE_UP = 'give_up'
    ASK = 'ask'  # the detail is a question to a person
    UNRECOGNIZED = 'unrecognized'
    FAILED = 'failed'
    TRANSPORT = 'transport'
    EXHAUSTED = 'exhausted'  # what is left to try was proved impossible

    @property
    def is_about_the_task(self) -> bool:
        return self in (ReplyKind.STEPS, ReplyKind.DONE, ReplyKind.GIVE_UP)


@dataclass(frozen=True)
class PlanReply:
    """A planner's answer: steps and the goal they serve, or why there are none.

    The kind and the reason may be their texts, such as 'steps'.
    `warnings` are for the record: which instructions the planner did not follow, and why.
    `goals_certain`: the goals come from the task's own words. Then no goals means that there is
    nothing to judge. False if a model or a person only claims them.
    """

    kind: ReplyKind
    steps: tuple[Step, ...] = ()
    goals: tuple[Goal, ...] = ()
    reason: Reason | None = None
    detail: str = ''
    warnings: tuple[str, ...] = ()
    suggested_plan: SuggestedPlan | None = None
    goals_certain: bool = True
    cause: Cause | None = None  # why there is no plan, finer than the reason
    left_alone: tuple[str, ...] = ()  # objects that the task says to leave where they are
    remedy: str = ''  # what would help if the planner cannot be reached
    blockers: tuple[str, ...] = ()  # objects that are in the way of a plan

    def __post_init__(self) -> None:
        object.__setattr__(self, 'kind', member(ReplyKind, self.kind, 'kind of reply'))
        object.__setattr__(self, 'reason', member_or_none(Reason, self.reason, 'reason'))
        object.__setattr__(self, 'cause', member_or_none(Cause, self.cause, 'cause'))


@dataclass(frozen=True)
class Proof(Recorded):
    """A call that cannot succeed in this scene, and the result that proves it."""

    step: Step
    scene: Scene
    result: SkillResult


@dataclass(frozen=True)
class PlanRequest:
    """Everything a planner may use: the current scene and what happened so far.

    `goals` are the current ones; they are certain or only claimed by a planner (PlanReply).
    `previous` is the last plan.
    `context` holds the agent's findings: the failure analysis (`failure_context`), hints from a
    person, the monitor's guidance. `suggested_plan` is judged in the scene. `proofs` are calls
    that were proved impossible; `proof_against` says which still are.
    """

    task: str
    scene: Scene
    skills: tuple[SkillSpec, ...]
    prior_attempts: tuple[Attempt, ...] = ()
    completed: tuple[CompletedStep, ...] = ()
    replan: int = 0
    goals: tuple[Goal, ...] = ()
    previous: Plan | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
    suggested_plan: SuggestedPlan | None = None
    goals_certain: bool = True
    proofs: tuple[Proof, ...] = ()

    @property
    def is_settled(self) -> bool:
        """Whether the goals are known and certain, so that no planner names others."""
        return bool(self.goals) and self.goals_certain

    @property
    def new_hints(self) -> tuple[str, ...]:
        """What a person said since the last plan."""
        before = self.previous.context.get('hints', ()) if self.previous else ()
        return tuple(hint for hint in self.context.get('hints', ()) if hint not in before)


@dataclass(frozen=True)
class PlanProblem:
    """Why a plan may not run: a slug, and a sentence that names the valid choices.

    `step_idx` is the index of the step that is wrong; None if it is not one step. `cause` is finer
    than the reason, if it is known. With `is_misnamed` only the name of a field is wrong.
    """

    reason: Reason
    detail: str
    step_idx: int | None = None
    cause: Cause | None = None
    is_misnamed: bool = False


class PlanCause(str, Enum):
    """Why this version of the plan was made."""

    INITIAL = 'initial'
    ERROR = 'error'
    ADAPTIVE = 'adaptive'
    LOCAL = 'local'
    MONITOR = 'monitor'
    HUMAN = 'human'


@dataclass(frozen=True)
class Adaptation(Recorded):
    """Steps that the agent itself put into a plan, and why.

    It is a changed step, a few actions around a blocked one, or the put-down before a person is
    asked. `step_idx` is the index of the planned step that it belongs to.
    """

    step_idx: int
    steps: tuple[Step, ...]
    cause: PlanCause
    reason: str = ''


@dataclass(frozen=True)
class Plan(Recorded):
    """One version of a task's plan, as the planner made it.

    `reason` is what led to it, `context` is what the planner knew about that. `adaptations` are
    the agent's own changes while it ran; they do not make another version.
    """

    version: int
    task: str
    steps: tuple[Step, ...]
    goals: tuple[Goal, ...]
    cause: PlanCause
    parent: int | None
    scene_id: str
    planner: str
    reason: str = ''
    context: Mapping[str, Any] = field(default_factory=dict)
    adaptations: tuple[Adaptation, ...] = ()

    WRITTEN = ('version parent cause reason context task planner scene_id steps goals '
               'adaptations')

    @property
    def calls(self) -> tuple[str, ...]:
        """What it does: plans with the same calls are the same to a person."""
        return tuple(step.call for step in self.steps)


def completed_block(completed: tuple[str, ...], undone: tuple[str, ...] = ()) -> str:
    """The text for the planner about the steps already done; empty if there are none."""
    lines = [] if not completed else [
        '=== ALREADY COMPLETED (DO NOT REPEAT) ===',
        'The following steps have ALREADY been executed successfully.',
        'Do NOT include these in your plan:',
        *(f'  DONE {i}. {text}' for i, text in enumerate(completed, 1)),
        '',
        'IMPORTANT: Plan ONLY the remaining steps needed to finish the task.',
    ]
    lines += [] if not undone else [
        'These steps succeeded, but the scene shows that they were undone since. Plan them again '
        'if the task needs them:',
        *(f'  UNDONE {i}. {text}' for i, text in enumerate(undone, 1)),
    ]
    return '\n'.join(lines)
