"""Goals in plain words, each with its verdict: "the red cube is in the bowl: yes"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.kinds import NOT, OR, Word
from replan_agent.domain.scene import Scene
from replan_agent.domain.things import Quantity, Things

from .judging import judge
from .out_of_sight import believed

_IS = {
    Predicate.IN: 'in {target}', Predicate.ON: 'on {target}',
    Predicate.STACKED: 'stacked on {target}', Predicate.NEAR: 'next to {target}',
    Predicate.LEFT_OF: 'to the left of {target}', Predicate.RIGHT_OF: 'to the right of {target}',
    Predicate.IN_FRONT_OF: 'in front of {target}', Predicate.BEHIND: 'behind {target}',
    Predicate.BETWEEN: 'between {target} and {second}', Predicate.AT: 'at {position} m',
    Predicate.TURNED: 'turned to {degrees} degrees', Predicate.UPRIGHT: 'upright',
    Predicate.HOLDING: 'in the gripper', Predicate.CLEAR: 'empty, with nothing on or in it'}
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
    if goal.predicate is Predicate.HOME:
        return 'the arm is at home'
    who, several = _things(goal.things) if goal.things else (spoken(goal.object), False)
    where = _IS[goal.predicate].format(
        target=_own(goal.targets, several) if goal.targets else spoken(goal.target),
        second=spoken(goal.second), position=', '.join(f'{v:.3f}' for v in goal.position or ()),
        degrees=f'{goal.degrees or 0:.0f}')
    seen = f', as the {goal.viewpoint} sees it' if goal.viewpoint else ''
    verb = 'are' if several else 'is'
    if goal.things is not None and goal.negated:
        return f'it is not so that {who} {verb} {where}{seen}'
    return f'{who} {verb}{" not" * goal.negated} {where}{seen}'


def goals_in_words(goals: Iterable[Goal]) -> str:
    return ', '.join(map(goal_in_words, goals))


def spoken(name: str | None) -> str:
    """A name as one says it: red_cube is "the red cube"."""
    return f'the {name.replace("_", " ")}' if name else 'something'


def _things(things: Things) -> tuple[str, bool]:
    """The things as one says them, and whether "are" follows."""
    but = f' except {_listed(things.without)}' if things.without else ''
    every = things.quantity is Quantity.ALL
    none = things.quantity is Quantity.EXACTLY and not things.count
    count = 'one' if things.count == 1 else str(things.count)
    many = f'{things.quantity.value.replace("_", " ")} {count}'
    several = not none and things.count != 1
    if not things.words:
        named = [name for name in things.named if name not in things.without]
        if every:
            return _listed(named), len(named) > 1
        return f'{"none" if none else many} of {_listed(named)}', several
    if every or none:
        found = f'{"every" if every else "no"} {_described(things.words)}{but} '
        return re.sub('^(every|no) thing ', r'\1thing ', found).strip(), False
    return f'{many} {_described(things.words, several)}{but}', several


def _own(targets: Things, several: bool) -> str:
    """A target that each thing has for itself."""
    whose = 'their own' if several else 'its own'
    what = _described(targets.words, several) if targets.words else (
        f'one of {_listed(targets.named)}')
    return f'{whose} {what}' + (f' except {_listed(targets.without)}' if targets.without else '')


def _listed(names: Sequence[str]) -> str:
    *first, last = map(spoken, names or ('',))
    return f'{", ".join(first)} and {last}' if first else last


def _described(words: Sequence[Word], several: bool = False) -> str:
    """The words in the order of speech: "red or blue cubes", "thing that is not a ball"."""
    kept = [w for w in words if not w.is_denied and w.text not in ANY_THING]
    said = [w.text for w in kept]
    if not said or (len(said) < len(words) and not kept[-1].is_noun
                    and not ANY_THING.isdisjoint(w.text for w in words)):
        said.append('thing')
    *which, noun = (text.split(OR) for text in said)
    found = ' '.join(map(' or '.join, (*which, [_plural(n) if several else n for n in noun])))
    wrong = ' and '.join(f'not {_with_article(w)}' for w in words if w.is_denied)
    return f'{found} that {"are" if several else "is"} {wrong}' if wrong else found


def _with_article(word: Word) -> str:
    text = word.text.removeprefix(NOT)
    article = 'an ' if text[:1] in 'aeiou' else 'a '
    return (article if word.is_noun else '') + text.replace(OR, ' or ')


def _plural(noun: str) -> str:
    if noun.endswith(('s', 'x', 'ch', 'sh')):
        return f'{noun}es'
    if noun.endswith('y') and noun[-2:-1] not in 'aeiou':
        return f'{noun[:-1]}ies'
    return f'{noun}s'
