"""Ctrl-C as a cancel token."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from replan_agent.domain.context import CancelToken


@contextmanager
def cancelled_by_signal() -> Iterator[CancelToken]:
    """A token that Ctrl-C (or SIGTERM) cancels; a second Ctrl-C interrupts at once."""
    token = CancelToken()

    def on_signal(number: int, frame: FrameType | None) -> None:
        if token.cancelled:
            raise KeyboardInterrupt
        token.cancel(f'cancelled by {signal.Signals(number).name}')
        print('\ncancelling: waiting for the arm to stand still (Ctrl-C again to quit now)',
              file=sys.stderr)

    previous = {s: signal.signal(s, on_signal) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield token
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
