"""How a command ends: its exit status, and the error of wrong use."""

from __future__ import annotations

SUCCESS, TASK_FAILED, WRONG_USE = 0, 1, 2
NOT_RECORDED = 3  # the task ended, and its record is not complete
INTERRUPTED = 130  # by Ctrl-C: 128 plus the number of SIGINT, as in a shell


class WrongUse(Exception):
    """The command cannot be carried out. The message says what to change."""
