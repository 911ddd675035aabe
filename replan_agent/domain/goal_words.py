"""Goals in plain words, each with its verdict: "the red cube is in the bowl: yes"."""

from __future__ import annotations

from collections.abc import Iterable

from .goal import Goal, Predicate, judge
from .out_of_sight import believed
from .scene import Scene
from .things import Quantity, Things

_IS = {
    Predicate.IN: 'in {target}', Predicate.ON: 'on {target}',
    Predicate.STACKED: 'stacked on {target}', Predicate.NEAR: 'next to {target}',
    Predicate.LEFT_OF: 'to the left of {target}', Predicate.RIGHT_OF: 'to the right of {target}',
    Predicate.IN_FRONT_OF: 'in front of {target}', Predicate.BEHIND: 'behind {target}',
    Predicate.BETWEEN: 'between {target} and {second}', Predicate.AT: 'at {position} m',
    Predicate.TURNED: 'turned to {degrees} degrees', Predicate.UPRIGHT: 'upright',
    Predicate.HOLDING: 'in the gripper', Predicate.CLEAR: 'empty, with nothing on or in it'}
_YES = {True: 'yes', False: 'no', None: 'not known'}


def verdicts_in_words(goals: Iterable[Goal], scene: Scene) -> list[str]:
    """A line for each goal; "all" has one for each of its things."""
    return [f'{goal_in_words(part)}: {_answer(part, scene)}' for goal in goals
            for part in _parts(goal, scene)]


def _answer(goal: Goal, scene: Scene) -> str:
    verdict = judge(goal, scene)
    unseen = believed([goal], scene) if verdict else []
    return f'{_YES[verdict]}, believed: not seen now' if unseen else _YES[verdict]


def _parts(goal: Goal, scene: Scene) -> tuple[Goal, ...]:
    return (goal.named(scene) or (goal,)) if goal.is_for_each else (goal,)


def goal_in_words(goal: Goal) -> str:
    """The goal as a sentence about how things are."""
    if goal.predicate is Predicate.HOME:
        return 'the arm is at home'
    several = goal.things is not None
    who = _things(goal.things) if goal.things is not None else spoken(goal.object)
    target = f'one each of {_things(goal.targets)}' if goal.targets else spoken(goal.target)
    where = _IS[goal.predicate].format(
        target=target, second=spoken(goal.second),
        position=', '.join(f'{v:.3f}' for v in goal.position or ()),
        degrees=f'{goal.degrees:.0f}' if goal.degrees is not None else '?')
    seen = f', as the {goal.viewpoint} sees it' if goal.viewpoint else ''
    verb = 'are' if several else 'is'
    return f'{who} {verb}{" not" * goal.negated} {where}{seen}'


def spoken(name: str | None) -> str:
    """A name as one says it: red_cube is "the red cube"."""
    return f'the {name.replace("_", " ")}' if name else 'anything'


def _things(things: Things) -> str:
    what = ' '.join(w.replace('-', 'not ', 1) for w in things.words) if things.words else (
        ' and '.join(map(spoken, things.named)))
    but = f' except {" and ".join(map(spoken, things.without))}' if things.without else ''
    many = {Quantity.ALL: 'all', Quantity.EXACTLY: f'exactly {things.count}',
            Quantity.AT_LEAST: f'at least {things.count}'}[things.quantity]
    return f'{many} of ({what}{but})'
