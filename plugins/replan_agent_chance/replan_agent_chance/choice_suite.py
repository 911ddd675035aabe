# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suite `choice`: a task is done with the plan as it is, and with the likeliest way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from replan_agent_bench.outcome import Job, Outcome, machine
from replan_agent_bench.stats import percentile
from replan_agent_bench.suite import Cell, Column, Suite, find
from replan_agent_bench.suites.cells import FALSE, INTERVAL, OK, SUCCESS, percent

from replan_agent.agent.loop import Agent
from replan_agent.domain.config import Config

from .chance import LIKELIEST
from .chance_recovery import LikeliestRecovery
from .chance_rows import ROWS, ChanceRow
from .chance_suite import any_plan, single_try, tried
from .likeliest import over_search

ONCE, AGAIN, COMPARED = 'once', 'again', 'compared'


@dataclass(frozen=True)
class ChoiceOutcome(Outcome):
    """A task; `changed` is what was chosen instead of the usual plan and of usual retries."""

    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class ChoiceNumbers:
    """How many tasks were changed, and how many of those worked; processor time, median."""

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
    """Run the task in the same world with the same errors as in the other columns."""
    row = find(ROWS, job.row)
    case = row.case(job.seed)
    config = replace(any_plan(config, row), approver='auto')
    if job.column in (ONCE, LIKELIEST):
        config = single_try(config)
    planner = over_search(config, case.known, job.seed) if job.column == LIKELIEST else None
    recovery: list[LikeliestRecovery] = []

    def with_recovery(agent: Agent) -> Agent:
        if job.column != COMPARED or agent.reflector is None:
            return agent
        both = LikeliestRecovery(config, case.known, agent.policy, agent.reflector)
        recovery.append(both)
        return replace(agent, policy=both, reflector=both)

    run = tried(config, row, case, job.seed, video=video, planner=planner, changed=with_recovery)
    changed = [each.said for each in ([planner.chosen] if planner else []) if each is not None]
    changed += [each.said for both in recovery for each in both.chosen]
    return [ChoiceOutcome(
        job.row, job.seed, run.works, run.objection, run.result.success,
        run.result.final_reason.value, run.result.final_detail, job.column, run.robot_s,
        cpu_s=run.cpu_s, machine=machine(), changed=tuple(changed))]


def flaws(outcome: ChoiceOutcome) -> list[str]:
    """A changed task that did not work."""
    return [*outcome.changed, outcome.objection] if outcome.changed and not outcome.success else []


CHOICE: Suite[ChanceRow, ChoiceOutcome, ChoiceNumbers] = Suite(
    'choice', 'search planner, judged by physics', ROWS, ChoiceOutcome, run_case, numbers, flaws,
    cells=(OK, INTERVAL, FALSE,
           Cell('changed', 'share of the tasks, %', lambda s: percent(s.own.changed)),
           Cell('of those', 'worked, %', lambda s: percent(s.own.changed_worked)),
           Cell('cpu', 'processor time of a task, s, median', lambda s: f'{s.own.cpu_s:.1f}')),
    panels=(SUCCESS,), over_all='all tasks', shown_flaws=4, column_heading='how',
    columns=(Column(ONCE, 'one try', '#8a8f94', 'the plan as it is, once'),
             Column(LIKELIEST, 'likeliest', about='the way that works in most twins, once'),
             Column(AGAIN, 'recovers', '#c9a227', 'the plan as it is, with the usual recovery'),
             Column(COMPARED, 'compares', '#3a8f5c',
                    'the same, and twins say which retry or new plan comes next')),
    filmed=LIKELIEST)
