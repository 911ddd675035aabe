# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Continuing a task that stopped: what an earlier run passes on to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from replan_agent.text.plain_values import Recorded

from .failure import Attempt
from .goal import Goal
from .plan import CompletedStep, Plan, Proof
from .recovery import Reflection


@dataclass(frozen=True)
class Resume(Recorded):
    """What an earlier run of the task passes on to the next, and what a person adds.

    `undone` are steps that it completed and that do not count any more, because the world has
    started again. `approver` is who approved its plans, as in the settings; '' if unknown.
    `threshold` is the risk from which a person was asked about the last one; None if unknown.
    `goals_certain`: the goals are in the words of the task. `denied`: a person denied a plan or
    wanted it changed, so a person is asked about every plan. `approval` are the settings of its
    approval; empty if unknown.
    """

    attempts: tuple[Attempt, ...] = ()
    completed: tuple[CompletedStep, ...] = ()
    goals: tuple[Goal, ...] = ()
    hints: tuple[str, ...] = ()
    plans: tuple[Plan, ...] = ()
    proofs: tuple[Proof, ...] = ()
    reflections: tuple[Reflection, ...] = ()
    undone: tuple[CompletedStep, ...] = ()
    approver: str = ''
    threshold: float | None = None
    goals_certain: bool = False
    denied: bool = False
    approval: Mapping[str, Any] = field(default_factory=dict)

    def in_new_world(self) -> Resume:
        """The same in a world that starts again: what was completed is not done there."""
        return replace(self, completed=(), undone=(*self.undone, *self.completed))
