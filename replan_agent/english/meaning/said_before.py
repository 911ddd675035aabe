# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What was said so far, and what "it", "them" and "there" mean after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal
from replan_agent.domain.orders import Order
from replan_agent.domain.reading import inventory
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason

from ..phrases import NounPhrase, Relation


def which(asks: str, names: Sequence[str] = (), about: str = '',
          ways: Sequence[Sequence[Goal]] = ()) -> Unclear:
    """A question; it names the objects that may be meant. `about` are the words for them."""
    could = f' It could be {", ".join(names)}' if names and not ways else ''
    question = Unclear(Reason.AMBIGUOUS_OBJECT, asks + could, names)
    question.about, question.ways = about, [[Order(tuple(goals))] for goals in ways]
    return question


def cannot(why: str, cause: Cause | None = None) -> Unclear:
    return Unclear(Reason.BAD_ARGUMENTS, why, cause=cause)


def missing(why: str, cause: Cause | None = Cause.PRECONDITION_FAILED, said: str = '') -> Unclear:
    """Nothing is so; `said` are the words that nothing fits."""
    return Unclear(Reason.OBJECT_NOT_FOUND, why, cause=cause, not_seen=said)


@dataclass
class Discourse:
    """What was said so far: `mentioned` are the groups of objects acted on, in order.

    `landmarks` are the targets so far, `guesses` the choices that the words left open. `start` is
    the scene at first, `scene` the one that the caller moves on.
    """

    scene: Scene
    viewpoint: str = 'arm'
    mentioned: list[tuple[str, ...]] = field(default_factory=list)
    landmarks: list[str] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # kinds of a list that are not here
    condition: NounPhrase | None = None  # the last one; what was there, what not, is it true
    is_skipped: bool = False  # a condition was false: "it" is not what was looked at for it
    condition_seen: tuple[list[str], list[str], bool] = ([], [], False)
    side: tuple[Relation, str] | None = None  # the last side that was said, and of what
    left_alone: frozenset[str] = frozenset()  # "leave the red one": no "all" means them

    def __post_init__(self) -> None:
        self.start = self.scene

    def all_mentioned(self) -> set[str]:
        return {name for group in self.mentioned for name in group}


def pronoun(phrase: NounPhrase, context: Discourse) -> tuple[str, ...]:
    """The objects that "it", "them" or "there" means. Raises Unclear."""
    scene, said = context.scene, phrase.pronoun
    last = context.mentioned[-1] if context.mentioned else ()
    held = (scene.held,) if scene.held else ()
    landmark = tuple(context.landmarks[-1:])
    if said == 'it':
        movable = tuple(o.name for o in scene.movable())
        found = (last if context.mentioned else held) or (
            () if context.is_skipped else landmark) or (movable if len(movable) == 1 else ())
    else:
        found = {'held': held, 'there': landmark}.get(said, last)
    if not found or (said == 'them' and len(found) < 2):
        hand = f'holds {held[0]}' if held else 'is empty'
        raise which(f'what is {phrase.text or "it"!r}? What is done before it does not say so, '
                    f'and the gripper {hand}; {inventory(scene)}')
    if said == 'it' and len(found) > 1:
        raise which(f'which one is {phrase.text!r}?', found)
    gone = [name for name in found if scene.get(name) is None]
    if gone:
        raise cannot(f'{gone[0]} is not here any more when {phrase.text!r} is said')
    return found
