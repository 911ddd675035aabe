"""A context that also ends for a reason of our own, such as a contact or a stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from replan_agent.domain.context import Cancelled, Context


def _nothing() -> str:
    return ''


@dataclass(frozen=True)
class WatchedContext(Context):
    """Ends as any context does, and as soon as `interruption` says why it should ('' if not)."""

    interruption: Callable[[], str] = _nothing

    def check(self) -> None:
        super().check()
        why = self.interruption()
        if why:
            raise Cancelled(why)
