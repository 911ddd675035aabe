# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Workers for MoveIt's process that are slow, crash, or do not start."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

import numpy as np
from replan_agent_moveit.moveit_errors import SUCCESS, TIMED_OUT
from replan_agent_moveit.moveit_question import MoveItAnswer, Question

from replan_agent.domain.config import ConfigError

POLLIN, LONGEST_MS = 1, 10_000


class SlowWorker:
    """Its plan() says that it began, and holds Python's lock until someone lets it go on."""

    def __init__(self, folder: Path) -> None:
        self._begun = folder / 'begun'
        self._go = os.open(folder / 'go', os.O_RDWR)

    def plan(self, question: Question) -> MoveItAnswer:
        self._begun.touch()
        watched = (ctypes.c_int * 2)(self._go, POLLIN)  # struct pollfd
        freed = ctypes.PyDLL(None).poll(watched, 1, LONGEST_MS)  # PyDLL: with the lock held
        return MoveItAnswer(SUCCESS if freed else TIMED_OUT, np.stack([question.start]))


class CrashingWorker:
    def plan(self, question: Question) -> MoveItAnswer:
        os.abort()


def no_worker() -> Any:
    raise ConfigError('no such plugin')
