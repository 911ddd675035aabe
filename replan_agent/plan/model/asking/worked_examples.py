"""Tasks with their answers, which show a small model how to answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.skill import SkillSpec, skill_that
from replan_agent.domain.skill_effect import EffectKind

from .answer_schema import FIELDS, GOALS, GRIPPER, MOVES, STEPS, THOUGHT, WORDS

OBJECTS = 'my_cup, my_pen, my_mat, my_box'


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

    @property
    def move(self) -> dict[str, str]:
        return {'object': self.name, 'to': self.target or GRIPPER}

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
    """A task, how it is understood, what its words mean, and what is to be where."""

    task: str
    thought: str
    words: tuple[tuple[str, str], ...]
    ends: tuple[End, ...]

    def answer(self, fields: Sequence[str], skills: Sequence[SkillSpec] = ()) -> str:
        """The answer to it, with these parts."""
        goals = [{k: v for k, v in end.goal.as_dict().items() if v is not None}
                 for end in self.ends]
        parts: dict[str, Any] = {
            THOUGHT: self.thought, GOALS: goals, MOVES: [end.move for end in self.ends],
            STEPS: [step for end in self.ends for step in end.steps(skills)],
            WORDS: [{'said': said, 'object': name} for said, name in self.words]}
        said = {name: parts[name] for name in fields}
        return f'task "{self.task}": {json.dumps(said, ensure_ascii=False, separators=(",", ":"))}'


# Their names are in no scene: to copy one moves nothing.
EXAMPLES = (
    Example('lift something to write with', 'one writes with a pen, so my_pen is held',
            (('something to write with', 'my_pen'),), (End('my_pen'),)),
    Example('tutto tranne il tappetino nella scatola',
            'all but my_mat is my_pen and my_cup, so both go in my_box',
            (('tutto', 'my_pen'), ('tutto', 'my_cup'), ('la scatola', 'my_box')),
            (End('my_pen', 'my_box'), End('my_cup', 'my_box'))))
MORE_EXAMPLES = (
    Example('the thing tea is drunk from goes on the sea-coloured mat',
            'tea is drunk from a cup, the sea is blue, so my_cup goes on my_mat',
            (('the thing tea is drunk from', 'my_cup'), ('the sea-coloured mat', 'my_mat')),
            (End('my_cup', 'my_mat', inside=False),)),
    Example('der Stift kommt in die Schachtel',
            'Stift is pen and Schachtel is box, so my_pen goes in my_box',
            (('der Stift', 'my_pen'), ('die Schachtel', 'my_box')), (End('my_pen', 'my_box'),)),
    Example('I am done writing and drinking: box, please',
            'one writes with my_pen and drinks from my_cup, so both go in my_box',
            (('writing', 'my_pen'), ('drinking', 'my_cup'), ('box', 'my_box')),
            (End('my_pen', 'my_box'), End('my_cup', 'my_box'))),
    Example('le tapis sur la boîte', 'tapis is mat and boîte is box, so my_mat goes on my_box',
            (('le tapis', 'my_mat'), ('la boîte', 'my_box')),
            (End('my_mat', 'my_box', inside=False),)))


def examples(skills: Sequence[SkillSpec], fields: Sequence[str] = FIELDS) -> Iterator[str]:
    """Tasks with their plans, in the form of the answer."""
    for example in EXAMPLES:
        yield example.answer(fields, skills)
