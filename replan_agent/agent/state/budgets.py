# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a task has spent and may still spend: new plans, steps, model calls, time."""

from __future__ import annotations

from dataclasses import dataclass, field

from replan_agent.domain.config import AgentConfig
from replan_agent.domain.context import BudgetExhausted

REPLANS, TOTAL_REPLANS = 'max_replans', 'max_total_replans'
STEPS, CALLS = 'max_steps', 'max_api_calls'
BUDGETS = (REPLANS, TOTAL_REPLANS, STEPS, CALLS)


def _nothing() -> dict[str, int]:
    return dict.fromkeys(BUDGETS, 0)


@dataclass
class Budgets:
    """What is spent, named by the settings, in the whole task and since the last renewal.

    A task for twelve things gets as much for each of them as a task for one. The whole task gets
    `budget_ceiling` times a budget at most. `failed_in_row` counts failed plans since the last
    goal that was met and the last hint. `timings` are the seconds that each stage took.
    """

    config: AgentConfig
    spent: dict[str, int] = field(default_factory=_nothing)
    failed_in_row: int = 0
    timings: dict[str, float] = field(default_factory=dict)
    _renewed: dict[str, int] = field(default_factory=_nothing)  # what was spent at that time

    def spend(self, name: str) -> None:
        self.spent[name] += 1

    def since(self, name: str) -> int:
        """What was spent since the last renewal."""
        return self.spent[name] - self._renewed[name]

    def left(self, name: str) -> int:
        most: int = getattr(self.config, name)
        return min(most - self.since(name), most * self.config.budget_ceiling - self.spent[name])

    def limit(self, name: str) -> str:
        """The setting that bounds this budget now, with its value."""
        most: int = getattr(self.config, name)
        if self._renewed[name] and self.spent[name] >= most * self.config.budget_ceiling:
            return f'{name}={most} times budget_ceiling={self.config.budget_ceiling}'
        return f'{name}={most}' + (' since the last progress' if self._renewed[name] else '')

    def renew(self, *names: str) -> None:
        """Start these budgets again, all by default: a goal was met or a person helped."""
        self._renewed |= {name: self.spent[name] for name in names or BUDGETS}
        self.failed_in_row = 0

    def calls_left(self) -> int:
        return self.left(CALLS)

    def spend_call(self, what: str) -> None:
        """Count a model call before it is made. Raises BudgetExhausted if no call is left."""
        if self.calls_left() <= 0:
            raise BudgetExhausted(f'{self.spent[CALLS]} model calls are spent '
                                  f'({self.limit(CALLS)}), and {what} needs another')
        self.spend(CALLS)

    def add_time(self, what: str, seconds: float) -> None:
        self.timings[what] = self.timings.get(what, 0.0) + seconds
