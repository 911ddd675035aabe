# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One episode: the job that describes it, and its outcome."""

from __future__ import annotations

import platform
import traceback
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from replan_agent.domain.config import ConfigError
from replan_agent.record.versions import versions

SETTLE_S = 1.0  # the world is left alone for this long before it is judged
CRASHED = 'crashed'
NOT_LOADED = 'not_loaded'


class CannotLoad(ConfigError):
    """A thing of a set is damaged: its episode does not take place."""


@dataclass(frozen=True)
class Job:
    """Episodes to run. Plain values, so that another process can get it.

    `objects` is the folder of a set of things, `pictures` a folder for pictures of failures,
    `problems` the file of MotionBenchMaker's problems.
    """

    suite: str
    row: str
    seed: int
    column: str = ''
    objects: Path | None = None
    pictures: Path | None = None
    problems: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """How one episode ended. `success` is what the judge says, `claimed` what the agent says.

    `objection` says what the judge found wrong ('' on success).
    """

    row: str
    seed: int
    success: bool
    objection: str
    claimed: bool
    final_reason: str
    final_detail: str
    column: str = ''
    robot_s: float = 0.0
    setup_s: float = 0.0  # building the world, part of wall_s
    wall_s: float = 0.0
    cpu_s: float = 0.0  # what wall_s would be on an idle machine
    machine: str = ''

    @property
    def took_place(self) -> bool:
        """Whether it counts: False if its thing could not be loaded."""
        return self.final_reason != NOT_LOADED

    @property
    def false_success(self) -> bool:
        return self.claimed and not self.success

    def without_clock(self: O) -> O:
        """Only what the seed decides: the same on every machine."""
        return replace(self, setup_s=0.0, wall_s=0.0, cpu_s=0.0, machine='')

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), 'false_success': self.false_success}


O = TypeVar('O', bound=Outcome)  # noqa: E741 an outcome


def crashed(kind: type[O], job: Job, column: str, error: Exception) -> O:
    """The outcome of an episode that raised: what, and where."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return kind(job.row, job.seed, False, 'no verdict', False, CRASHED,
                f'{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})',
                column=column, machine=machine())


def not_loaded(kind: type[O], job: Job, column: str, error: CannotLoad) -> O:
    """The outcome of an episode whose thing is damaged."""
    return kind(job.row, job.seed, False, '', False, NOT_LOADED, str(error), column=column,
                machine=machine())


@cache
def machine() -> str:
    """The machine and the versions that an episode ran on."""
    found = versions()
    return f'{platform.node()} {found["machine"]}, python {found["python"]}, ' + ', '.join(
        f'{name} {found[name]}' for name in ('mujoco', 'numpy', 'scipy') if name in found)
