# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What tasks moved, and from where: "undo that" and "put it back" are tasks made from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from replan_agent.domain.scene import Scene, Shape
from replan_agent.domain.scene_changes import MOVED_M
from replan_agent.domain.skill import SkillSpec, find_spec
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.geometry.judging import is_inside, support_below

MOST_TASKS = 20  # that can be undone
Names = Callable[[Sequence[str]], str]  # the words for things


@dataclass
class Moves:
    """For each task, where the things that it moved stood before, in the order of moving."""

    tasks: list[dict[str, Scene]] = field(default_factory=list)

    def note(self, result: TaskResult, specs: tuple[SkillSpec, ...], before: Scene,
             after: Scene | None) -> tuple[str, ...]:
        """Keep what the steps of a task moved; returns the names."""
        names = dict.fromkeys(
            name for step in result.steps
            if (spec := find_spec(specs, step.step.skill)) is not None
            and (name := spec.moves(step.step.args)) and before.get(name) is not None)
        if before.held and before.get(before.held) is not None and result.steps:
            names = {before.held: None, **names}
        moved = {name: before for name in names if after is None or _is_moved(name, before, after)}
        is_task = result.final_reason is not FinalReason.UNRECOGNIZED_PROMPT
        if is_task and (moved or self.tasks[-1:] != [{}]):
            self.tasks = [*self.tasks, moved][-MOST_TASKS:]
        return tuple(moved)

    def last(self, now: Scene, names: Sequence[str] = ()) -> Mapping[str, Scene]:
        """What the last task moved; with names, those of the last task that moved one of them.

        What stands where it stood is left out: it is back.
        """
        for moved in reversed(self.tasks if names else self.tasks[-1:]):
            found = {name: scene for name, scene in moved.items()
                     if (not names or name in names) and _is_moved(name, scene, now)}
            if found:
                return found
        return {}

    def count(self, names: Sequence[str]) -> int:
        """How many tasks moved one of these."""
        return sum(not moved.keys().isdisjoint(names) for moved in self.tasks)

    def forget(self, names: Mapping[str, Scene], all_of_it: bool) -> None:
        """These are back; `all_of_it`: so is their task."""
        for at, task in enumerate(self.tasks):
            left = {name: scene for name, scene in task.items() if names.get(name) is not scene}
            if left != task:
                self.tasks[at:at + 1] = [left] if left and not all_of_it else []


def task_back(moved: Mapping[str, Scene], names: Names) -> str:
    """The task that brings the things back to where they stood: the last one first."""
    return ', then '.join(_order_back(name, before, names)
                          for name, before in reversed(list(moved.items())))


def _order_back(name: str, before: Scene, names: Names) -> str:
    thing = before.get(name)
    assert thing is not None
    if before.held == name:
        return f'pick up {names([name])}'
    below = support_below(thing, before)
    if below is None or below.shape is Shape.TABLE:
        return f'put {names([name])} at ({thing.position[0]:.3f}, {thing.position[1]:.3f})'
    return f'put {names([name])} {"in" if is_inside(thing, below) else "on"} {names([below.name])}'


def _is_moved(name: str, before: Scene, after: Scene) -> bool:
    old, new = before.get(name), after.get(name)
    return old is None or new is None or (before.held == name) != (after.held == name) or (
        math.dist(old.position, new.position) >= MOVED_M)
