"""Stops the arm if a skill goes on although it was cancelled or its time is over."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from replan_agent.domain.context import Cancelled, Context, DeadlineExceeded

from .broken_part import described

log = logging.getLogger('replan_agent')
POLL_S = 0.1
GRACE_S = 2.0  # wall time that a skill has to come to an end


class Watch:
    """What the watchdog has seen of one call. `unsaid` are warnings that could not be recorded."""

    def __init__(self) -> None:
        self.has_stopped = False
        self.unsaid: list[str] = []
        self.returned = threading.Event()


@contextmanager
def watchdog(what: str, ctx: Context, stop: Callable[[], None], say: Callable[[str], None],
             grace_s: float = GRACE_S) -> Iterator[Watch]:
    """Watch the block. After `grace_s` beyond its end it calls `stop` and `say`, until it returns.

    The arm is stopped first, and a `say` that fails goes to the log and to `Watch.unsaid`.

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
            first, watch.has_stopped, over_since = not watch.has_stopped, True, None
            problem = _problem_of(stop)
            if first:
                tell(f'{what} ignores its context and goes on ({why}): the arm is stopped')
            if problem:
                tell(f'standstill NOT confirmed: {problem}')

    def tell(text: str) -> None:
        problem = _problem_of(lambda: say(text))
        if problem:
            watch.unsaid.append(f'{text} (not recorded: {problem})')
            log.error(watch.unsaid[-1])

    thread = threading.Thread(target=guard, name=f'watchdog of {what}', daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        watch.returned.set()
        thread.join()


def _problem_of(act: Callable[[], None]) -> str:
    """What went wrong with the act; '' if nothing."""
    try:
        act()
    except Exception as error:  # noqa: BLE001 the thread's edge: said, whatever it was
        return described(error)
    return ''


def _over(ctx: Context) -> str:
    """Why the call should have ended; '' if it may go on."""
    try:
        ctx.check()
    except (Cancelled, DeadlineExceeded) as end:
        return str(end)
    return ''
