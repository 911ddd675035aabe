# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tasks with their answers, which show a small model how to answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.skill import SkillSpec, skill_that
from replan_agent.domain.skill_effect import EffectKind

from .answer_schema import FIELDS, GOALS, STEPS, THOUGHT

OBJECTS = 'my_cup (white), my_pen (black), my_mat (blue), my_box (brown)'
# A task, its meaning and its goals. The names are in no scene: to copy one moves nothing.
EXAMPLES = (
    ('lift something to write with', 'one writes with a pen, so my_pen is held',
     (Goal(Predicate.HOLDING, 'my_pen'),)),
    ('tutto tranne il tappetino nella scatola',
     'all but my_mat is my_pen and my_cup, so both go in my_box',
     (Goal(Predicate.IN, 'my_pen', 'my_box'), Goal(Predicate.IN, 'my_cup', 'my_box'))))


def examples(skills: Sequence[SkillSpec], fields: Sequence[str] = FIELDS) -> Iterator[str]:
    """Tasks with their plans, in the form of the answer."""
    for task, thought, goals in EXAMPLES:
        parts: dict[str, Any] = {
            THOUGHT: thought,
            GOALS: [{k: v for k, v in goal.as_dict().items() if v is not None} for goal in goals],
            STEPS: [step for goal in goals for step in _steps(goal, skills)]}
        said = {name: parts[name] for name in fields}
        yield f'task "{task}": {json.dumps(said, ensure_ascii=False, separators=(",", ":"))}'


def _steps(goal: Goal, skills: Sequence[SkillSpec]) -> Iterator[dict[str, str]]:
    """The calls that bring it about, as far as there are skills for it."""
    for kinds, role, name in (((EffectKind.TAKE,), 'object', goal.object),
                              ((EffectKind.PUT_IN, EffectKind.PUT_ON), 'target', goal.target)):
        spec = skill_that(skills, *kinds)
        if name and spec is not None:
            yield {'skill': spec.name, **spec.effect.arguments(**{role: name})}
