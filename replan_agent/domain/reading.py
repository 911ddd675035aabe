# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the words of a task or a remark mean in a scene, and what can be said about the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from replan_agent.text.shown_text import listed

from .orders import Order
from .refusals import Unclear
from .scene import Scene


@dataclass(frozen=True)
class Reading:
    """The orders of a task in a scene; `done` are those that completed steps did.

    `refusal` is why a command could not be read; the orders before it were. `not_seen` are things
    that the scene does not show: the orders are about the others. `is_only`: the words allow no
    other reading; else `guesses` are the choices that they leave, and `choices` the objects that
    these may mean; None if they may mean anything, as with tidying up.
    """

    orders: tuple[Order, ...] = ()
    done: tuple[bool, ...] = ()
    refusal: Unclear | None = None
    not_seen: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    choices: frozenset[str] | None = frozenset()
    left_alone: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()  # kinds of a list of which nothing is here
    left_out: tuple[str, ...] = ()  # what a condition leaves undone, and why, in words
    is_left_out: bool = False  # and there is nothing else to do
    calls: str = ''  # the task as calls of installed skills: "tap the can" is tap(object=can)

    @property
    def is_only(self) -> bool:
        return not self.guesses

    def may_move(self, scene: Scene) -> tuple[str, ...]:
        """The things that the orders move, or choose from."""
        if self.is_left_out:
            return ()
        names = {name for order in self.orders for name in order.may_move(scene)}
        return tuple(name for name in scene.names() if name in names)

    @property
    def stops_to_look(self) -> bool:
        return any(o.movement is not None and o.movement.kind is None for o in self.orders)

    @property
    def is_part(self) -> bool:
        """Whether the orders are worth a plan, though the task was not read to its end."""
        return self.stops_to_look or bool(self.not_seen)


@dataclass(frozen=True)
class Wording:
    """What is to be said about the words of a task, whatever they mean.

    `asks` is a question about words that may be typing mistakes. `manner` are words that say how
    to move.
    """

    asks: str = ''
    manner: tuple[str, ...] = ()
    is_foreign: bool = False
    asks_for_nothing: bool = False
    is_known: bool = True  # all words are used by the grammar, or name something here


def told_not_seen(things: Sequence[str]) -> str:
    """ "the bread is not seen", "the bread and the can are not seen"."""
    unique = list(dict.fromkeys(things))
    return f'{listed(unique)} {"are" if len(unique) > 1 else "is"} not seen'


def inventory(scene: Scene) -> str:
    """What the scene has, in words."""
    return f'the scene has: {", ".join(scene.seen().names()) or "no objects"}'


class RemarkKind(str, Enum):
    YES = 'yes'
    NO = 'no'
    GREETING = 'greeting'  # also thanks
    UNDO = 'undo'
    CHANGE = 'change'  # "the blue one", "in the bin", "the second": of what was said before
    WHAT = 'what'  # is there
    SEEN = 'seen'
    HELD = 'held'
    WHERE = 'where'
    COUNT = 'count'
    IS = 'is'  # "is the cup on the table?"
    WHY = 'why'
    DONE = 'done'
    ABLE = 'able'


@dataclass(frozen=True)
class Remark:
    """One reading of a remark, in the words that were said.

    `number` counts what was listed, from 1; -1 is the last. `denies`: it begins with a no.
    `also`: what was done before stays done.
    """

    kind: RemarkKind
    thing: str = ''
    place: str = ''
    order: str = ''
    number: int = 0
    denies: bool = False
    also: bool = False
