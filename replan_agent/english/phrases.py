# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a sentence is made of: noun phrases, places, commands. Nothing here knows the scene."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

ORDER = 'order'
ANYTHING = 'anything'  # the pronoun of whatever is in the gripper
CHOICE = 'choice'  # "the red or the blue one": it does not say which
DENIED = 'denied'  # "the cubes are not in it": none of them, or not all?


class Verb(str, Enum):
    PICK = 'pick'
    PUT = 'put'
    REMOVE = 'remove'  # out of, off
    RELEASE = 'release'
    HOME = 'home'
    LOOK = 'look'
    SWAP = 'swap'
    LINE_UP = 'line_up'
    GATHER = 'gather'  # next to each other
    GROUP = 'group'  # a group of its own for each kind, apart from all else
    STACK = 'stack'
    UNSTACK = 'unstack'
    EMPTY = 'empty'
    SLIDE = 'slide'
    TURN = 'turn'
    GIVE = 'give'  # put it near the person
    HAND_OVER = 'hand_over'
    LEAVE = 'leave'
    SKILL = 'skill'  # `key` is the name of an installed one


class Relation(str, Enum):
    """Where something is, or should be. TO is on or in, as it fits the target."""

    IN = 'in'
    ON = 'on'
    TO = 'to'
    NEAR = 'near'
    BETWEEN = 'between'
    LEFT_OF = 'left_of'
    RIGHT_OF = 'right_of'
    IN_FRONT_OF = 'in_front_of'
    BEHIND = 'behind'
    FROM = 'from'
    TOWARDS = 'towards'  # nearer to a landmark
    APART_FROM = 'apart_from'  # further from a landmark
    HALFWAY = 'halfway'
    UNDER = 'under'  # only describes
    WITH = 'with'  # only describes: it holds the landmark
    WHERE = 'where'  # where the landmark is
    ZONE = 'zone'  # a part of the table: `direction` has its words
    AT = 'at'  # a point
    ASIDE = 'aside'  # a direction and a distance from where it is
    BACK = 'back'  # where it was
    DOWN = 'down'
    AWAY = 'away'  # where loose things belong
    DISCARDED = 'discarded'  # the bin
    TO_PERSON = 'to_person'
    UPRIGHT = 'upright'  # how a thing is, said as a place is
    EMPTY = 'empty'
    HELD = 'held'
    TURNED = 'turned'
    STATE = 'state'  # `direction` is its word: open


@dataclass(frozen=True)
class Rank:
    """A superlative, a size or a position in a row: `leftmost`, `small`, second from the left.

    The last one has the ordinal 0. Without "from the left", the word of an ordinal is ORDER.
    """

    word: str
    landmark: NounPhrase | None = None  # "closest to the bowl"
    ordinal: int = 1
    most: bool = False  # "smallest": by size, also if another one is named small


@dataclass(frozen=True)
class NounPhrase:
    """A description of objects, in the words of the task.

    `quantity`: '' (the one), all, all_but (all but `count`), both, some, exactly, at_least,
    at_most, no, rest, other, others (of that kind, or all), own (each its own), matching (of the
    colour of what goes there), CHOICE, DENIED.
    """

    text: str
    words: tuple[str, ...] = ()
    quantity: str = ''
    count: int | None = None
    definite: bool = True
    plural: bool = False
    ranks: tuple[Rank, ...] = ()
    pronoun: str = ''  # it, them, there, held
    places: tuple[Place, ...] = ()
    without: tuple[NounPhrase, ...] = ()
    listed: tuple[NounPhrase, ...] = ()  # the quantity is of these
    called: str = ''  # a name as it is written
    clause: bool = False  # "that is ..." or "with ..." follows its noun

    @property
    def is_several(self) -> bool:
        return self.quantity in (
            'all', 'both', 'exactly', 'at_least', 'at_most', 'rest', 'others', 'all_but') or (
            self.plural and self.quantity != 'some')

    @property
    def has_clause(self) -> bool:
        """Whether "that is ..." ends it: "cubes on the plate that are red" may be red cubes."""
        within: list[NounPhrase | Place] = [*self.places, *self.without, *self.listed]
        within += (rank.landmark for rank in self.ranks if rank.landmark)
        return self.clause or any(part.has_clause for part in within)


def is_bare(phrase: NounPhrase) -> bool:
    """Whether it says no more than a noun: "the table"."""
    return not (phrase.quantity or phrase.count or phrase.ranks or phrase.places or phrase.without)


@dataclass(frozen=True)
class Place:
    """A place in words. `sure`: it can only be a destination, as with "into" and "to"."""

    relation: Relation
    landmarks: tuple[NounPhrase, ...] = ()
    direction: str = ''
    distance_m: float | None = None
    degrees: float | None = None
    point: tuple[float, float] | None = None
    sure: bool = False
    negated: bool = False  # "that is not in the bowl"
    axis: str = ''  # "on the left side (positive y)": +y
    viewpoint: str = ''  # whose left it is, if it is said

    @property
    def has_clause(self) -> bool:
        return any(phrase.has_clause for phrase in self.landmarks)


OPPOSITE = {Relation.LEFT_OF: Relation.RIGHT_OF, Relation.RIGHT_OF: Relation.LEFT_OF,
            Relation.IN_FRONT_OF: Relation.BEHIND, Relation.BEHIND: Relation.IN_FRONT_OF}


@dataclass(frozen=True)
class Command:
    """One command: what to do, with what, where; `text` is its part of the task."""

    verb: Verb
    text: str
    things: tuple[NounPhrase, ...] = ()
    places: tuple[Place, ...] = ()
    degrees: float | None = None
    key: str = ''  # what to sort by; for a stack 'ordered', or the 'ends' that come last
    condition: NounPhrase | None = None
    unless: bool = False  # carried out if the condition is false
    has_other: bool = False  # there is an "otherwise"
    is_other: bool = False  # it is of the "otherwise"
    until: NounPhrase | None = None  # of what nothing may be left: "until no cube is left"
    contrast: NounPhrase | None = None  # "instead of the bin", "not the blue one"
    only: bool = False
    states: bool = False  # it says how things should be: "two cubes should be in the bowl"
    follows: bool = False  # it is said that it is done after the one before it
    repeats: bool = False  # its place is that of the one before it: "then the blue one"
    may_lack: bool = False  # "make sure that all X and Y are ...": true of those that are not here

    @property
    def span(self) -> str:
        """The words for its things; "A ... B" for several."""
        return ' ... '.join(dict.fromkeys(p.text for p in (*self.things[:1], *self.things[-1:])))
