# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a monitor sees of a task, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .failure import Attempt
from .goal import Goal
from .plan import Step
from .scene import Scene
from .skill import SkillResult, SkillSpec
from .suggested_plan import SuggestedGoal, SuggestedPlan
from .task_result import StepRecord


@dataclass(frozen=True)
class RehearsalResult:
    """How a plan went in its rehearsal: the first step that failed, and its result.

    `after` is the scene in a twin at the end. `chance`: what is `said` about it, and
    whether it is `at_mark`, at `approval.ask_below`; empty if nobody asked for it.
    """

    ok: bool
    duration_s: float
    failed_step: Step | None = None
    result: SkillResult | None = None
    after: Scene | None = None
    chance: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Guidance:
    """A fundamental problem, what to do about it, and goals that replace the unmet ones.

    `about` says what has the problem: a step, a goal. The text is for planners and people.
    `stops` is False if it was said before: it is said again, and the plan goes on.
    """

    problem: str
    text: str
    goals: tuple[SuggestedGoal, ...] = ()
    about: str = ''
    stops: bool = True


@dataclass(frozen=True)
class TaskView:
    """What a monitor may use. `scenes` begins with the first one, then one after each step.

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
    guidance: tuple[Guidance, ...] = ()
    skills: tuple[SkillSpec, ...] = ()

    def was_told(self, guidance: Guidance) -> bool:
        """Whether a monitor has already reported this problem about the same thing."""
        return any((said.problem, said.about) == (guidance.problem, guidance.about)
                   for said in self.guidance)
