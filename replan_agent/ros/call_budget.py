# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Counts the model calls that a caller pays for."""

from __future__ import annotations

from dataclasses import dataclass

from replan_agent.domain.context import BudgetExhausted


@dataclass
class CallBudget:
    """The model calls of one plan or look; no more than `limit` are allowed."""

    limit: int | None
    spent: int = 0

    def spend(self, what: str) -> None:
        if self.limit is not None and self.spent >= self.limit:
            raise BudgetExhausted(f'{self.spent} model calls are spent, and {what} needs another')
        self.spent += 1

    def left(self) -> int | None:
        return None if self.limit is None else self.limit - self.spent
