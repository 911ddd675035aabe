# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Model calls that advice leaves to the plans."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.context import BudgetExhausted, Context


def keeping(calls: int, ctx: Context) -> Context:
    """The same context with `calls` fewer model calls: they are reserved for others."""
    def left() -> int | None:
        all_left = ctx.calls_left()
        return None if all_left is None else max(0, all_left - calls)

    def spend(what: str) -> None:
        if left() == 0:
            raise BudgetExhausted(f'{what} needs another model call, and the last {calls} are '
                                  'kept for plans')
        ctx.spend_call(what)

    return replace(ctx, spend_call=spend, calls_left=left)
