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

OBJECTS = 'my_cup (white), my_pen (black), my_mat (blue), my_box (brown)'


@dataclass(frozen=True)
class End:
    """An object and where it ends up: in or on another one; without one it is held."""

    name: str
    target: str | None = None
    inside: bool = True

    @property
    def goal(self) -> Goal:
        if self.target is None:
            return Goal(Predicate.HOLDING, self.name)
        return Goal(Predicate.IN if self.inside else Predicate.ON, self.name, self.target)

    def steps(self, skills: Sequence[SkillSpec]) -> Iterator[dict[str, str]]:
        """The calls that bring it there, as far as there are skills for it."""
        put = (EffectKind.PUT_IN, EffectKind.PUT_ON)
        calls: list[tuple[tuple[EffectKind, ...], dict[str, str]]] = [
            ((EffectKind.TAKE,), {'object': self.name})]
        if self.target is not None:
            calls.append((put if self.inside else put[1:], {'target': self.target}))
        for kinds, arguments in calls:
            spec = skill_that(skills, *kinds)
            if spec is not None:
                yield {'skill': spec.name, **spec.effect.arguments(**arguments)}


@dataclass(frozen=True)
class Example:
    """A task, how it is understood, and what is to be where."""

    task: str
    thought: str
    ends: tuple[End, ...]

    def answer(self, fields: Sequence[str], skills: Sequence[SkillSpec]) -> str:
        """The answer to it, with these parts."""
        parts: dict[str, Any] = {
            THOUGHT: self.thought,
            GOALS: [{k: v for k, v in end.goal.as_dict().items() if v is not None}
                    for end in self.ends],
            STEPS: [step for end in self.ends for step in end.steps(skills)]}
        said = {name: parts[name] for name in fields}
        return f'task "{self.task}": {json.dumps(said, ensure_ascii=False, separators=(",", ":"))}'


# Their names are in no scene: to copy one moves nothing.
EXAMPLES = (
    Example('lift something to write with', 'one writes with a pen, so my_pen is held',
            (End('my_pen'),)),
    Example('tutto tranne il tappetino nella scatola',
            'all but my_mat is my_pen and my_cup, so both go in my_box',
            (End('my_pen', 'my_box'), End('my_cup', 'my_box'))))


def examples(skills: Sequence[SkillSpec], fields: Sequence[str] = FIELDS) -> Iterator[str]:
    """Tasks with their plans, in the form of the answer."""
    for example in EXAMPLES:
        yield example.answer(fields, skills)
