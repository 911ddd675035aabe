"""Going on with a task that stopped for a person."""

from __future__ import annotations

from dataclasses import dataclass

from .failure import Attempt
from .goal import Goal
from .plan import CompletedStep


@dataclass(frozen=True)
class Resume:
    """What an earlier run of the task leaves to the next one, and what a person adds."""

    attempts: tuple[Attempt, ...] = ()
    completed: tuple[CompletedStep, ...] = ()
    goals: tuple[Goal, ...] = ()
    hints: tuple[str, ...] = ()
