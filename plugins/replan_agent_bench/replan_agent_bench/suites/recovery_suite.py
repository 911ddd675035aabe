# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recovery: does it help? Every trouble with four kinds of recovery, on the same seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from replan_agent_bench.suite import Cell, Column, Panel, Suite

from .cells import FALSE, OK, ROBOT
from .injected.failure_modes import MODES, Diagnosed, Mode, confusion_matrix
from .injected.injected_rows import INJECTED
from .local_metrics import LocalMetrics, local_metrics
from .recovery_episode import NO_LOCAL, OFF, PLAIN, ROWS, WHOLE, RecoveryOutcome, run_recovery
from .troubles import TroubleRow


@dataclass(frozen=True)
class RecoveryNumbers:
    """Means are per episode."""

    attempts: float
    model_calls: float
    wasted: float
    repeats: int  # in all episodes together
    calls_per_success: float | None


def recovery_numbers(outcomes: Sequence[RecoveryOutcome]) -> RecoveryNumbers:
    n, good = len(outcomes), sum(o.success for o in outcomes)
    calls = sum(o.model_calls for o in outcomes)
    return RecoveryNumbers(
        attempts=sum(o.attempts for o in outcomes) / n, model_calls=calls / n,
        wasted=sum(o.wasted for o in outcomes) / n, repeats=sum(o.repeats for o in outcomes),
        calls_per_success=calls / good if good else None)


def flaws(outcome: RecoveryOutcome) -> list[str]:
    """Why an episode with the whole recovery failed. A false success counts in every column."""
    if outcome.success or (outcome.column != WHOLE and not outcome.false_success):
        return []
    return [outcome.objection, f'{outcome.final_reason}: {outcome.final_detail}']


def _local_metrics(outcomes: Sequence[RecoveryOutcome]) -> LocalMetrics:
    return local_metrics(record for o in outcomes if o.column == WHOLE for record in o.local)


def local_line(outcomes: Sequence[RecoveryOutcome]) -> list[str]:
    """How the local plannings of the whole recovery went, in a sentence."""
    metrics = _local_metrics(outcomes)
    empty = metrics.without_options
    if not metrics.plannings + empty:
        return ['local planning: none was needed']

    def share(value: float | None) -> str:
        return '–' if value is None else f'{100 * value:.0f} %'

    to_goal = metrics.iterations_to_goal
    return [f'local planning: {metrics.plannings} episodes, {share(metrics.solved_share)} solved'
            + (f' in {to_goal:.1f} iterations' if to_goal is not None else '')
            + f'; reverted {share(metrics.revert_share)}, cancelled {share(metrics.cancel_share)}'
            f', explorations that worked {share(metrics.exploration_success)}; {empty} searches '
            'found no option']


def notes(outcomes: Sequence[RecoveryOutcome]) -> list[str]:
    """What the table does not show: local planning, the price of faults, the diagnoses."""
    return [*local_line(outcomes), *time_lines(outcomes), *confusion_matrix(diagnosed(outcomes))]


def time_lines(outcomes: Sequence[RecoveryOutcome]) -> Iterator[str]:
    """How much longer the robot works with faults than without, on the same seeds."""
    calm = {o.seed: o.robot_s for o in outcomes
            if o.row == INJECTED[0].name and o.column == WHOLE and o.success}
    for row in INJECTED[1:]:
        for column in (PLAIN, NO_LOCAL, WHOLE):
            pairs = [(o.robot_s, calm[o.seed]) for o in outcomes
                     if (o.row, o.column) == (row.name, column) and o.success
                     and o.seed in calm]
            if pairs:
                spent, alone = map(sum, zip(*pairs))
                yield (f'{row.title}, {column}: {spent / alone:.2f} times the undisturbed robot '
                       f'time (means of {len(pairs)} episodes that succeeded)')


def diagnosed(outcomes: Sequence[RecoveryOutcome]) -> list[Diagnosed]:
    """The diagnoses of the whole recovery where the cause is known."""
    modes = dict(zip((row.name for row in MODES), Mode))
    return [Diagnosed(modes[o.row], o.causes[o.diagnosed_from:]) for o in outcomes
            if o.row in modes and o.column == WHOLE]


def _more_json(outcomes: Sequence[RecoveryOutcome]) -> dict[str, Any]:
    found = Counter((d.mode.value, d.found) for d in diagnosed(outcomes))
    return {'local_planning': _local_metrics(outcomes).as_dict(),
            'diagnoses': [{'mode': mode, 'diagnosed': name, 'episodes': n}
                          for (mode, name), n in sorted(found.items())]}


RECOVERY: Suite[TroubleRow, RecoveryOutcome, RecoveryNumbers] = Suite(
    'recovery', 'ground-truth perception, scripted model', ROWS, RecoveryOutcome,
    run_recovery, recovery_numbers, flaws,
    cells=(
        OK,
        Cell('95 %', 'Wilson interval', lambda s: f'{100 * s.low:.0f}–{100 * s.high:.0f}'),
        FALSE,
        Cell('att', 'failed attempts an episode', lambda s: f'{s.own.attempts:.1f}'),
        Cell('calls', 'model calls an episode', lambda s: f'{s.own.model_calls:.1f}'),
        Cell('waste', 'executed steps that failed, an episode', lambda s: f'{s.own.wasted:.1f}'),
        Cell('rep', 'executed calls already proved impossible', lambda s: str(s.own.repeats)),
        ROBOT),
    panels=(
        Panel('success, % with Wilson 95 % interval', lambda s: 100 * s.rate,
              lambda s: (100 * s.low, 100 * s.high), high=101),
        Panel('model calls an episode', lambda s: s.own.model_calls)),
    row_heading='trouble',
    columns=(
        Column(OFF, OFF, '#b9bec4', 'no replanning'),
        Column(PLAIN, PLAIN, '#e0a030', 'replanning: the planner gets what failed'),
        Column(NO_LOCAL, 'no local', '#7fb069', 'whole without local planning'),
        Column(WHOLE, WHOLE, '#2f6db3', 'diagnosis, retries, local planning, monitor')),
    column_heading='recovery', filmed=WHOLE, over_all='all troubles', notes=notes,
    more_json=_more_json)
