# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The chance of a plan: twins run until it is clear, and their outcomes are told."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import mean, variance
from typing import Any

from replan_agent.domain.plan import Plan
from replan_agent.text.shown_text import counted, in_words

from .sampled_twin import GOAL, Ran
from .sampling import MOST, Prior, is_at, is_enough

LIKELIEST = 'likeliest'  # the planner that compares ways
LEAST_OF_EACH = 3  # twins that work and that fail, to say what matters
MATTERS = 2.5  # standard errors between them


@dataclass(frozen=True)
class StepChance:
    """Of the twins that came to a step, so many in which it worked, and its chance there.

    None is told where none of the plan is, and where no twin came to the step.
    """

    step: str
    worked: int
    of: int
    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def said(self) -> str:
        if not self.of:
            return f'{self.step}: no twin came to it'
        worked = f'worked in {self.worked} of {self.of}'
        return f'{self.step}: {_of_100(self.value, self.low, self.high, worked) or worked}'


@dataclass(frozen=True)
class Failure:
    """Why the plan fails, and in how many twins.

    `proof`: why it cannot work in the scene as it is seen. If a `change` of the plan helps in
    some of these twins, it still fails in `still` of them.
    """

    what: str
    times: int
    proof: str = ''
    change: str = ''
    still: int = 0

    def said(self, twins: int) -> str:
        proof = f' ({self.proof})' if self.proof else ''
        changed = f' (still {self.still} with {self.change})' if self.change else ''
        return f'{self.what} in {self.times} of {twins}{proof}{changed}'


@dataclass(frozen=True)
class Chance:
    """How likely the plan works as it is: no step is repeated, no other plan is made.

    `value` is None if it is not known: then `why_unknown` says why. `at_mark`: it is rather at
    the `mark` than far below it, and no lower as it is told. If twins stopped when that was
    clear, there is no value either: one that was told then would be too far from the mark.
    `matters` is what differs most between the twins that work and those that fail. The twins are
    those of the `seed`, and `unsure` says how it was measured what they are drawn from. `only`:
    why it is a number that was never compared with what happens.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    twins: int = 0
    worked: int = 0
    steps: tuple[StepChance, ...] = ()
    failures: tuple[Failure, ...] = ()
    matters: str = ''
    mark: float | None = None
    at_mark: bool | None = None
    why_unknown: str = ''
    seed: int = 0
    unsure: str = ''
    only: str = ''

    @property
    def said(self) -> str:
        """The chance in a sentence."""
        if self.why_unknown:
            return f'how likely it works is not known: {self.why_unknown}'
        twins, parts = counted(self.twins, 'twins'), [f.said(self.twins) for f in self.failures]
        if self.matters:
            parts.append(f'what matters most is {self.matters}')
        first = _of_100(self.value, self.low, self.high, twins)
        if first and self.mark is not None:
            parts.append(f'{"at" if self.at_mark else "below"} the mark of {self.mark:g}')
        if not first:
            first = (f'seems to work in {"at least" if self.at_mark else "fewer than"} '
                     f'{100 * (self.mark or 0):g} of 100 tries (stopped after {twins}, '
                     f'{self.worked} worked)')
        return '; '.join([f'{self.only}, it {first}' if self.only else first, *parts])

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for the record."""
        return {**asdict(self), 'said': self.said}


def _of_100(value: float | None, low: float | None, high: float | None, of: str) -> str:
    """A chance and its interval, in words; '' if there is none. `of` says from what it comes."""
    if value is None or low is None or high is None:
        return ''
    return f'works in {100 * value:.0f} of 100 tries ({100 * low:.0f} to {100 * high:.0f}; {of})'


def unknown(why: str) -> Chance:
    return Chance(why_unknown=why)


