# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A word that describes objects, and what it says about them: judged without a dictionary."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase
from functools import lru_cache

from replan_agent.text.plain_values import IF_USED, Recorded

from .scene import Scene, SceneObject, Shape

CUBE_SIDES_WITHIN = 1.25
BAR_LONGER_THAN = 2.0
FLAT_WITHIN = 0.4  # height as a share of the smaller side
ABOUT = 1.5  # of a shape that is not clearly seen, sides may differ by this much more
UNCLEAR = 'thing'  # in the names of things whose shape is not clear
NOT = '-'  # before a word that must not fit
OR = '|'  # between words of which one must fit: "red|blue"
FIELDS = ('names', 'other_names', 'colours', 'shapes', 'forms')


class Form(str, Enum):
    """What is seen of a thing beside its shape."""

    CUBE = 'cube'
    BAR = 'bar'
    FLAT = 'flat'


@lru_cache(maxsize=512)
def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether the name is one of the patterns; * stands for any letters."""
    return any(fnmatchcase(name.lower(), pattern.lower()) for pattern in patterns)


def name_words(name: str) -> tuple[str, ...]:
    return tuple(re.split(r'[_\-\s]+', name.lower()))


def is_loose(thing: SceneObject) -> bool:
    """Whether "everything" means it, too: movable, and no bowl or bin."""
    return thing.movable and not thing.is_container and is_thing(thing)


def is_thing(thing: SceneObject) -> bool:
    return thing.shape not in (Shape.TABLE, Shape.WALL)


def is_cube(thing: SceneObject) -> bool:
    return thing.shape is Shape.BOX and max(thing.size) <= CUBE_SIDES_WITHIN * min(thing.size)


def is_bar(thing: SceneObject) -> bool:
    _, middle, longest = sorted(thing.size)
    return thing.shape is Shape.BOX and longest >= BAR_LONGER_THAN * middle


def is_flat(thing: SceneObject) -> bool:
    return thing.size[2] <= FLAT_WITHIN * min(thing.size[:2])


_HAS: Mapping[Form, Callable[[SceneObject], bool]] = {
    Form.CUBE: is_cube, Form.BAR: is_bar, Form.FLAT: is_flat}


@dataclass(frozen=True)
class Word(Recorded):
    """A word as it was said, and what it says about a thing: one of the conditions is enough.

    `names` are words of a name. `other_names` count where nothing has one of `names`: with a pen
    and a marker, "the pen" is the pen; with markers alone it is one of these. They may also be
    colours: "the violet one" is a purple one where nothing is called violet. After NOT, no
    condition may be true. `is_noun`: it says what a thing is, not what it is like.
    """

    text: str
    names: frozenset[str] = field(default=frozenset(), metadata=IF_USED)
    other_names: frozenset[str] = field(default=frozenset(), metadata=IF_USED)
    colours: frozenset[str] = field(default=frozenset(), metadata=IF_USED)
    shapes: frozenset[Shape] = field(default=frozenset(), metadata=IF_USED)
    forms: frozenset[Form] = field(default=frozenset(), metadata=IF_USED)
    is_noun: bool = field(default=False, metadata=IF_USED)

    @staticmethod
    def plain(text: str) -> Word:
        """A word without a dictionary: it is in the name, or it is the colour."""
        said = frozenset(text.removeprefix(NOT).split(OR))
        return Word(text, names=said, colours=said)

    @property
    def is_denied(self) -> bool:
        return self.text.startswith(NOT)

    def fits(self, thing: SceneObject, scene: Scene | None = None) -> bool:
        """Whether it is true of the thing; among the things of a scene, if one is given."""
        words = name_words(thing.name)
        others = self.other_names and (scene is None or not any(
            not self.names.isdisjoint(name_words(o.name)) or o.colour in self.colours
            for o in scene.objects))
        found = (not self.names.isdisjoint(words)
                 or bool(others) and not self.other_names.isdisjoint((*words, thing.colour))
                 or thing.colour in self.colours or thing.shape in self.shapes
                 or any(_HAS[form](thing) for form in self.forms))
        return found is not self.is_denied

    def may_fit(self, thing: SceneObject) -> bool:
        """Whether it is a word for a shape that a thing of no clear shape may well have.

        That is one that the camera could only call "thing", or "wall" because of its size: its
        sides must not contradict it.
        """
        box = thing.shape is Shape.WALL and f'{thing.colour}_{Shape.WALL.value}' in thing.name
        if self.is_denied or not box and (thing.shape is not Shape.IRREGULAR or (
                UNCLEAR not in name_words(thing.name))):
            return False
        shortest, middle, longest = sorted(thing.size)
        may_be = {Form.CUBE: longest <= ABOUT * shortest, Form.FLAT: is_flat(thing),
                  Form.BAR: ABOUT * longest >= BAR_LONGER_THAN * middle,
                  Shape.SPHERE: not box and longest <= ABOUT * shortest, Shape.BOX: True,
                  Shape.CYLINDER: not box}
        return any(may_be.get(said, False) for said in (*self.shapes, *self.forms))

    def __str__(self) -> str:
        return ('not ' * self.is_denied + self.text.removeprefix(NOT)).replace(OR, ' or ')


ReadWord = Callable[[str], Word]
