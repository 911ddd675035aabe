# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is known about a failure beyond its attempt, and what may help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from replan_agent.text.plain_values import Recorded

from .failure import Attempt
from .goal import Goal
from .plan import Step
from .scene import Scene
from .scene_changes import SceneChanges
from .skill import SkillSpec
from .skill_effect import Effect

TRUSTED = 0.55  # the weight above which a fix is used first
ADVANTAGE = 0.2  # more force and less speed have a price: a fix must be this much better


@dataclass(frozen=True)
class FailureCase:
    """A failed attempt with its evidence: the scenes before and after it, and earlier failures.

    `step` is None if no step is to blame (a refused plan, an unmet goal). `after` is None if there
    was no look since. `skill` is None if the step's skill is not known. `left_alone` are objects
    that the task says to leave where they are.
    """

    attempt: Attempt
    before: Scene
    step: Step | None = None
    after: Scene | None = None
    earlier: tuple[Attempt, ...] = ()
    skill: SkillSpec | None = None
    left_alone: frozenset[str] = frozenset()
    goals: tuple[Goal, ...] = ()  # of the task

    @property
    def effect(self) -> Effect:
        """What the failed step should have done to the gripper and the scene."""
        return self.skill.effect if self.skill else Effect()

    @property
    def cause(self) -> str:
        """The cause that the diagnosis found; empty without one."""
        diagnosis = self.attempt.diagnosis
        return diagnosis.cause.value if diagnosis and diagnosis.cause else ''

    @property
    def handled(self) -> str | None:
        """The object that the step moves: the one it names, else the one in the hand."""
        return self.acted_on(self.attempt.args) or self.before.held

    @property
    def changes(self) -> SceneChanges:
        """What else changed between the looks. What the step itself moves does not count."""
        if self.after is None:
            return SceneChanges()
        held = self.after.held if self.after.held in self.before.names() else None  # it arrived
        return SceneChanges.between(self.before, self.after,
                                    (self.handled, self.before.held, held))

    def acted_on(self, args: Mapping[str, Any]) -> str | None:
        """The name of the object that a call of the same skill handles; None if there is none."""
        return self.skill.acts_on(args) if self.skill else None


class Response(str, Enum):
    """What the policy decides about a failure."""

    RETRY = 'retry'  # the same step again
    RECAPTURE = 'recapture'  # the same step again, after a fresh look
    LOCAL = 'local'  # a few small actions around the step, then the step again
    REPLAN = 'replan'
    HUMAN = 'human'
    STOP = 'stop'
    CONTINUE = 'continue'  # only logged; the next step follows


AS_PLANNED = 'as_planned'  # the option of a fix that takes back a remembered change


@dataclass(frozen=True)
class Fix(Recorded):
    """A change to try: `changes` are arguments of the failed step, `option` a local remedy.

    `source` says where it comes from: rules, model or memory.
    """

    message: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    option: str = ''
    source: str = 'rules'

    def applied_to(self, step: Step) -> Step:
        """The step with the changes applied."""
        return replace(step, args={**step.args, **self.changes})


PLAIN = Fix('as planned, without a change', option=AS_PLANNED)


@dataclass(frozen=True)
class Reflection(Recorded):
    """Why it failed, in words, and what may help. `by`: rules, or the name of a model."""

    error_type: str
    root_cause: str
    contributing_factors: tuple[str, ...] = ()
    fix: Fix | None = None
    preventable: bool = False
    by: str = 'rules'


@dataclass(frozen=True)
class Situation(Recorded):
    """What makes two failures alike: the skill, the failure, the object and where it is.

    `reason` and `cause` are empty before anything failed. `features` are numbers and words about
    the object and its surroundings. Geometry is relative, so a new pose is still similar.
    """

    skill: str
    reason: str = ''
    cause: str = ''
    object: str = ''
    features: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Remembered(Recorded):
    """A situation met earlier, the fix that was tried, and how often it worked.

    `weight` (0 to 1) is how much the fix is trusted, `similarity` (0 to 1) how alike the two are.
    `plain_weight` (0 to 1) is the trust in the step as planned in such situations.
    """

    memory_id: int
    situation: Situation
    fix: Fix
    worked: int
    failed: int
    weight: float
    similarity: float = 1.0
    plain_weight: float = 1 / 3  # it failed once

    @property
    def is_trusted(self) -> bool:
        """Whether the fix worked more often than not: it comes before anything else."""
        return self.weight > TRUSTED

    @property
    def beats_plain(self) -> bool:
        """Whether the fix is so much better than the step as planned that it comes first."""
        return self.is_trusted and self.weight - self.plain_weight > ADVANTAGE


@dataclass(frozen=True)
class RetryCounts:
    """How often a step was retried and worked around, and whether it may be worked around.

    `spent`: every change that is known for it has failed.
    """

    retries: int = 0
    local: int = 0
    may_work_around: bool = True
    spent: bool = False
