# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What every port call carries: a deadline, a cancel token and the budget of model calls."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

POLL_S = 0.02  # how often a token looks at the others it follows
LONGEST_S = 1.0  # of one wait: a token is looked at again then, whatever became of its signal


class Cancelled(Exception):
    """The task was cancelled. Raised inside long work, caught by the loop."""


class DeadlineExceeded(Exception):
    """The time given to this call is over. Raised inside long work, caught by the loop."""


class BudgetExhausted(Exception):
    """No model calls are left. Raised inside long work, caught by the loop."""


class CancelToken:
    """Can be cancelled once, from any thread or a signal handler.

    It is also cancelled if one of `others` is. A signal handler may run in the middle of a wait of
    its own thread. An Event would then wait for the lock that it holds itself, and a SimpleQueue
    forgets its timeout. A bare lock, held until the token is cancelled, does neither.
    """

    def __init__(self, *others: CancelToken) -> None:
        self._until_cancelled = threading.Lock()
        self._until_cancelled.acquire()
        self._reason = ''
        self._is_cancelled = False
        self._others = others

    def cancel(self, reason: str = 'cancelled by the caller') -> None:
        if not self._is_cancelled:
            self._reason = reason
            self._is_cancelled = True
            self._wake()

    @property
    def reason(self) -> str:
        """Why it is cancelled; '' if it is not."""
        return self._reason or next((o.reason for o in self._others if o.cancelled), '')

    @property
    def cancelled(self) -> bool:
        return self._is_cancelled or any(other.cancelled for other in self._others)

    def wait(self, timeout_s: float) -> bool:
        """Sleep up to `timeout_s`; True at once if cancelled."""
        until = time.monotonic() + timeout_s
        while not self.cancelled and (left := until - time.monotonic()) > 0:
            if self._until_cancelled.acquire(
                    timeout=min(left, POLL_S if self._others else LONGEST_S)):
                self._wake()  # the next one who waits
        return self.cancelled

    def _wake(self) -> None:
        with contextlib.suppress(RuntimeError):  # two threads cancel at once: it is free already
            self._until_cancelled.release()


@dataclass(frozen=True)
class Context:
    """Deadline (on the `now` clock, wall seconds) and cancel token of one call.

    Call `spend_call(what)` before each model request. It raises `BudgetExhausted` if the budget
    does not cover the request. `calls_left()` is the number of calls left, None if calls are not
    counted. `report(sentence)` says what a long call is doing, for people who wait.
    `tell_exchange` records a prompt and the reply to it. Outside a task, nobody counts, hears or
    records. `stopped` is cancelled after a stop elsewhere: who moves something hears of it there.
    """

    cancel: CancelToken = field(default_factory=CancelToken)
    deadline: float = float('inf')
    now: Callable[[], float] = time.monotonic
    spend_call: Callable[[str], None] = lambda what: None
    calls_left: Callable[[], int | None] = lambda: None
    report: Callable[[str], None] = lambda message: None
    tell_exchange: Callable[[Mapping[str, Any]], None] = lambda exchange: None
    stopped: CancelToken = field(default_factory=CancelToken)

    def check(self) -> None:
        """Raise if the call should end: `Cancelled` first, then `DeadlineExceeded`."""
        if self.cancel.cancelled:
            raise Cancelled(self.cancel.reason)
        if self.now() >= self.deadline:
            raise DeadlineExceeded('the time given to this call is over')

    @property
    def over(self) -> Cancelled | DeadlineExceeded | None:
        """What `check` raises; None if the call may go on."""
        try:
            self.check()
        except (Cancelled, DeadlineExceeded) as end:
            return end
        return None

    def remaining_s(self) -> float:
        return self.deadline - self.now()

    def within(self, timeout_s: float) -> Context:
        """The same context with an earlier deadline (never a later one)."""
        return replace(self, deadline=min(self.deadline, self.now() + timeout_s))
