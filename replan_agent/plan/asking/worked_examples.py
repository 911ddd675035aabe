"""Tasks with their answers, which show a small model how to answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.skill import SkillSpec, skill_that
from replan_agent.domain.skill_effect import EffectKind

from .answer_schema import FIELDS, GOALS, STEPS, THOUGHT

OBJECTS = 'my_cup, my_pen, my_mat, my_box'


@dataclass(frozen=True)
class End:
    """An object of an example, and the container where it ends up; without one it is held."""

    name: str
    target: str | None = None

    @property
    def goal(self) -> Goal:
        if self.target is None:
            return Goal(Predicate.HOLDING, self.name)
        return Goal(Predicate.IN, self.name, self.target)

    def steps(self, skills: Sequence[SkillSpec]) -> Iterator[dict[str, str]]:
        """The calls that bring it there, as far as there are skills for it."""
        calls: list[tuple[tuple[EffectKind, ...], dict[str, str]]] = [
            ((EffectKind.TAKE,), {'object': self.name})]
        if self.target is not None:
            calls.append(((EffectKind.PUT_IN, EffectKind.PUT_ON), {'target': self.target}))
        for kinds, arguments in calls:
            spec = skill_that(skills, *kinds)
            if spec is not None:
                yield {'skill': spec.name, **spec.effect.arguments(**arguments)}


# What the examples say, how it is understood, and what is to be where. Their names are in no
# scene: to copy one moves nothing.
EXAMPLES: tuple[tuple[str, str, tuple[End, ...]], ...] = (
    ('lift something to write with', 'one writes with a pen, so my_pen is held',
     (End('my_pen'),)),
    ('tutto tranne il tappetino nella scatola',
     'all but my_mat is my_pen and my_cup, so both go in my_box',
     (End('my_pen', 'my_box'), End('my_cup', 'my_box'))))


def examples(skills: Sequence[SkillSpec], fields: Sequence[str] = FIELDS) -> Iterator[str]:
    """Tasks with their plans, in the form of the answer."""
    for task, thought, ends in EXAMPLES:
        goals = [{k: v for k, v in end.goal.as_dict().items() if v is not None} for end in ends]
        steps = [step for end in ends for step in end.steps(skills)]
        parts: dict[str, Any] = {THOUGHT: thought, STEPS: steps, GOALS: goals}
        answer = json.dumps({name: parts[name] for name in fields}, separators=(',', ':'))
        yield f'task "{task}": {answer}'
