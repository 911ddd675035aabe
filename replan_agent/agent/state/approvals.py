# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What people said about the plans of a task: yes, no, or what they want changed."""

from __future__ import annotations

from dataclasses import dataclass, field

from replan_agent.domain.event import ApprovalDecided, HumanAnswered, WarningRaised
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.skill import SkillSpec

from ..ports import Record
from .wishes import SpeedCaps, wants_slower


@dataclass
class Approvals:
    """The decisions of a task. APPROVE adds them; a person who is asked adds hints.

    `denied`: a person denied a plan or wanted it changed, so a person is asked from then on.
    `wishes` are what a person wants changed, by the calls of the plan; `asked_to_change` are
    those plans that the planner was asked to change, `slowest` those that cannot be slower.
    `after_attempts` is the number of failed attempts before the latest approval.
    `earlier_threshold` is that of an earlier run.
    """

    record: Record
    decided: list[ApprovalDecided] = field(default_factory=list)
    denied: bool = False
    after_attempts: int = 0
    wishes: dict[tuple[str, ...], str] = field(default_factory=dict)
    asked_to_change: set[tuple[str, ...]] = field(default_factory=set)
    slowest: set[tuple[str, ...]] = field(default_factory=set)
    hints: list[str] = field(default_factory=list)
    speed_caps: SpeedCaps = field(default_factory=SpeedCaps)
    earlier_threshold: float | None = None
    _calls: frozenset[str] = frozenset()

    @property
    def threshold(self) -> float | None:
        """The risk from which a person was asked last, in this run or in an earlier one."""
        return next((decided.threshold for decided in reversed(self.decided)
                     if decided.threshold is not None), self.earlier_threshold)

    def grant(self, plan: Plan, attempts: int) -> None:
        """The plan may run until something fails."""
        self.after_attempts = attempts
        self._calls = frozenset(plan.calls)

    def covers(self, step: Step, attempts: int) -> bool:
        """Whether the latest approval is for this step too, and nothing failed since."""
        return step.call in self._calls and attempts == self.after_attempts

    def take_hint(self, hint: str, specs: tuple[SkillSpec, ...],
                  about: tuple[Step, ...] = ()) -> None:
        """Keep what a person said for the next plans."""
        self.record(HumanAnswered(hint))
        self.slow_down(hint, specs, about)
        self.hints.append(hint)

    def slow_down(self, hint: str, specs: tuple[SkillSpec, ...],
                  about: tuple[Step, ...] = ()) -> None:
        """Lower the speed of all later steps, if the hint asks for it."""
        if wants_slower(hint):
            self.speed_caps.lower(about, specs)
            self.record(WarningRaised(f'a person said {hint!r}: from now on {self.speed_caps}'))
