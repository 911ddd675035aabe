# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Memory: does it help? Picks per success at the first meeting, and with experience."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent_bench.suite import Cell, Column, Panel, Suite

from .memory_episode import (
    ALIKE,
    FIRST,
    LOOK_ALIKES,
    OFF,
    OTHER,
    ROWS,
    SECOND,
    MemoryOutcome,
    MemoryRow,
    run_life,
)

RESAMPLES = 2000


@dataclass(frozen=True)
class MemoryNumbers:
    """`tries` is executed picks per success, with its bootstrap 95 % interval over the seeds.

    `force_n` is the mean force of the picks, `robot_mean_s` the mean time of a meeting.
    """

    tries: float
    tries_low: float
    tries_high: float
    force_n: float
    robot_mean_s: float
    adapted: int
    causes: dict[str, int]


def memory_numbers(met: Sequence[MemoryOutcome]) -> MemoryNumbers:
    return MemoryNumbers(
        *tries_per_success(met), force_n=float(np.mean([o.force_n for o in met])),
        robot_mean_s=float(np.mean([o.robot_s for o in met])), adapted=sum(o.adapted for o in met),
        causes=dict(Counter(cause for o in met for cause in o.causes).most_common()))


def tries_per_success(met: Sequence[MemoryOutcome]) -> tuple[float, float, float]:
    """Executed picks per success and its bootstrap 95 % interval; inf without a success."""
    picks = np.array([o.picks for o in met], dtype=float)
    good = np.array([o.success for o in met], dtype=float)
    chosen = np.random.default_rng(0).integers(0, len(met), (RESAMPLES, len(met)))
    sampled = _per(picks[chosen].sum(axis=1), good[chosen].sum(axis=1))
    value = float(_per(picks.sum(keepdims=True), good.sum(keepdims=True))[0])
    low, high = np.percentile(sampled, [2.5, 97.5], method='nearest')
    return value, float(low), float(high)


def _per(picks: FloatArray, successes: FloatArray) -> FloatArray:
    return np.divide(picks, successes, out=np.full_like(picks, np.inf), where=successes > 0)


def flaws(outcome: MemoryOutcome) -> list[str]:
    if outcome.success and outcome.claimed:
        return []
    return [outcome.objection or 'done, but reported as failed',
            f'{outcome.final_reason}: {outcome.final_detail}']


MEMORY: Suite[MemoryRow, MemoryOutcome, MemoryNumbers] = Suite(
    'memory', 'ground-truth perception, stub planner', ROWS, MemoryOutcome, run_life,
    memory_numbers, flaws,
    cells=(
        Cell('picks', 'executed picks per success, and bootstrap 95 % interval over all seeds',
             lambda s: f'{s.own.tries:.2f}'),
        Cell('95 %', '', lambda s: f'{s.own.tries_low:.1f}–{s.own.tries_high:.1f}'),
        Cell('ok %', 'successes, and Wilson 95 % interval', lambda s: f'{100 * s.rate:.0f}'),
        Cell('95 %', '', lambda s: f'{100 * s.low:.0f}–{100 * s.high:.0f}'),
        Cell('adv', 'first picks that memory changed', lambda s: str(s.own.adapted)),
        Cell('N', 'mean force of the picks', lambda s: f'{s.own.force_n:.0f}'),
        Cell('s', 'robot time of a meeting, mean', lambda s: f'{s.own.robot_mean_s:.1f}')),
    panels=(Panel('executed picks per success, bootstrap 95 % interval', lambda s: s.own.tries,
                  lambda s: (s.own.tries_low, s.own.tries_high)),
            Panel('force of the picks, N, mean', lambda s: s.own.force_n),
            Panel('robot time of a meeting, s, mean', lambda s: s.own.robot_mean_s)),
    row_heading='trouble',
    columns=(
        Column(FIRST, 'first meeting', '#e0a030'),
        Column(SECOND, 'second, with memory', '#2f6db3', 'the same thing in a new pose'),
        Column(OFF, 'second, memory off', '#b9bec4'),
        Column(OTHER, 'ordinary cube', '#6aa84f', 'with the memory of the trouble'),
        Column(ALIKE, 'look-alike', '#a64d79',
               f'an ordinary thing that looks like the trouble, met {LOOK_ALIKES} times')),
    column_heading='meeting', in_order=True, filmed=None)
