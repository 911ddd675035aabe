"""The suggested plan from a model. It is for reference only, so mistakes in it do no harm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from replan_agent.domain.scene import Scene
from replan_agent.domain.suggested_plan import LONGEST_GOAL, SuggestedGoal, SuggestedPlan

from ..goals import read_goals

MOST_GOALS = 12


def read_suggested_plan(arguments: Mapping[str, Any], scene: Scene
                 ) -> tuple[SuggestedPlan | None, tuple[str, ...]]:
    """The suggested plan from the model's arguments, and remarks on what could not be read."""
    entries = arguments.get('goals')
    if not isinstance(entries, list):
        return None, ('the suggested plan is not a list of goals and was left out',)
    remarks: list[str] = []
    if len(entries) > MOST_GOALS:
        remarks.append(f'the suggested plan has {len(entries)} goals; the first {MOST_GOALS} '
                       'were kept')
    goals = tuple(_goals(entries[:MOST_GOALS], scene, remarks))
    return (SuggestedPlan(goals) if goals else None), tuple(remarks)


def _goals(entries: Sequence[Any], scene: Scene, remarks: list[str]) -> Iterator[SuggestedGoal]:
    for number, entry in enumerate(entries, 1):
        text, done_when = (entry.get('text'), entry.get('done_when')) if isinstance(entry, dict) \
            else (entry, None)
        if not isinstance(text, str) or not text.strip():
            remarks.append(f'goal {number} of the suggested plan has no words and was left out')
            continue
        goals, problems = read_goals({'goals': [] if done_when is None else [done_when]}, scene)
        if problems:
            remarks.append(f'goal {number} of the suggested plan cannot be judged: '
                           f'{problems[0].detail}')
        yield SuggestedGoal(' '.join(text.split())[:LONGEST_GOAL], goals[0] if goals else None)
