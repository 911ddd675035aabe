"""Continuing a task that stopped to ask a person."""

from __future__ import annotations

from dataclasses import dataclass

from .failure import Attempt
from .goal import Goal
from .plan import CompletedStep


@dataclass(frozen=True)
class Resume:
    """What an earlier run of the task passes on to the next, and what a person adds."""

    attempts: tuple[Attempt, ...] = ()
    completed: tuple[CompletedStep, ...] = ()
    goals: tuple[Goal, ...] = ()
    hints: tuple[str, ...] = ()
