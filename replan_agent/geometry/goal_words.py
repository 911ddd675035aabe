# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals in plain words: "the red cube should be in the bowl", or "is", with its verdict.

What should be is said in words that the grammar of English reads as the same goal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from replan_agent.domain.goal import DIRECTED, Goal, Predicate
from replan_agent.domain.kinds import NOT, OR, Word
from replan_agent.domain.scene import Scene
from replan_agent.domain.things import Quantity, Things
from replan_agent.text.shown_text import listed

from .judging import judge
from .out_of_sight import believed

_WHERE = {
    Predicate.IN: 'in {target}', Predicate.ON: 'on {target}', Predicate.STACKED: 'on {target}',
    Predicate.NEAR: 'next to {target}', Predicate.LEFT_OF: 'to the left of {target}',
    Predicate.RIGHT_OF: 'to the right of {target}',
    Predicate.IN_FRONT_OF: 'in front of {target}', Predicate.BEHIND: 'behind {target}',
    Predicate.BETWEEN: 'between {target} and {second}', Predicate.AT: 'at ({position})',
    Predicate.TURNED: 'turned to {degrees} degrees', Predicate.UPRIGHT: 'upright',
    Predicate.HOLDING: 'in the gripper', Predicate.CLEAR: 'empty', Predicate.IS: '{state}'}
ANY_THING = frozenset({'object', 'thing', 'item', 'piece', 'one', 'stuff'})
YES = {True: 'yes', False: 'no', None: 'not known'}


def verdicts_in_words(goals: Iterable[Goal], scene: Scene) -> list[str]:
    """A line for each goal; "all" has one for each of its things."""
    return [f'{goal_in_words(part)}: {_answer(part, scene)}' for goal in goals
            for part in (goal.is_for_each and goal.named(scene) or (goal,))]


def _answer(goal: Goal, scene: Scene) -> str:
    verdict = judge(goal, scene)
    unseen = believed([goal], scene) if verdict else []
    return f'{YES[verdict]}, believed: not seen now' if unseen else YES[verdict]


def goal_in_words(goal: Goal) -> str:
    """The goal as a sentence about how things are."""
    return Saying().of(goal)


def goals_in_words(goals: Iterable[Goal], stages: Iterable[Goal] = ()) -> str:
    """How things should be, and before that, one after the other."""
    said = map(Saying(should=True).of, stages)
    return ', then '.join((*said, ', and '.join(map(Saying(should=True).of, goals))))


def left_alone_in_words(names: Iterable[str]) -> str:
    """What a sentence says at its end about things that stay where they are; `names` in words."""
    said = listed([*names])
    return f', without touching {said}' if said else ''


def spoken(name: str | None) -> str:
    """A name as one says it: red_cube is "the red cube"."""
    return f'the {name.replace("_", " ")}' if name else 'something'


def sentence(words: str) -> str:
    """The words with a capital letter and a full stop."""
    return f'{words[:1].upper()}{words[1:]}.' if words else ''


def quoted(name: str | None) -> str:
    """A name as it is written."""
    return f'"{name}"'


