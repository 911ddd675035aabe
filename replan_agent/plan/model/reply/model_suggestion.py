# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suggested plan from a model. It is for reference only, so mistakes in it do no harm.

Its goals say what should become true. One that says how, with skills or coordinates, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from replan_agent.domain.kinds import ReadWord
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.suggested_plan import (
    COMPLETED,
    LONGEST_GOAL,
    MOST_GOALS,
    SuggestedGoal,
    SuggestedPlan,
)

from ...search.suggestions import describe_goal
from ..goals import read_goals

_COORDINATES = re.compile(r'\b[xyz]\s*[=:]\s*[-+]?\d|\d\.\d|\(\s*[-+]?\d+\s*[,;]\s*[-+]?\d')
_BEGINS = r'(?:^|\bthen\s+|\band\s+|[,;:.]\s*)'  # where a clause, and its verb, may begin


def read_suggested_plan(arguments: Mapping[str, Any], request: PlanRequest, read: ReadWord
                        ) -> tuple[SuggestedPlan | None, tuple[str, ...]]:
    """The suggested plan from the model's arguments, and remarks on what could not be read."""
    entries = arguments.get('goals')
    if not isinstance(entries, list):
        return None, ('the suggested plan is not a list of goals and was left out',)
    remarks: list[str] = []
    if len(entries) > MOST_GOALS:
        remarks.append(f'the suggested plan has {len(entries)} goals; the first {MOST_GOALS} '
                       'were kept')
    goals = tuple(_goals(entries[:MOST_GOALS], request, read, remarks))
    return (SuggestedPlan(goals) if goals else None), tuple(remarks)


def _goals(entries: Sequence[Any], request: PlanRequest, read: ReadWord, remarks: list[str]
           ) -> Iterator[SuggestedGoal]:
    for number, entry in enumerate(entries, 1):
        text, done_when = (entry.get('text'), entry.get('done_when')) if isinstance(entry, dict) \
            else (entry, None)
        words = ' '.join(text.replace(COMPLETED, ' ').split()) if isinstance(text, str) else ''
        if not words:
            remarks.append(f'goal {number} of the suggested plan has no words and was left out')
            continue
        goals, problems = read_goals({'goals': [] if done_when is None else [done_when]},
                                     request.scene, read)
        if problems:
            remarks.append(f'goal {number} of the suggested plan cannot be judged: '
                           f'{problems[0].detail}')
        goal = goals[0] if goals else None
        how = _says_how(words, request.skills)
        if how:
            instead = 'its predicate stands for it' if goal else 'it was left out'
            remarks.append(f'goal {number} of the suggested plan {how}, and a goal says what '
                           f'should become true: {instead}')
            if goal is None:
                continue
            words = describe_goal(goal)
        yield SuggestedGoal(words[:LONGEST_GOAL], goal)


def _says_how(text: str, skills: Sequence[SkillSpec]) -> str:
    """Which part of a goal says how to reach it: a skill or coordinates; '' if none does.

    A skill's name counts as the verb of a clause ("pick the cube"), as a call, and where it is
    no plain word ("place_on"). As a noun it does not: "build a stack".
    """
    if _COORDINATES.search(text):
        return 'names coordinates'
    for name in (spec.name for spec in skills):
        word = re.escape(name)
        verb = rf'\b{word}\b' if '_' in name else rf'{_BEGINS}{word}\b'
        if re.search(rf'{verb}|\b{word}\s*\(', text, re.IGNORECASE):
            return f'names the skill {name}'
    return ''
