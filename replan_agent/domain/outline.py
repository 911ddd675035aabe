"""The suggested plan: goals in words beside the executable segment, for reference only.

How far it got is read from the scene, never from the actions taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .goal import Goal, judge
from .scene import Scene


@dataclass(frozen=True)
class OutlineGoal:
    """"Clear the bowl"; `goal` is the predicate that tells when it is met, where there is one."""

    text: str
    goal: Goal | None = None
    done: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {'text': self.text, 'goal': self.goal.as_dict() if self.goal else None,
                'done': self.done}


@dataclass(frozen=True)
class Outline:
    """A suggested plan and how far it got."""

    goals: tuple[OutlineGoal, ...]

    @property
    def progress_step(self) -> int:
        """The first goal that is not met, from 1; one past the last when all are."""
        return next((i for i, g in enumerate(self.goals, 1) if not g.done), len(self.goals) + 1)

    def seen_in(self, scene: Scene) -> Outline:
        """The outline with every goal judged in the scene.

        One without a predicate is taken as met when a later one is.
        """
        met = [judge(g.goal, scene) is True if g.goal else None for g in self.goals]
        done = [m if m is not None else any(met[i + 1:]) for i, m in enumerate(met)]
        return Outline(tuple(replace(g, done=bool(d)) for g, d in zip(self.goals, done)))

    def revised(self, goals: Sequence[OutlineGoal]) -> Outline:
        """The outline with its unmet goals replaced; those that are met stay as they are."""
        kept = tuple(g for g in self.goals if g.done)
        texts = {g.text for g in kept}
        return Outline((*kept, *(g for g in goals if g.text not in texts)))

    def as_dict(self) -> dict[str, Any]:
        return {'goals': [g.as_dict() for g in self.goals], 'progress_step': self.progress_step}
