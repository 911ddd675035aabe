# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suite `choice`: a task is done with the plan as it is, and with the likeliest way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from replan_agent_bench.outcome import Job, Outcome, machine
from replan_agent_bench.stats import percentile
from replan_agent_bench.suite import Cell, Column, Suite, find
from replan_agent_bench.suites.cells import FALSE, INTERVAL, OK, SUCCESS, percent

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.config import Config
from replan_agent.plan.search.search_planner import SearchPlanner

from .chance import CHOSEN, LIKELIEST
from .chance_rows import ROWS, ChanceRow
from .chance_suite import single_try, tried
from .likeliest import LikeliestPlanner

AS_IT_IS = 'plain'


@dataclass(frozen=True)
class ChoiceOutcome(Outcome):
    """One try of a task; `changed` says what the likeliest way changes ('' if nothing)."""

    changed: str = ''


@dataclass(frozen=True)
class ChoiceNumbers:
    """How many plans were changed, and how many of those worked; processor time, median."""

    changed: float
    changed_worked: float
    cpu_s: float


def numbers(outcomes: Sequence[ChoiceOutcome]) -> ChoiceNumbers:
    changed = [o for o in outcomes if o.changed]
    return ChoiceNumbers(
        len(changed) / len(outcomes) if outcomes else float('nan'),
        sum(o.success for o in changed) / len(changed) if changed else float('nan'),
        percentile([o.cpu_s for o in outcomes], 50))


def run_case(config: Config, job: Job, video: Path | None = None) -> list[ChoiceOutcome]:
    """Run the task once, in the same world with the same errors in both columns."""
    row = find(ROWS, job.row)
    case = row.case(job.seed)
    config = single_try(config, row)
    planner = LikeliestPlanner(SearchPlanner(build_reader(config.viewpoint)), config, case.known,
                               job.seed) if job.column == LIKELIEST else None
    run = tried(config, row, case, job.seed, video=video, planner=planner)
    said = [each for each in run.warnings if CHOSEN in each]
    return [ChoiceOutcome(
        job.row, job.seed, run.works, run.objection, run.result.success,
        run.result.final_reason.value, run.result.final_detail, job.column, run.robot_s,
        cpu_s=run.cpu_s, machine=machine(), changed=said[0] if said else '')]


def flaws(outcome: ChoiceOutcome) -> list[str]:
    """A changed plan that did not work."""
    return [outcome.changed, outcome.objection] if outcome.changed and not outcome.success else []


CHOICE: Suite[ChanceRow, ChoiceOutcome, ChoiceNumbers] = Suite(
    'choice', 'search planner, each plan runs once, judged by physics', ROWS, ChoiceOutcome,
    run_case, numbers, flaws,
    cells=(OK, INTERVAL, FALSE,
           Cell('changed', 'share of the plans, %', lambda s: percent(s.own.changed)),
           Cell('of those', 'worked, %', lambda s: percent(s.own.changed_worked)),
           Cell('cpu', 'processor time of a task, s, median', lambda s: f'{s.own.cpu_s:.1f}')),
    panels=(SUCCESS,), over_all='all tasks', shown_flaws=4, column_heading='plan',
    columns=(Column(AS_IT_IS, 'as planned', '#8a8f94'),
             Column(LIKELIEST, 'likeliest', about='the way that works in most twins')),
    filmed=LIKELIEST)
