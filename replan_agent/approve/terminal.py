# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reads one line from the person at the terminal, with a time limit."""

from __future__ import annotations

import os
import select
import sys
import time
from typing import TextIO

from replan_agent.domain.context import Context
from replan_agent.text.shown_text import printable

POLL_S = 0.2


class NoAnswer(Exception):
    """Nobody answered; the message says why."""


class TooLate(NoAnswer):
    """Nobody answered in time."""


class Terminal:
    """Asks on `out` (not where results are printed) and reads from `source`."""

    def __init__(self, source: TextIO | None = None, out: TextIO | None = None) -> None:
        self._source = source or sys.stdin
        self._out = out or sys.stderr

    def say(self, text: str) -> None:
        print(printable(text), file=self._out, flush=True)

    def ask(self, prompt: str, timeout_s: float, ctx: Context) -> str:
        """The line typed after the prompt. Raises NoAnswer, or what `ctx` raises."""
        if not self._source.isatty():
            raise NoAnswer('the input is not a terminal')
        import termios  # does not exist on every platform

        fd = self._source.fileno()
        termios.tcflush(fd, termios.TCIFLUSH)  # ignore what was typed before the question
        print(printable(prompt), end='', file=self._out, flush=True)
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            ctx.check()
            ready, _, _ = select.select([fd], [], [], min(POLL_S, timeout_s))
            if ready:
                return _line(fd)
        self.say('')
        raise TooLate('nobody answered in time')


def _line(fd: int) -> str:
    """The typed line; a terminal delivers whole lines."""
    try:
        typed = os.read(fd, 4096)
    except OSError:  # the other end of the terminal is gone
        typed = b''
    if not typed:
        raise NoAnswer('the input has ended')
    return typed.decode(errors='replace').strip()
