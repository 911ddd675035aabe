# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the server needs of an arm: the same in the embedded simulation and over ROS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from replan_agent.agent.task_progress import Progress
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec


@dataclass(frozen=True)
class Look:
    """What is seen: the scene, and a PNG picture or why there is none."""

    scene: Scene
    png: bytes = b''
    no_picture: str = ''


@dataclass(frozen=True)
class Order:
    """What a client says, or with `steps` a plan of its own."""

    task: str
    steps: tuple[Step, ...] = ()


class TaskRefused(Exception):
    """The task did not start, or its end is not known. The message says why."""


class Station(Protocol):
    """An arm with its agent. Only `stop` and `reset` are called while a task runs."""

    approver: str  # who approves plans
    ask_where: str  # where a person is asked about a plan; '' if nobody can be asked
    reset_command: str  # with which a person ends a stop

    def look(self) -> Look:
        """Look now. Raises PerceptionError if nothing can be seen."""

    def skills(self) -> tuple[SkillSpec, ...]:
        """The skills that a plan may use."""

    def run(self, order: Order, folder: Path, on_progress: Callable[[Progress], None],
            ctx: Context) -> Mapping[str, Any]:
        """The outcome of a task, as in its result.json in the folder. Raises TaskRefused.

        What is said has a reply, too; without a task that is all.
        """

    def stop(self) -> str:
        """Stop the arm itself, beside the cancel of the task. Returns what went wrong, or ''."""

    def reset(self) -> str:
        """End the stop of the arm itself; returns what happened. Raises TaskRefused."""

    def close(self) -> None:
        """Free what it holds."""
