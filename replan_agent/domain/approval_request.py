# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A plan that needs a yes, how risky it is, and the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from replan_agent.text.shown_text import one_line, shown

from .failure import Attempt
from .plan import REPLAN_TOLD, Plan
from .scene import Scene
from .skill import SkillSpec, find_spec


@dataclass(frozen=True)
class RiskAssessment:
    """How risky a plan is (0 to 1), the risk from which a person is asked, and why."""

    risk: float | None = None
    threshold: float | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class ApprovalRequest:
    """A plan that needs approval, what happened before it, and the available skills.

    `number` counts the questions of a task: another plan, other steps and a repeated question
    have another number. `is_first`: these are the planner's steps of this version, asked for
    the first time. An approver that asks a person calls `on_pending(assessment)` before it
    waits, as soon as the answer can be given. `ask_person`: a person has denied a plan of this
    task or wanted it changed, so the answer is a person's, whatever the risk. `understood`: the
    goals in English, where a planner only claims that the task means them.
    """

    plan: Plan
    scene: Scene
    attempts: tuple[Attempt, ...] = ()
    assessment: RiskAssessment = RiskAssessment()
    on_pending: Callable[[RiskAssessment], None] = lambda assessment: None
    skills: tuple[SkillSpec, ...] = ()
    number: int = 1
    is_first: bool = True
    ask_person: bool = False
    understood: str = ''
    chance: Mapping[str, Any] = field(default_factory=dict)  # as of RehearsalResult

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the calls do not say: what was understood, its chance, that a plan is only a part,
        and which steps may repeat.
        """
        found = [(step, find_spec(self.skills, step.skill)) for step in self.plan.steps]
        return (*(f'I understood: {text}. Right?' for text in (self.understood,) if text),
                *(str(self.chance[key]) for key in ('said',) if key in self.chance),
                *('this plan is only a part of the task: '
                  f'{one_line(step.description) or REPLAN_TOLD}'
                  for step in self.plan.steps if step.is_replan),
                *(f'step {step.step_number} {step.skill} may take up to {spec.most_strokes} '
                  'strokes, all with this one approval'
                  for step, spec in found if spec is not None and spec.most_strokes > 1))


@dataclass(frozen=True)
class Approval:
    """The answer; with risk (0 to 1), threshold and reasons if the risk was assessed.

    Only True approves: any other value, also one that Python counts as true, is a no. `edit` is
    what a person wants changed: the plan is not approved, and another one is made.
    """

    approved: bool
    approver: str
    detail: str = ''
    risk: float | None = None
    threshold: float | None = None
    reasons: tuple[str, ...] = ()
    edit: str = ''

    def __post_init__(self) -> None:
        if type(self.approved) is not bool:
            object.__setattr__(self, 'detail', f'{self.approver} answered '
                               f'{shown(self.approved)}; only True approves')
            object.__setattr__(self, 'approved', False)
