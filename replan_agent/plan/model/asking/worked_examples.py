"""Tasks with their answers, which show a small model how to answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.skill import SkillSpec, skill_that
from replan_agent.domain.skill_effect import EffectKind

from .answer_schema import ANSWER, ANY, FIELDS, GOALS, NONE, ORDER, STEPS, THOUGHT, WORDS

NOTHING = 'nothing'  # the order where nothing is meant
OBJECTS = 'my_cup (white), my_pen (black), my_mat (blue), my_box (brown)'


@dataclass(frozen=True)
class End:
    """An object and where it ends up: in or on another one; without one it is held."""

    name: str
    target: str | None = None
    inside: bool = True

    @property
    def order(self) -> str:
        """The same in plain English."""
        if self.target is None:
            return f'pick up the {self.name}'
        return f'put the {self.name} {"in" if self.inside else "on"} the {self.target}'

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
    """A task, how it is understood, what its words mean, and what is to be where.

    Each of the `words` is a phrase, the object that it means, and the colour that it says.
    """

    task: str
    thought: str
    words: tuple[tuple[str, str, str], ...]
    ends: tuple[End, ...]

    def answer(self, fields: Sequence[str], skills: Sequence[SkillSpec] = (),
               asks: bool = False) -> str:
        """The answer to it, with these parts; `asks`: as where a question may be the answer."""
        goals = [{k: v for k, v in end.goal.as_dict().items() if v is not None}
                 for end in self.ends]
        parts: dict[str, Any] = {
            THOUGHT: self.thought, GOALS: goals,
            ORDER: ' and '.join(end.order for end in self.ends) or NOTHING,
            STEPS: [step for end in self.ends for step in end.steps(skills)],
            WORDS: [{'said': said, 'colour': colour, 'object': name}
                    for said, name, colour in self.words]}
        said = {name: parts[name] for name in fields}
        if asks:
            said = {**{k: v for k, v in said.items() if k != GOALS}, ANSWER: {GOALS: goals}}
        return f'task "{self.task}": {json.dumps(said, ensure_ascii=False, separators=(",", ":"))}'


# Their names are in no scene: to copy one moves nothing.
EXAMPLES = (
    Example('lift something to write with', 'one writes with a pen, so my_pen is held',
            (('something to write with', 'my_pen', ANY),), (End('my_pen'),)),
    Example('tutto tranne il tappetino nella scatola',
            'all but my_mat is my_pen and my_cup, so both go in my_box',
            (('tutto', 'my_pen', ANY), ('tutto', 'my_cup', ANY), ('scatola', 'my_box', ANY)),
            (End('my_pen', 'my_box'), End('my_cup', 'my_box'))))
MORE_EXAMPLES = (
    Example('the thing tea is drunk from goes on the sea-coloured mat',
            'tea is drunk from a cup, the sea is blue, so my_cup goes on my_mat',
            (('the thing tea is drunk from', 'my_cup', ANY),
             ('the sea-coloured mat', 'my_mat', 'blue')),
            (End('my_cup', 'my_mat', inside=False),)),
    Example('der schwarze Stift kommt in die Schachtel',
            'Stift is pen, schwarz is black, Schachtel is box, so my_pen goes in my_box',
            (('der schwarze Stift', 'my_pen', 'black'), ('die Schachtel', 'my_box', ANY)),
            (End('my_pen', 'my_box'),)),
    Example('I am done writing and drinking: box, please',
            'one writes with my_pen and drinks from my_cup, so both go in my_box',
            (('writing', 'my_pen', ANY), ('drinking', 'my_cup', ANY), ('box', 'my_box', ANY)),
            (End('my_pen', 'my_box'), End('my_cup', 'my_box'))),
    Example('the ladder belongs in the box', 'there is no ladder here, so nothing is meant',
            (('the ladder', NONE, ANY), ('the box', 'my_box', ANY)), ()),
    Example('le tapis sur la boîte', 'tapis is mat and boîte is box, so my_mat goes on my_box',
            (('le tapis', 'my_mat', ANY), ('la boîte', 'my_box', ANY)),
            (End('my_mat', 'my_box', inside=False),)))


def examples(skills: Sequence[SkillSpec], fields: Sequence[str] = FIELDS) -> Iterator[str]:
    """Tasks with their plans, in the form of the answer."""
    for example in EXAMPLES:
        yield example.answer(fields, skills)
