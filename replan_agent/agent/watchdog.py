"""Stops the arm if a skill goes on although it was cancelled or its time is over."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from replan_agent.domain.context import Cancelled, Context, DeadlineExceeded

from .broken_part import described

POLL_S = 0.1
GRACE_S = 2.0  # wall time that a skill has to come to an end


class Watch:
    """What the watchdog has seen of one call."""

    def __init__(self) -> None:
        self.has_stopped = False
        self.returned = threading.Event()


@contextmanager
def watchdog(what: str, ctx: Context, stop: Callable[[], None], say: Callable[[str], None],
             grace_s: float = GRACE_S) -> Iterator[Watch]:
    """Watch the block. After `grace_s` beyond its end it calls `say` and `stop`, until it returns.

    A thread cannot be ended from outside: a skill that never returns keeps the task waiting, but
    the arm stands still.
    """
    watch = Watch()

    def guard() -> None:
        over_since = None
        while not watch.returned.wait(POLL_S):
            why = _over(ctx)
            over_since = (over_since or time.monotonic()) if why else None
            if over_since is None or time.monotonic() - over_since < grace_s:
                continue
            if not watch.has_stopped:
                say(f'{what} ignores its context and goes on ({why}): the arm is stopped')
            watch.has_stopped, over_since = True, None
            try:
                stop()
            except Exception as error:  # noqa: BLE001 the thread's edge: said, whatever it was
                say(f'standstill NOT confirmed: {described(error)}')

    thread = threading.Thread(target=guard, name=f'watchdog of {what}', daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        watch.returned.set()
        thread.join()


def _over(ctx: Context) -> str:
    """Why the call should have ended; '' if it may go on."""
    try:
        ctx.check()
    except (Cancelled, DeadlineExceeded) as end:
        return str(end)
    return ''
