# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fits what is expected before the first twin, on some seeds; the others show whether it is right.

    python -m replan_agent_chance.fitting chance.json --test-from 500
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from replan_agent.domain.config import ConfigError
from replan_agent.text.json_text import read_json

from .chance_numbers import ChanceOutcome, numbers, reliability
from .sampling import Prior

STEPS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)


@dataclass(frozen=True)
class Told:
    """One task of the suite's file: its seed, its twins, and whether it worked then."""

    seed: int
    twins: int
    worked: int
    outcome: ChanceOutcome


def told_in(path: Path) -> list[Told]:
    """The tasks with a chance. Raises ConfigError if it is no file of the suite."""
    try:
        return [Told(o['seed'], o['twins'], o['worked'], _outcome(o))
                for o in read_json(path)['episodes'] if o['chance'] is not None]
    except (KeyError, TypeError) as error:
        raise ConfigError(f'{path}: not what bench --suite chance --json writes') from error


def _outcome(values: dict[str, Any]) -> ChanceOutcome:
    keep = ('row', 'seed', 'success', 'objection', 'claimed', 'final_reason', 'final_detail',
            'cpu_s', 'chance', 'twins', 'worked', 'decision_cpu_s', 'risk')
    return ChanceOutcome(**{key: values[key] for key in keep}, repeats=tuple(values['repeats']))


def fitted(told: Sequence[Told]) -> Prior:
    """The prior under which these outcomes are likeliest."""
    return min((Prior(a, b) for a in STEPS for b in STEPS), key=lambda prior: _surprise(
        told, prior))


def _surprise(told: Sequence[Told], prior: Prior) -> float:
    chances = [(prior.chance(t.worked, t.twins - t.worked), t.outcome.success) for t in told]
    return -sum(math.log(chance if good else 1 - chance) for chance, good in chances)


def retold(told: Sequence[Told], prior: Prior) -> list[ChanceOutcome]:
    """The same outcomes as if they had been told with this prior."""
    return [replace(t.outcome, chance=prior.chance(t.worked, t.twins - t.worked)) for t in told]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or '').splitlines()[0])
    parser.add_argument('files', type=Path, nargs='+')
    parser.add_argument('--test-from', type=int, required=True, metavar='SEED',
                        help='seeds from here on are never fitted')
    arguments = parser.parse_args()
    told = [each for file in arguments.files for each in told_in(file)]
    fit = [t for t in told if t.seed < arguments.test_from]
    test = [t for t in told if t.seed >= arguments.test_from]
    prior = fitted(fit) if fit else Prior()
    print(f'works: {prior.works}, fails: {prior.fails} (fitted on {len(fit)} tasks)')
    for name, tasks in (('fitted', fit), ('unseen', test)):
        if tasks:
            print(f'{name}: n={len(tasks)} {numbers(retold(tasks, prior))}')
    for line in reliability(retold(test, prior)):
        print('  '.join(f'{key} {value:.3f}' for key, value in line.items()))
    for row in sorted({t.outcome.row for t in test}):
        print(row, numbers(retold([t for t in test if t.outcome.row == row], prior)))


if __name__ == '__main__':
    main()
