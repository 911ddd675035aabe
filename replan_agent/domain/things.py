# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A quantity of objects that a goal is about: "all red cubes", "exactly two balls"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from replan_agent.text.plain_values import Recorded, on_disk, read

from .kinds import Word, is_loose
from .scene import Scene


class Quantity(str, Enum):
    ALL = 'all'
    EXACTLY = 'exactly'
    AT_LEAST = 'at_least'
    AT_MOST = 'at_most'


LIMITS = (Quantity.EXACTLY, Quantity.AT_MOST)  # one more that is not seen is too many


def _written(words: tuple[Word, ...]) -> dict[str, Any]:
    """The words, and what they mean, for those without a dictionary."""
    said = {'words': [word.text for word in words]}
    return {**said, 'meanings': [word.as_dict() for word in words]} if words else said


def _read(values: Mapping[str, Any], where: str) -> tuple[Word, ...]:
    found: tuple[Word, ...] = read(tuple[Word, ...], values.get('meanings', []), where)
    return found or tuple(map(Word.plain, read(tuple[str, ...], values.get('words', []), where)))


@dataclass(frozen=True)
class Things(Recorded):
    """Which objects, and how many of them.

    `words` describe them; every object that they fit counts, also one that is seen later. `named`
    are those that it surely means. Without words it means only these. `without` are exceptions.
    """

    quantity: Quantity = Quantity.ALL
    count: int = 0  # for all but ALL
    words: tuple[Word, ...] = field(default=(), metadata=on_disk(
        flat=True, write=_written, read=_read))
    named: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def names(self, scene: Scene) -> tuple[str, ...]:
        """The objects that it means. Those in `named` count even if the scene lacks them."""
        seen = [o for o in scene.objects
                if self.words and all(word.fits(o, scene) for word in self.words)]
        loose = [o for o in seen if is_loose(o)] or seen
        names = dict.fromkeys((*self.named, *(o.name for o in loose)))
        return tuple(name for name in names if name not in self.without)

    def verdict(self, verdicts: list[bool | None]) -> bool | None:
        """The judgement of the quantity, from those of its objects."""
        met, unknown = verdicts.count(True), verdicts.count(None)
        if self.quantity is Quantity.ALL:
            if False in verdicts:
                return False
            return None if unknown or not verdicts else True
        if self.quantity is Quantity.AT_MOST:
            return False if met > self.count else None if met + unknown > self.count else True
        if self.quantity is Quantity.AT_LEAST and met >= self.count:
            return True
        if met > self.count or met + unknown < self.count:
            return False
        return None if unknown else met == self.count

    def __str__(self) -> str:
        how_many = '' if self.quantity is Quantity.ALL else f' {self.count}'
        what = ' '.join(map(str, self.words)) or ' + '.join(self.named)
        but = f' except {" + ".join(self.without)}' if self.without else ''
        return f'{self.quantity.value}{how_many} {what}{but}'
