"""The recovery benchmark as numbers: one line for each trouble and column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .recovery_episode import COLUMNS, RecoveryOutcome
from .stats import percentile, wilson
from .troubles import TroubleRow

ALL = 'all'


@dataclass(frozen=True)
class RecoverySummary:
    """Means are per episode. `low` and `high` are the Wilson 95 % interval of the success rate."""

    row: str
    title: str
    column: str
    n: int
    successes: int
    low: float
    high: float
    false_successes: int
    attempts: float
    model_calls: float
    wasted: float
    repeats: int  # in all episodes together
    robot_median_s: float
    wall_median_s: float

    @property
    def rate(self) -> float:
        return self.successes / self.n

    @property
    def calls_per_success(self) -> float | None:
        return self.model_calls * self.n / self.successes if self.successes else None

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), 'rate': self.rate, 'calls_per_success': self.calls_per_success}


def summarize_recovery(rows: Sequence[TroubleRow], outcomes: Sequence[RecoveryOutcome],
                       ) -> list[RecoverySummary]:
    """A summary for each row and column that has outcomes, then one over all rows."""
    titles = {row.name: row.title for row in rows}
    found = [_summary(name, title, column,
                      [o for o in outcomes if (o.row, o.column) == (name, column)])
             for name, title in titles.items() for column in COLUMNS]
    over_all = [_summary(ALL, 'all troubles', column,
                         [o for o in outcomes if o.column == column]) for column in COLUMNS]
    return [line for line in (*found, *over_all) if line is not None]


def _summary(row: str, title: str, column: str,
             outcomes: Sequence[RecoveryOutcome]) -> RecoverySummary | None:
    n = len(outcomes)
    if n == 0:
        return None
    good = sum(o.success for o in outcomes)
    low, high = wilson(good, n)
    return RecoverySummary(
        row, title, column, n, good, low, high,
        false_successes=sum(o.false_success for o in outcomes),
        attempts=sum(o.attempts for o in outcomes) / n,
        model_calls=sum(o.model_calls for o in outcomes) / n,
        wasted=sum(o.wasted for o in outcomes) / n,
        repeats=sum(o.repeats for o in outcomes),
        robot_median_s=percentile([o.robot_s for o in outcomes], 50),
        wall_median_s=percentile([o.wall_s for o in outcomes], 50))
