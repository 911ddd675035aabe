# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How well chances were told: calibration, Brier score, and what chance itself leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from replan_agent_bench.outcome import Outcome
from replan_agent_bench.stats import percentile, wilson

BINS = 10
DRAWS = 200


@dataclass(frozen=True)
class ChanceOutcome(Outcome):
    """What was told, and what happened.

    `success` is the run that was told; `repeats` begins with it, the others have new errors.
    `decision_cpu_s` is the time of the twins until a decision at 0.9 was clear. `risk` is what the
    approver `adaptive` sees.
    """

    chance: float | None = None
    twins: int = 0
    worked: int = 0
    said: str = ''
    twins_cpu_s: float = 0.0
    decision_cpu_s: float = 0.0
    at_mark: bool | None = None
    outside: str = ''
    repeats: tuple[bool, ...] = ()
    steps: int = 0
    risk: float = 0.0


@dataclass(frozen=True)
class ChanceNumbers:
    """Of the outcomes with a chance. `left` is the Brier score of a teller who knows the world."""

    told: float = 0.0
    ece: float = 0.0
    ece_by_luck: float = 0.0
    brier: float = 0.0
    left: float = 0.0
    twins: float = 0.0
    cost: float = 0.0


@dataclass(frozen=True)
class Bin:
    """The outcomes whose chance is between two numbers."""

    low: float
    high: float
    n: int
    told: float
    worked: float
    worked_low: float
    worked_high: float


def numbers(outcomes: Sequence[Outcome]) -> ChanceNumbers:
    known = with_a_chance(outcomes)
    if not known:
        return ChanceNumbers()
    chances = np.array([o.chance for o in known])
    worked = np.array([o.success for o in known], dtype=float)
    return ChanceNumbers(
        float(chances.mean()), calibration_error(chances, worked), _by_luck(chances),
        float(np.mean((chances - worked) ** 2)),
        float(np.mean([left(o.repeats) for o in known])),
        percentile([o.twins for o in known], 50),
        percentile([o.decision_cpu_s / o.cpu_s for o in known if o.cpu_s], 50))


def left(repeats: Sequence[bool]) -> float:
    """What is left of the Brier score for who knows how often this world works: p(1-p)."""
    n, share = len(repeats), float(np.mean(repeats))
    return share * (1 - share) * n / (n - 1) if n > 1 else 0.0


def calibration_error(chances: Any, worked: Any) -> float:
    """The mean distance between what was told and what happened, over bins of what was told."""
    bins = np.minimum((np.asarray(chances) * BINS).astype(int), BINS - 1)
    error = sum(abs(np.sum(worked[bins == b]) - np.sum(chances[bins == b])) for b in range(BINS))
    return float(error) / len(chances)


def _by_luck(chances: Any) -> float:
    """The mean calibration error of outcomes that are drawn with exactly these chances."""
    rng = np.random.default_rng(0)
    drawn = rng.random((DRAWS, len(chances))) < chances
    return float(np.mean([calibration_error(chances, one.astype(float)) for one in drawn]))


def reliability(outcomes: Sequence[Outcome]) -> list[dict[str, float]]:
    """A line for each bin: how many, what was told, what happened."""
    known, found = with_a_chance(outcomes), []
    for b in range(BINS):
        inside = [o for o in known if min(int((o.chance or 0.0) * BINS), BINS - 1) == b]
        if inside:
            good = sum(o.success for o in inside)
            found.append(asdict(Bin(
                b / BINS, (b + 1) / BINS, len(inside),
                float(np.mean([o.chance for o in inside])), good / len(inside),
                *wilson(good, len(inside)))))
    return found


def sentences(outcomes: Sequence[Outcome]) -> list[str]:
    """The reliability table, and how many were told nothing."""
    took = [o for o in outcomes if o.took_place]
    lines = [f'told {line["low"]:.1f} to {line["high"]:.1f}: mean {line["told"]:.3f}, worked '
             f'{line["worked"]:.3f} ({line["worked_low"]:.3f} to {line["worked_high"]:.3f}) of '
             f'{line["n"]:.0f}' for line in reliability(took)]
    silent = len(took) - len(with_a_chance(took))
    return [*lines, *([f'{silent} tasks have no chance'] if silent else [])]


def with_a_chance(outcomes: Sequence[Outcome]) -> list[ChanceOutcome]:
    """The outcomes of tasks whose chance was told."""
    return [o for o in outcomes if isinstance(o, ChanceOutcome) and o.chance is not None]
