# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Why: is what it says about a failure true, and does what it advises help?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from replan_agent_bench.outcome import CRASHED, NOT_LOADED
from replan_agent_bench.suite import Cell, Column, Suite
from replan_agent_bench.worlds.why_kinds import KINDS, WhyKind

from .cells import FALSE, SUCCESS, count, percent
from .why_episode import CAMERA, TRUTH, UNKNOWN, Advice, WhyOutcome, run_why

MOST_TOLD = 2


@dataclass(frozen=True)
class WhyNumbers:
    """Counts of episodes. `told` are those that ended as a failure, with an explanation.
    `unknown` are those of them that tell no cause; `right` is counted of the others.

    `idle` are those without the trouble, or with another one of their own; one with a false
    success always counts. `counted` are the others, `known` are told with a cause; `told_as` are
    the most frequent causes.
    """

    idle: int
    counted: int
    told: int
    right: int
    known: int
    unknown: int
    untrue: int
    unchecked: int
    recovered: int
    advised: int
    helped: int
    not_tried: int
    told_as: str


def counted(outcomes: Sequence[WhyOutcome]) -> list[WhyOutcome]:
    return [o for o in outcomes if (o.met and o.final_reason != NOT_LOADED) or o.false_success]


def why_numbers(outcomes: Sequence[WhyOutcome]) -> WhyNumbers:
    met = counted(outcomes)
    told = [o for o in met if not o.claimed]
    tried = [o for o in told if o.advice in (Advice.HELPED, Advice.USELESS)]
    unknown = sum(o.told == UNKNOWN for o in told)
    return WhyNumbers(
        len(outcomes) - len(met), len(met), len(told), sum(o.right for o in told),
        len(told) - unknown, unknown,
        sum(bool(o.untrue) for o in told), sum(bool(o.unchecked) for o in told),
        sum(o.recovered for o in met), len(tried),
        sum(o.advice is Advice.HELPED for o in tried),
        sum(o.advice is Advice.NOT_TRIED for o in told), _most_told(told))


def flaws(o: WhyOutcome) -> list[str]:
    """What is wrong with an explanation, with the sentence."""
    if o.final_reason == CRASHED:
        return [o.final_detail]
    if o.claimed:
        return [o.objection] if o.objection else []
    if not o.doable:
        return [f'not counted, without its trouble: {o.objection}']
    found = [f'untrue: {each}' for each in o.untrue]
    found += [] if o.right or o.told == UNKNOWN else [f'told as {o.told}']
    found += [f'advice: {o.advice.value}'] if o.advice in (
        Advice.USELESS, Advice.NOT_TRIED) else []
    found += [f'unchecked: {each}' for each in o.unchecked]
    return [*found, f'[{o.why} | would help: {o.would_help}]'] if found else []


def confusion(outcomes: Sequence[WhyOutcome]) -> Iterator[str]:
    """A line for each kind of trouble: what it was told as, and how often."""
    for row in KINDS:
        told = Counter(o.told for o in counted(outcomes) if o.row == row.name and not o.claimed)
        if told:
            yield f'{row.name:<10} told as ' + ', '.join(
                f'{cause} {n}' for cause, n in told.most_common())


def notes(outcomes: Sequence[WhyOutcome]) -> list[str]:
    attempts = sum(len(o.causes) for o in outcomes)
    right = sum(o.causes_right for o in outcomes)
    idle = [o for o in outcomes if o not in counted(outcomes)]
    return [*confusion(outcomes), f'diagnoses of single attempts: {right} of {attempts} right',
            f'not counted: the trouble did not come about in {sum(o.doable for o in idle)}, and '
            f'without it the task is not done either in {sum(not o.doable for o in idle)}']


def _more_json(outcomes: Sequence[WhyOutcome]) -> dict[str, Any]:
    found = Counter((o.row, o.told) for o in counted(outcomes) if not o.claimed)
    return {'told': [{'kind': kind, 'told': cause, 'episodes': n}
                     for (kind, cause), n in sorted(found.items())]}


def _most_told(told: Sequence[WhyOutcome]) -> str:
    causes = Counter(o.told for o in told).most_common()
    return ', '.join([f'{cause} {n}' for cause, n in causes[:MOST_TOLD]]
                     + ['...'] * (len(causes) > MOST_TOLD))


WHY: Suite[WhyKind, WhyOutcome, WhyNumbers] = Suite(
    'why', 'lasting troubles, each true by construction', KINDS, WhyOutcome, run_why, why_numbers,
    flaws,
    cells=(
        Cell('idle', 'the trouble did not come about, or is not the only one',
             lambda s: str(s.own.idle)),
        Cell('rec', 'recovered, by the physics', lambda s: str(s.own.recovered)),
        Cell('kind %', 'of the others, the kind of trouble is right',
             lambda s: percent(_share(s.own.right, s.own.known))),
        Cell('unk', 'told without a cause', lambda s: str(s.own.unknown)),
        Cell('untrue', 'with an untrue sentence', lambda s: count(s.own.untrue)),
        Cell('?', 'with a number that nothing checks', lambda s: str(s.own.unchecked)),
        Cell('adv', 'advice was given and tried', lambda s: str(s.own.advised)),
        Cell('help %', 'of these', lambda s: percent(_share(s.own.helped, s.own.advised))),
        Cell('not', 'advice that nobody can carry out', lambda s: str(s.own.not_tried)),
        FALSE),
    panels=(SUCCESS,), row_heading='trouble',
    columns=(Column(TRUTH, 'truth', '#2f6db3', 'true poses'),
             Column(CAMERA, CAMERA, '#e0a030', 'poses from the camera')),
    column_heading='seen', filmed=TRUTH, over_all='all troubles', notes=notes,
    more_json=_more_json)


def _share(part: int, of: int) -> float:
    return part / of if of else float('nan')
