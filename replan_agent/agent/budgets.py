"""What a task may still spend: new plans, steps, model calls. Each goal that is met renews it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from replan_agent.domain.config import AgentConfig
from replan_agent.domain.goal import Goal, goals_met
from replan_agent.domain.scene import Scene

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
    goal that was met and the last hint.
    """

    config: AgentConfig
    spent: dict[str, int] = field(default_factory=_nothing)
    failed_in_row: int = 0
    _renewed: dict[str, int] = field(default_factory=_nothing)  # what was spent at that time
    _most_met: int = 0

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
        """Start these budgets again, after a goal was met or a person helped."""
        self._renewed |= {name: self.spent[name] for name in names}
        self.failed_in_row = 0

    def set_goals(self, goals: Iterable[Goal], scene: Scene) -> None:
        """New goals. Those that the scene shows already are no progress."""
        self._most_met = goals_met(goals, scene)

    def note_progress(self, goals: Iterable[Goal], scene: Scene) -> None:
        """Renew all budgets if more goals are met than ever before in this task."""
        met = 0 if scene.stale else goals_met(goals, scene)
        if met > self._most_met:
            self._most_met = met
            self.renew(*BUDGETS)