@dataclass(frozen=True)
class Saying:
    """A way to say goals. `should`: how things should be. `name`: how a thing is called.

    `scene`: kinds of things are said one by one, as they are in it.
    """

    should: bool = False
    name: Callable[[str | None], str] = spoken
    scene: Scene | None = None
    follows: bool = False  # after "then" a list begins with "all of"

    def of(self, goal: Goal) -> str:
        """The goal as one sentence."""
        if goal.predicate is Predicate.HOME:
            return f'the arm {self._be(goal.negated)} at home'
        if goal.predicate is Predicate.HOLDING and goal.object is None and goal.things is None:
            return f'the gripper {self._be(not goal.negated)} empty'
        who, several = (self._things(goal.things, goal) if goal.things
                        else (self.name(goal.object), False))
        where = self._where(goal, several)
        if goal.things is not None and goal.negated:
            return (f'it {self._be(True)} so that {who} {"are" if several else "is"} {where}')
        return f'{who} {self._be(goal.negated, several)} {where}'

    def _be(self, negated: bool, several: bool = False) -> str:
        is_so = 'are' if several else 'is'
        words = ('should not be' if negated else 'should be') if self.should else (
            f'{is_so}{" not" * negated}')
        return words

    def _where(self, goal: Goal, several: bool) -> str:
        where = _WHERE[goal.predicate]
        if goal.distance is not None:
            where = f'{100 * goal.distance:g} cm ' + where.replace('next to', 'from')
        viewer = goal.viewpoint or ('arm' if self.should and goal.predicate in DIRECTED else '')
        seen = f', as the {viewer} sees it' if viewer else ''
        return where.format(
            target=self._own(goal.targets, several) if goal.targets else self.name(goal.target),
            second=self.name(goal.second), state=goal.state,
            position=', '.join(f'{v:.3f}' for v in goal.position or ()),
            degrees=f'{round(goal.degrees or 0.0, 1):g}') + seen

    def _things(self, things: Things, goal: Goal) -> tuple[str, bool]:
        """The things as one says them, and whether "are" follows."""
        every = things.quantity is Quantity.ALL
        none = things.quantity is Quantity.EXACTLY and not things.count and not self.should
        count = 'one' if things.count == 1 else str(things.count)
        many = f'{things.quantity.value.replace("_", " ")} {count}'
        several = not none and things.count != 1
        if not things.words or self.scene is not None:
            named = [name for name in (
                things.names(self.scene) if self.scene is not None else things.named)
                if name not in (*things.without, goal.target, goal.second)]
            listed = self._listed(named)
            if every and not (self.should and (
                    goal.negated or goal.targets or self.follows and len(named) > 1)):
                return listed, len(named) > 1
            return f'{"none" if none else "all" if every else many} of ({listed})', several
        but = f' except {self._listed(things.without)}' if things.without else ''
        if every or none:
            found = f'{"every" if every else "no"} {_described(things.words)}{but} '
            return re.sub('^(every|no) thing ', r'\1thing ', found).strip(), False
        return f'{many} {_described(things.words, several)}{but}', several

    def _own(self, targets: Things, several: bool) -> str:
        """A target that each thing has for itself."""
        if not targets.words or self.scene is not None:
            named = targets.names(self.scene) if self.scene is not None else targets.named
            return f'a different one of ({self._listed(named)})'
        what = _described(targets.words, several)
        but = f' except {self._listed(targets.without)}' if targets.without else ''
        return f'{"" if several else "a "}different {what}{but}'

    def _listed(self, names: Sequence[str]) -> str:
        return listed([*map(self.name, names or ('',))])


def _described(words: Sequence[Word], several: bool = False) -> str:
    """The words in the order of speech: "red or blue cubes", "thing that is not a ball"."""
    kept = sorted((w for w in words if not w.is_denied and w.text not in ANY_THING),
                  key=lambda w: w.is_noun)
    said = [w.text for w in kept]
    if not said or (len(said) < len(words) and not kept[-1].is_noun
                    and not ANY_THING.isdisjoint(w.text for w in words)):
        said.append('thing')
    *which, noun = (text.split(OR) for text in said)
    found = ' '.join(map(' or '.join, (*which, [_plural(n) if several else n for n in noun])))
    that = f'that {"are" if several else "is"} not'
    wrong = ' and '.join(f'{that} {("an " if text[:1] in "aeiou" else "a ") * w.is_noun}{text}'
                         for w in words if w.is_denied
                         for text in w.text.removeprefix(NOT).split(OR))
    return f'{found} {wrong}' if wrong else found


def _plural(noun: str) -> str:
    if noun.endswith(('s', 'x', 'ch', 'sh')):
        return f'{noun}es'
    return f'{noun[:-1]}ies' if noun.endswith('y') and noun[-2:-1] not in 'aeiou' else f'{noun}s'