@dataclass
class Collected:
    """The twins so far, in their order: more processes change nothing."""

    prior: Prior
    mark: float | None = None
    most: int = MOST
    ran: list[Ran] = field(default_factory=list)

    def take(self, ran: Iterable[Ran]) -> bool:
        """Add twins until they are enough; True if they are."""
        for one in ran:
            self.ran.append(one)
            if is_enough(self.worked, self.failed, self.mark, self.prior, self.most):
                return True
        return False

    @property
    def worked(self) -> int:
        return sum(one.worked for one in self.ran)

    @property
    def failed(self) -> int:
        return len(self.ran) - self.worked

    def is_at(self, mark: float) -> bool | None:
        """Whether the chance is at the mark; None: not yet clear."""
        return is_at(mark, self.worked, self.failed, self.prior, self.most)

    def chance(self, plan: Plan, changed: Mapping[tuple[int, str], tuple[str, int]] = {}
               ) -> Chance:
        """What these twins say about the plan.

        `changed`: for a step's index and its failure a change, and how many twins still fail.
        """
        n, worked, mark = len(self.ran), self.worked, self.mark
        chance = Chance(None, None, None, n, worked, tuple(_steps(plan, self.ran)),
                        tuple(_failures(plan, self.ran, changed)), what_matters(self.ran), mark,
                        None if mark is None else self.is_at(mark))
        if mark is not None and n < self.most:
            return chance
        steps = (replace(step, **self._numbers(step.worked, step.of)) if step.of else step
                 for step in chance.steps)
        return replace(chance, steps=tuple(steps), **self._numbers(worked, n))

    def _numbers(self, worked: int, of: int) -> dict[str, Any]:
        low, high = self.prior.interval(worked, of - worked)
        return {'value': self.prior.chance(worked, of - worked), 'low': low, 'high': high}


def sampled(plan: Plan, twin: Callable[[int], Ran], prior: Prior, mark: float | None = None,
            most: int = MOST) -> Chance:
    """The chance of a plan, one twin after the other."""
    found = Collected(prior, mark, most)
    found.take(map(twin, range(most)))
    return found.chance(plan)


def _names(plan: Plan) -> list[str]:
    return [step.told for step in plan.steps if not step.is_replan]


def _steps(plan: Plan, ran: Sequence[Ran]) -> Iterator[StepChance]:
    for index, name in enumerate(_names(plan)):
        came = [one for one in ran if one.steps_done >= index]
        yield StepChance(name, sum(one.steps_done > index for one in came), len(came))


def _failures(plan: Plan, ran: Sequence[Ran],
              changed: Mapping[tuple[int, str], tuple[str, int]]) -> Iterator[Failure]:
    names = _names(plan)
    found = Counter((one.steps_done, one.failure) for one in ran if not one.worked)
    for (done, why), times in found.most_common():
        where = '' if why == GOAL or done >= len(names) else f'{names[done]}: '
        proofs = [one.proof for one in ran if (one.steps_done, one.failure) == (done, why)]
        yield Failure(f'{where}{in_words(why)}', times, proofs[0] if all(proofs) else '',
                      *changed.get((done, why), ()))


def what_matters(ran: Sequence[Ran]) -> str:
    """The quantity whose draws differ most where the plan fails; '' if none clearly does."""
    good = [one.draws for one in ran if one.worked]
    bad = [one.draws for one in ran if not one.worked]
    if min(len(good), len(bad)) < LEAST_OF_EACH:
        return ''
    apart = {name: _apart(_values(name, good), _values(name, bad))
             for name in {name for draws in (*good, *bad) for name in draws}}
    best = max(sorted(apart), key=lambda name: apart[name], default='')
    return best if best and apart[best] >= MATTERS else ''


def _values(name: str, draws: Sequence[Mapping[str, float]]) -> list[float]:
    return [each[name] for each in draws if name in each]


def _apart(good: Sequence[float], bad: Sequence[float]) -> float:
    """How many standard errors the two means are apart."""
    if min(len(good), len(bad)) < LEAST_OF_EACH:
        return 0.0
    error = math.sqrt(variance(good) / len(good) + variance(bad) / len(bad))
    return abs(mean(good) - mean(bad)) / error if error else 0.0
