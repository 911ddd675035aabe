"""How a command ends: its exit status, and the error of wrong use."""

from __future__ import annotations

SUCCESS, TASK_FAILED, WRONG_USE = 0, 1, 2
INTERRUPTED = 130  # by Ctrl-C: 128 and the number of SIGINT, as a shell has it


class WrongUse(Exception):
    """The command cannot be carried out as given; the message says what to change."""
