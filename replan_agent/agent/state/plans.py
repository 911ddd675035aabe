# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plans of a task, what was said about them before they ran, and what was done."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from replan_agent.domain.event import PlanAdapted
from replan_agent.domain.plan import Adaptation, CompletedStep, Plan, Step
from replan_agent.domain.task_result import StepRecord
from replan_agent.domain.task_view import Guidance, RehearsalResult

from ..ports import Record


@dataclass
class Plans:
    """The versions of the plan. PLAN adds one, rehearsal and monitor judge it, EXECUTE runs it.

    `executed` are the steps of this run, `completed` those that are done, also in an earlier run;
    `undone` are such steps in a world that has started again.
    `made_at` is when the planner last answered. `rehearsed` is how the steps that come next went
    in the twin. `open_guidance` is the monitor's guidance until a plan follows it.
    """

    record: Record
    all: list[Plan] = field(default_factory=list)
    executed: list[StepRecord] = field(default_factory=list)
    completed: list[CompletedStep] = field(default_factory=list)
    undone: tuple[CompletedStep, ...] = ()
    made_at: float | None = None
    rehearsed: RehearsalResult | None = None
    chances: dict[int, Any] = field(default_factory=dict)  # what was told of each version
    guidance: list[Guidance] = field(default_factory=list)
    open_guidance: str = ''

    @property
    def latest(self) -> Plan | None:
        return self.all[-1] if self.all else None

    @property
    def version(self) -> int:
        """The version of the latest plan; 0 before the first."""
        return self.all[-1].version if self.all else 0

    def adapt(self, plan: Plan, index: int, steps: tuple[Step, ...]) -> None:
        """Note the agent's own steps in the latest plan. It stays the same version.

        They belong to its step at `index`. `plan` is what runs now, with the steps after them.
        """
        if self.latest is not None:
            adaptation = Adaptation(index, steps, plan.cause, plan.reason)
            self.all[-1] = replace(self.latest, adaptations=(*self.latest.adaptations, adaptation))
            self.record(PlanAdapted(self.latest, plan.steps))
