"""A row's episodes as the numbers of one line of the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .outcome import Outcome
from .rows import Row
from .stats import percentile, wilson


@dataclass(frozen=True)
class Summary:
    """Counts are episodes. `low` and `high` are the Wilson 95 % interval of the success rate."""

    row: str
    title: str
    n: int
    successes: int
    low: float
    high: float
    bar: float | None
    false_successes: int
    replans: int  # in all episodes together
    reasons: dict[str, int]  # of failed attempts, retried ones too
    with_contact: int
    with_disturbed: int
    peak_speed: float
    over_speed: int
    wall_median_s: float
    wall_p95_s: float
    cpu_median_s: float
    setup_median_s: float
    robot_median_s: float
    realtime: float  # all robot seconds over all wall seconds
    perception: str = 'ground_truth'
    denied: int = 0  # done, but reported as failed
    unnamed: int = 0  # the target was not in the first scene under its name
    seen_median_mm: float | None = None  # from its true place; None without any
    seen_p95_mm: float | None = None

    @property
    def rate(self) -> float:
        return self.successes / self.n

    @property
    def meets_bar(self) -> bool | None:
        """Whether the rate reaches the bar; None without one."""
        return None if self.bar is None else self.rate >= self.bar

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), 'rate': self.rate, 'meets_bar': self.meets_bar}


def summarize(row: Row, outcomes: Sequence[Outcome]) -> Summary:
    """The summary of a row's outcomes, of which there is at least one."""
    good = sum(o.success for o in outcomes)
    low, high = wilson(good, len(outcomes))
    wall = [o.wall_s for o in outcomes]
    off = [1000 * o.seen_off_m for o in outcomes if o.seen_off_m is not None]
    return Summary(
        row=row.name, title=row.title, n=len(outcomes), successes=good, low=low, high=high,
        bar=row.bar,
        false_successes=sum(o.false_success for o in outcomes),
        replans=sum(o.replans for o in outcomes),
        reasons=dict(Counter(a.reason for o in outcomes for a in o.attempts).most_common()),
        with_contact=sum(bool(o.contacts) for o in outcomes),
        with_disturbed=sum(bool(o.disturbed) for o in outcomes),
        peak_speed=max(o.peak_speed for o in outcomes),
        over_speed=sum(o.peak_speed > 1.0 for o in outcomes),
        wall_median_s=percentile(wall, 50), wall_p95_s=percentile(wall, 95),
        cpu_median_s=percentile([o.cpu_s for o in outcomes], 50),
        setup_median_s=percentile([o.setup_s for o in outcomes], 50),
        robot_median_s=percentile([o.robot_s for o in outcomes], 50),
        realtime=sum(o.robot_s for o in outcomes) / sum(wall) if sum(wall) else 0.0,
        perception=row.perception,
        denied=sum(o.success and not o.claimed for o in outcomes),
        unnamed=len(outcomes) - len(off),
        seen_median_mm=percentile(off, 50) if off else None,
        seen_p95_mm=percentile(off, 95) if off else None)


def summaries(rows: Sequence[Row], outcomes: Sequence[Outcome]) -> list[Summary]:
    """One summary for each row that has outcomes, in the order of the rows."""
    by_row = [(row, [o for o in outcomes if o.row == row.name]) for row in rows]
    return [summarize(row, found) for row, found in by_row if found]


def flaws(outcome: Outcome) -> list[str]:
    """What is wrong with an episode, a sentence each; empty for a clean success."""
    found = []
    if outcome.false_success:
        found.append(f'claimed success, but {outcome.objection}')
    elif not outcome.success:
        found.append(f'{outcome.final_reason}: {outcome.final_detail} ({outcome.objection})')
    elif not outcome.claimed:
        found.append(f'done, but reported as failed: {outcome.final_reason}: '
                     f'{outcome.final_detail}')
    found += [f'touched: {contact}' for contact in outcome.contacts]
    found += [f'moved {d.name} by {1000 * d.distance_m:.0f} mm' for d in outcome.disturbed]
    if outcome.peak_speed > 1.0:
        found.append(f'a joint moved at {outcome.peak_speed:.2f} of its speed limit')
    return found
