# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How many questions it takes until few plans fail that nobody was asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from replan_agent_bench.outcome import Outcome

from .chance_numbers import ChanceOutcome, with_a_chance

WITHOUT_A_FAILURE = (0.85, 0.9, 0.95, 0.98)  # shares of the tasks


@dataclass(frozen=True)
class Questions:
    """How many plans are asked about until so many tasks have no failure without a question.

    A person who is asked is taken to stop a plan that would fail. `by_chance` asks about the
    least likely plan first, `by_risk` about the riskiest, as the approver `adaptive` does; plans
    that are alike are asked about at random.
    """

    without_a_failure: float
    by_chance: float
    by_risk: float


def questions(outcomes: Sequence[Outcome]) -> list[Questions]:
    """A line for each share that is not reached without a question."""
    known = with_a_chance(outcomes)
    begin = 1 - _failing(known) / len(known) if known else 1.0
    by_chance = curve(known, [o.chance or 0.0 for o in known])
    by_risk = curve(known, [-o.risk for o in known])
    return [Questions(share, asked_for(share, by_chance), asked_for(share, by_risk))
            for share in WITHOUT_A_FAILURE if share > begin]


def curve(outcomes: Sequence[ChanceOutcome], likely: Sequence[float]
          ) -> list[tuple[float, float]]:
    """(share of questions, share of tasks without such a failure), the least likely first."""
    n, points, left, asked = len(outcomes), [], _failing(outcomes), 0
    points.append((0.0, 1 - left / n if n else 1.0))
    for value in sorted(set(likely)):
        alike = [o for o, each in zip(outcomes, likely) if each == value]
        left, asked = left - _failing(alike), asked + len(alike)
        points.append((asked / n, 1 - left / n))
    return points


def asked_for(share: float, points: Sequence[tuple[float, float]]) -> float:
    """How many questions are needed for that share, between the points of a curve."""
    asked, good = zip(*points)
    return float(np.interp(share, good, asked))


def said(outcomes: Sequence[Outcome]) -> list[str]:
    """The curve in sentences."""
    return [f'{100 * line.without_a_failure:.0f} of 100 tasks without a failure that nobody was '
            f'asked about: questions about {100 * line.by_chance:.1f} % of the plans by chance, '
            f'{100 * line.by_risk:.1f} % by risk' for line in questions(outcomes)]


def _failing(outcomes: Sequence[ChanceOutcome]) -> int:
    return sum(not o.success for o in outcomes)
