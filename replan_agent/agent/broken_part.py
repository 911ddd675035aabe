"""Names the part of the agent that has a bug, and the line of its code."""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from replan_agent.domain.context import BudgetExhausted, Cancelled, DeadlineExceeded
from replan_agent.domain.part_failed import PartFailed

from .ports import NodeLost, PerceptionError, RehearsalError

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
