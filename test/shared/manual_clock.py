# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A wall clock that a test sets by hand."""

from __future__ import annotations

from replan_agent.domain.context import Context


class ManualClock:
    """A clock that moves only in `advance` and `sleep`."""

    def __init__(self, start: float = 0.0) -> None:
        self.time = start

    def now(self) -> float:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += seconds

    def sleep(self, seconds: float, ctx: Context) -> None:
        self.advance(seconds)
        ctx.check()
