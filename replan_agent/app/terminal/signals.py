# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C handling: noted by a command, or as a cancel token."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from replan_agent.domain.context import CancelToken


@contextmanager
def ctrl_c_noted() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed. C code can turn its KeyboardInterrupt into another error."""
    pressed = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        pressed.set()
        raise KeyboardInterrupt

    ours = (threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    if ours:
        signal.signal(signal.SIGINT, on_signal)
    try:
        yield pressed.is_set
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def cancelled_by_signal() -> Iterator[CancelToken]:
    """A token that Ctrl-C (or SIGTERM) cancels. A second Ctrl-C interrupts at once."""
    token = CancelToken()

    def on_signal(number: int, frame: FrameType | None) -> None:
        if token.cancelled:
            raise KeyboardInterrupt
        token.cancel(f'cancelled by {signal.Signals(number).name}')
        with suppress(RuntimeError):  # the signal came inside another write to stderr
            print('\ncancelling: waiting for the arm to stand still (Ctrl-C again to quit now)',
                  file=sys.stderr)

    previous = {s: signal.signal(s, on_signal) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield token
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
