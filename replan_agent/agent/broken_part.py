# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the loop does about a part that is broken.

A bug is named, with the line of its code. The arm is stopped if a skill goes on although it was
cancelled or its time is over.
"""

from __future__ import annotations

import logging
import sysconfig
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from replan_agent.domain.context import BudgetExhausted, Cancelled, Context, DeadlineExceeded
from replan_agent.domain.port_errors import NodeLost, PartFailed, PerceptionError, RehearsalError

log = logging.getLogger('replan_agent')
POLL_S = 0.1
GRACE_S = 2.0  # wall time that a skill has to come to an end
OURS = (str(Path(__file__).resolve().parents[1]),)
LIBRARIES = tuple(sysconfig.get_path(name) for name in ('stdlib', 'purelib', 'platlib'))
EXPECTED = (Cancelled, DeadlineExceeded, BudgetExhausted, NodeLost, PerceptionError,
            RehearsalError, PartFailed)


@contextmanager
def naming(part: str) -> Iterator[None]:
    """An unexpected error in this block becomes a PartFailed that names `part`."""
    try:
        yield
    except EXPECTED:
        raise
    except Exception as error:
        raise PartFailed(f'{part} failed with {described(error)}') from error


def described(error: BaseException) -> str:
    """The error with the file and line it comes from: `KeyError: 'cup' (own_skill.py:12)`."""
    if isinstance(error, PartFailed):
        return str(error)
    return f'{type(error).__name__}: {error}{_place(error)}'


def _place(error: BaseException) -> str:
    """The innermost line of the user's own code; without one, the innermost line."""
    frames = traceback.extract_tb(error.__traceback__)
    for skipped in (OURS + LIBRARIES, OURS, ()):
        for frame in reversed(frames):
            if not skipped or not frame.filename.startswith(skipped):
                return f' ({Path(frame.filename).name}:{frame.lineno})'
    return ''


class CallWatch:
    """What the watchdog has seen of one call. `unsaid` are warnings that could not be recorded."""

    def __init__(self) -> None:
        self.has_stopped = False
        self.unsaid: list[str] = []
        self.returned = threading.Event()


@contextmanager
def watchdog(what: str, ctx: Context, stop: Callable[[], None], say: Callable[[str], None],
             grace_s: float = GRACE_S) -> Iterator[CallWatch]:
    """Watch the block. After `grace_s` beyond its end it calls `stop` and `say`, until it returns.

    The arm is stopped first, and a `say` that fails goes to the log and to `CallWatch.unsaid`.

    A thread cannot be ended from outside: a skill that never returns keeps the task waiting, but
    the arm stands still.
    """
    watch = CallWatch()

    def guard() -> None:
        over_since = None
        while not watch.returned.wait(POLL_S):
            why = ctx.over
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
