# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The episodes of one row and column as the numbers of one line of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Generic, TypeVar

from .outcome import Outcome
from .stats import percentile, wilson

N = TypeVar('N')


@dataclass(frozen=True)
class Summary(Generic[N]):
    """Counts are episodes. `low` and `high` are the Wilson 95 % interval of the success rate.

    `own` are the numbers that only this suite has.
    """

    row: str
    title: str
    column: str
    n: int
    successes: int
    low: float
    high: float
    bar: float | None
    false_successes: int
    denied: int  # done, but reported as failed
    robot_median_s: float
    wall_median_s: float
    wall_p95_s: float
    own: N

    @staticmethod
    def of(row: str, title: str, column: str, bar: float | None, outcomes: Sequence[Outcome],
           own: N) -> Summary[N]:
        """The summary of at least one outcome."""
        good, wall = sum(o.success for o in outcomes), [o.wall_s for o in outcomes]
        low, high = wilson(good, len(outcomes))
        return Summary(
            row, title, column, len(outcomes), good, low, high, bar,
            false_successes=sum(o.false_success for o in outcomes),
            denied=sum(o.success and not o.claimed for o in outcomes),
            robot_median_s=percentile([o.robot_s for o in outcomes], 50),
            wall_median_s=percentile(wall, 50), wall_p95_s=percentile(wall, 95), own=own)

    @property
    def rate(self) -> float:
        return self.successes / self.n

    @property
    def meets_bar(self) -> bool | None:
        """Whether the rate reaches the bar; None without one."""
        return None if self.bar is None else self.rate >= self.bar

    def as_dict(self) -> dict[str, Any]:
        """All numbers on one level."""
        assert is_dataclass(self.own) and not isinstance(self.own, type)
        common = {k: v for k, v in asdict(self).items() if k != 'own'}
        return {**common, **asdict(self.own), 'rate': self.rate, 'meets_bar': self.meets_bar}
