# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""When enough twins have run: the test that stops early, and what their outcomes say."""

from __future__ import annotations

import math
from dataclasses import dataclass

from replan_agent.text.setting import ConfigError, checked_number

WRONG = 0.1  # share of decisions that may be wrong, each way
FAR_BELOW = 0.4  # a decision is between the mark and this much less: 0.9 or 0.5
WIDTH = 0.2  # of the interval: a chance is told when it is no wider
INTERVAL = 0.95
MOST = 16  # twins of one plan, if nobody says another number
CLEAR = 4  # twins more that a way must work in: with fewer the choice was no better than none
LONGEST_S = 120.0  # that ways are compared; if it takes longer, nothing is known of them
MOST_TO_DECIDE = 7  # then the likelier side of a mark is taken


@dataclass(frozen=True)
class Prior:
    """What is expected before the first twin: so many that work and that fail (Beta).

    The one that is used is in `covered.yaml`.
    """

    works: float = 1.0
    fails: float = 1.0

    def chance(self, worked: int, failed: int) -> float:
        """The expected share of plans that work, after these twins."""
        a, b = self.works + worked, self.fails + failed
        return a / (a + b)

    def interval(self, worked: int, failed: int) -> tuple[float, float]:
        """Where the chance is, with 95 %."""
        from scipy.special import betaincinv  # slow: the arguments need only a number from here

        a, b = self.works + worked, self.fails + failed
        tail = (1 - INTERVAL) / 2
        return float(betaincinv(a, b, tail)), float(betaincinv(a, b, 1 - tail))


def decided(worked: int, failed: int, mark: float) -> bool | None:
    """Whether the chance is rather at the mark (True) or far below; None: not yet clear.

    Wald's sequential test between `mark` and `FAR_BELOW` less, cut off after `MOST_TO_DECIDE`.
    """
    high = min(mark, 0.99)
    low = max(high - FAR_BELOW, high / 10)  # below it for any mark
    evidence = worked * math.log(high / low) + failed * math.log((1 - high) / (1 - low))
    bound = math.log((1 - WRONG) / WRONG) if worked + failed < MOST_TO_DECIDE else 0.0
    return True if evidence > bound else False if evidence <= -bound else None


def is_at(mark: float, worked: int, failed: int, prior: Prior, most: int = MOST) -> bool | None:
    """Whether the chance is at the mark: rather than far below it, and as it is told.

    None: not yet clear. After `most` twins the chance that is told decides.
    """
    told = prior.chance(worked, failed) >= mark
    if decided(worked, failed, mark) is told:
        return told
    return told if worked + failed >= most else None


def is_enough(worked: int, failed: int, mark: float | None, prior: Prior, most: int = MOST
              ) -> bool:
    """Whether no other twin is needed: a mark is decided, or the interval is narrow.

    Without a mark at least MOST run: who stops at the first narrow interval tells too much.
    """
    if worked + failed >= most:
        return True
    if mark is not None:
        return is_at(mark, worked, failed, prior, most) is not None
    low, high = prior.interval(worked, failed)
    return worked + failed >= MOST and high - low <= WIDTH


def checked_mark(mark: float, where: str, prior: Prior, most: int = MOST) -> float | None:
    """The mark; None if it is 0: there is none. Raises ConfigError if twins cannot decide it.

    `where` says who gave it. A chance at the mark needs enough twins that all work.
    """
    checked_number(mark, where, 0, 1)
    if mark == 1:
        raise ConfigError(f'{where}: no number of twins tells a chance of 1')
    least = (mark * (prior.works + prior.fails) - prior.works) / (1 - mark)
    least = max(MOST_TO_DECIDE, math.ceil(round(least, 6)))
    if mark and least > most:
        raise ConfigError(f'{where}: {mark:g} needs {least} twins, and at most {most} run')
    return mark or None
