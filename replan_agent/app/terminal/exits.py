# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a command ends: its exit status, and the error of wrong use."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `--help` does not wait for it
    from replan_agent.domain.task_result import TaskResult

SUCCESS, TASK_FAILED, WRONG_USE = 0, 1, 2
NOT_RECORDED = 3  # the task ended, and its record is not complete
INTERRUPTED = 130  # by Ctrl-C: 128 plus the number of SIGINT, as in a shell


class WrongUse(Exception):
    """The command cannot be carried out. The message says what to change."""


def exit_status(result: TaskResult, out: Path | str) -> int:
    """The exit status of a task. Says it if the record under `out` is not complete."""
    if result.not_recorded:
        print(f'{out}: the run was NOT recorded as a whole: {result.not_recorded}',
              file=sys.stderr)
        return NOT_RECORDED
    return SUCCESS if result.success else TASK_FAILED
