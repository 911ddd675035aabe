# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suite `trouble`: the benchmark as a table, with the agents that we compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from replan_agent_bench.outcome import CRASHED, Job, Outcome, machine
from replan_agent_bench.suite import Cell, Column, Panel, Suite, find
from replan_agent_bench.suites.cells import FALSE, INTERVAL, OK, ROBOT, count, percent
from replan_agent_bench.suites.recovery_episode import OFF, PLAIN, WHOLE
from replan_agent_bench.summary import Summary

from replan_agent import Config

from .baselines import CAMERA, RANDOM, run_ours, run_random
from .episode import Episode
from .score import Claim, Score
from .stage import world_named

WORLD = 'tabletop'
NEVER = '_never'


@dataclass(frozen=True)
class Twin:
    """A row: one of the twins of a trouble."""

    trouble: str
    solvable: bool
    episodes: int = 20
    bar: float | None = 0.95

    @property
    def name(self) -> str:
        return self.trouble + ('' if self.solvable else NEVER)

    @property
    def title(self) -> str:
        return self.trouble.replace('_', ' ') + ('' if self.solvable else ', impossible')


@dataclass(frozen=True)
class TroubleOutcome(Outcome):
    """`success`: done, or called impossible if it is. `idle`: its trouble did not come about."""

    solvable: bool = True
    claim: str = ''
    told: str = ''
    asked: bool = False
    cause_right: bool = False
    false_claim: bool = False
    idle: bool = False
    motions: int = 0
    touched: tuple[str, ...] = ()

    @staticmethod
    def of(job: Job, score: Score) -> TroubleOutcome:
        return TroubleOutcome(
            job.row, job.seed, score.right, _objection(score), score.claim is Claim.DONE,
            score.claim.value, f'told {score.told or "nothing"}; true: '
            f'{" or ".join(sorted(score.causes)) or "nothing went wrong"}', job.column,
            score.robot_s, wall_s=score.wall_s, machine=machine(), solvable=score.solvable,
            claim=score.claim.value, told=score.told, asked=score.asked,
            cause_right=score.cause_right, false_claim=score.false_claim, idle=not score.met,
            motions=score.motions, touched=score.touched)


def _objection(score: Score) -> str:
    if score.right:
        return ''
    return score.objection if score.solvable else 'that it is impossible was not found out'


@dataclass(frozen=True)
class TroubleNumbers:
    """Counts. `impossible` are the episodes that cannot be done, `found` those found to be so,
    `wrong` those that can be done and were called impossible."""

    solvable: int
    done: int
    impossible: int
    found: int
    wrong: int
    asked: int
    right: int
    idle: int
    motions: float
    touched: float


def numbers(outcomes: Sequence[TroubleOutcome]) -> TroubleNumbers:
    met = counted(outcomes)
    can, cannot = ([o for o in met if o.solvable is each] for each in (True, False))
    asked, n = [o for o in met if o.asked], max(1, len(met))
    return TroubleNumbers(
        len(can), sum(o.success for o in can), len(cannot), sum(o.success for o in cannot),
        sum(o.claim == Claim.IMPOSSIBLE.value for o in can), len(asked),
        sum(o.cause_right for o in asked), len(outcomes) - len(met),
        sum(o.motions for o in met) / n, sum(len(o.touched) for o in met) / n)


def counted(outcomes: Sequence[TroubleOutcome]) -> list[TroubleOutcome]:
    """Those that count: an impossible task whose trouble did not come about is possible."""
    return [o for o in outcomes if o.solvable or not o.idle or o.final_reason == CRASHED]


def run(config: Config, job: Job, video: Path | None = None) -> list[TroubleOutcome]:
    row = find(ROWS, job.row)
    if job.column == RANDOM:
        return [TroubleOutcome.of(job, run_random(WORLD, row.trouble, job.seed, row.solvable))]
    with Episode(WORLD, row.trouble, job.seed, row.solvable, config=config) as episode:
        return [TroubleOutcome.of(job, run_ours(config, job.column, episode, video))]


def flaws(o: TroubleOutcome) -> list[str]:
    if o.column not in (WHOLE, CAMERA):
        return []
    found = [o.objection] if not o.success else []
    found += ['false claim'] if o.false_claim else []
    return [*found, f'{o.final_reason}: {o.final_detail}'] if found or (
        o.asked and not o.cause_right) else []


def notes(outcomes: Sequence[TroubleOutcome]) -> list[str]:
    """The sums that the benchmark is about, for each agent."""
    lines = []
    for column in COLUMNS:
        found = [o for o in outcomes if o.column == column.name]
        n = numbers(found)
        claims = n.found + n.wrong
        if found:
            told = Counter(o.told for o in counted(found) if o.asked and not o.cause_right)
            lines.append(
                f'{column.label}: done {_of(n.done, n.solvable)}; impossible found '
                f'{_of(n.found, n.impossible)}, of these claims right {_of(n.found, claims)}; '
                f'causes right {_of(n.right, n.asked)}'
                + (f' (wrong: {", ".join(f"{w or 0} {k}" for w, k in told.items())})'
                   if told else '')
                + f'; false claims {sum(o.false_claim for o in counted(found))}')
    return lines


def _of(part: int, whole: int) -> str:
    return f'{part} of {whole}' + (f' ({percent(part / whole)} %)' if whole else '')


def _share(part: Callable[[TroubleNumbers], int], of: Callable[[TroubleNumbers], int]
           ) -> Callable[[Summary[TroubleNumbers]], str]:
    return lambda s: percent(part(s.own) / of(s.own)) if of(s.own) else '–'


COLUMNS = (
    Column(RANDOM, 'random', '#d0d3d6', 'random actions through step'),
    Column(OFF, 'no replanning', '#b9bec4', 'one plan'),
    Column(PLAIN, 'plain', '#e0a030', 'replanning: the planner gets what failed'),
    Column(WHOLE, 'whole', '#2f6db3', 'all of our recovery'),
    Column(CAMERA, 'camera', '#7fb069', 'the same, with the camera alone'))
_WORLD = world_named(WORLD)
ROWS = tuple(Twin(trouble, solvable) for trouble in _WORLD.troubles
             for solvable in _WORLD.twins(trouble))
TROUBLE: Suite[Twin, TroubleOutcome, TroubleNumbers] = Suite(
    'trouble', 'twins that look alike: can it be done?', ROWS, TroubleOutcome, run, numbers, flaws,
    cells=(
        OK, INTERVAL,
        Cell('cause %', 'of the causes that were told, or had to be',
             _share(lambda n: n.right, lambda n: n.asked)),
        Cell('wrong', 'called impossible, but can be done', lambda s: count(s.own.wrong)),
        FALSE, Cell('idle', 'the trouble did not come about', lambda s: str(s.own.idle)),
        Cell('cmd', 'commands to the arm, mean', lambda s: f'{s.own.motions:.0f}'),
        Cell('hit', 'other things that were touched, mean', lambda s: f'{s.own.touched:.1f}'),
        ROBOT),
    panels=(Panel('right, % with Wilson 95 % interval', lambda s: 100 * s.rate,
                  lambda s: (100 * s.low, 100 * s.high), high=101),),
    row_heading='trouble', columns=COLUMNS, column_heading='agent', filmed=WHOLE,
    over_all='all troubles', notes=notes)
