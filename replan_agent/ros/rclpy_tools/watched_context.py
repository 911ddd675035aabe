# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A context that also ends for a reason of our own, such as a contact or a stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from replan_agent.domain.context import Cancelled, Context


@dataclass(frozen=True)
class WatchedContext(Context):
    """Ends like any context, and also as soon as `interruption` returns a reason ('' for none)."""

    interruption: Callable[[], str] = lambda: ''

    @classmethod
    def of(cls, ctx: Context, interruption: Callable[[], str]) -> WatchedContext:
        """A copy of `ctx` that also ends if `interruption` returns a reason."""
        return cls(**{**vars(ctx), 'interruption': interruption})

    def check(self) -> None:
        super().check()
        why = self.interruption()
        if why:
            raise Cancelled(why)
