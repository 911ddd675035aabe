# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Answers from the record: what was done, why it failed."""

from __future__ import annotations

from collections.abc import Sequence

from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.task_result import TaskResult
from replan_agent.text.shown_text import shown

NOT_YET = 'I have done nothing yet.'


def done_answer(result: TaskResult | None) -> str:
    """What was done for the last task."""
    if result is None:
        return NOT_YET
    steps = [step.step.told + ('' if step.result.success else ' (failed)')
             for step in result.steps]
    did = f'I did {len(steps)} steps: {"; ".join(steps)}' if steps else 'I moved nothing'
    return f'For {shown(result.task)}: {did}. {outcome(result)}'


def why_answer(result: TaskResult | None) -> str:
    """Why the last task failed."""
    if result is None:
        return f'Nothing has failed. {NOT_YET}'
    return f'{shown(result.task)} did not fail. {outcome(result)}' if result else outcome(result)


def outcome(result: TaskResult) -> str:
    """How a task ended, in a sentence or two."""
    if result:
        return ('It is done.' if result.goal_verified else
                'The steps are done; whether the goal is met cannot be seen.')
    helps = f' What would help: {result.would_help}.' if result.would_help else ''
    why = result.why or result.final_detail
    return f'It is not done ({result.final_reason.value}): {why.rstrip(".")}.{helps}'


def able_answer(specs: Sequence[SkillSpec]) -> str:
    """What can be said, and with which skills it is done."""
    skills = ', '.join(spec.name for spec in specs)
    return ('Say what should be done: "put the red cube in the bowl"; correct it: "no, the blue '
            'one"; go on: "now the green one"; take it back: "undo that"; or ask: "what is on the '
            f'table?", "where is the bowl?", "why did that fail?". My skills: {skills}.')
