# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command `plans`: every version of the plan of a run, and what changed between two."""

from __future__ import annotations

import argparse

from rich.text import Text

from replan_agent.app.terminal.console import plain_console
from replan_agent.app.terminal.exits import SUCCESS, WrongUse
from replan_agent.domain.plan import Plan
from replan_agent.record.plan_diff import PlanDiff, difference
from replan_agent.record.run_folder import as_json
from replan_agent.record.run_json import RunUnreadable
from replan_agent.record.stored_run import StoredRun
from replan_agent.text.plain_values import plain

SIGNS = {'-': 'red', '~': 'yellow', '+': 'green', '=': 'dim'}


def plans(arguments: argparse.Namespace) -> int:
    """Show the versions of a run's plan, or the difference between two of them."""
    try:
        run = StoredRun.load(arguments.run)
        found = ([run.plan(version) for version in arguments.diff] if arguments.diff
                 else list(run.plans()))
    except RunUnreadable as error:
        raise WrongUse(str(error)) from error
    diff = _diff(run, *found) if arguments.diff else None
    if arguments.json:
        print(as_json(plain(diff or found), indent=2))
        return SUCCESS
    lines = diff_lines(diff) if diff else [line for plan in found for line in plan_lines(plan)]
    console = plain_console()
    for line in lines or ['no plan was made']:
        console.print(line if isinstance(line, Text) else Text(line), soft_wrap=True)
    return SUCCESS


def _diff(run: StoredRun, before: Plan, after: Plan) -> PlanDiff:
    """What changed, without what was carried out of the earlier plan."""
    done = run.done_in(before.version) if before.version < after.version else ()
    return difference(before, after, done)


def plan_lines(plan: Plan) -> list[str | Text]:
    """A version as text for a person."""
    head = f'plan {plan.version}'
    origin = f'{plan.cause.value}, by {plan.planner}'
    if plan.parent is not None:
        origin += f', after plan {plan.parent}'
    lines: list[str | Text] = [Text.assemble((head, 'bold cyan'), f'  ({origin})')]
    if plan.reason:
        lines.append(f'  reason: {plan.reason}')
    if plan.context:
        lines.append(f'  given:  {", ".join(plan.context)}')
    lines += [f'  {step.step_number}. {step.told}'
              + (f'  — {step.description}' if step.description else '') for step in plan.steps]
    for own in plan.adaptations:
        calls = ' → '.join(step.told for step in own.steps)
        lines.append(f'  step {own.step_idx + 1} adapted ({own.cause.value}): {calls}'
                     + (f'  — {own.reason}' if own.reason else ''))
    if plan.goals:
        lines.append(f'  goals:  {", ".join(map(str, plan.goals))}')
    return lines


def diff_lines(diff: PlanDiff) -> list[str | Text]:
    """What changed, with a colour for each sign."""
    return [f'plan {diff.before} → plan {diff.after}',
            *(Text(line, SIGNS.get(line[0], '')) for line in diff.lines())]
