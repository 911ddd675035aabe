# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The conditions a task wants to be true at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from replan_agent.text.choices import member
from replan_agent.text.plain_values import IF_USED, Recorded

from .scene import Scene
from .things import Quantity, Things


class Predicate(str, Enum):
    ON = 'on'
    IN = 'in'
    HOLDING = 'holding'
    AT = 'at'
    STACKED = 'stacked'
    HOME = 'home'
    LEFT_OF = 'left_of'
    RIGHT_OF = 'right_of'
    IN_FRONT_OF = 'in_front_of'
    BEHIND = 'behind'
    NEAR = 'near'
    BETWEEN = 'between'
    TURNED = 'turned'
    UPRIGHT = 'upright'
    CLEAR = 'clear'
    IS = 'is'


SUPPORTED = frozenset({Predicate.ON, Predicate.IN, Predicate.STACKED})
DIRECTED = frozenset({Predicate.LEFT_OF, Predicate.RIGHT_OF, Predicate.IN_FRONT_OF,
                      Predicate.BEHIND})
RELATIONS = SUPPORTED | DIRECTED | {Predicate.NEAR, Predicate.BETWEEN}  # they have a target
MEASURED = DIRECTED | {Predicate.NEAR}  # they may have a distance
# What a model may name. A state is reached by the skill that it names.
FOR_MODELS = tuple(p for p in Predicate if p is not Predicate.IS)


@dataclass(frozen=True)
class Goal(Recorded):
    """One condition. Several goals of a task must all be true.

    The predicate may be given as its text, such as 'in'.
    `position` (x, y in the base frame, m) is for AT, `second` is the other end for BETWEEN,
    `degrees` is the yaw for TURNED, `viewpoint` says whose left it is (`relations`). `things`
    stand in place of an object, `targets` in place of a target: each then has one of its own.
    `distance` (m) is the gap between the outlines, for MEASURED. `state` is for IS: `open`.
    """

    predicate: Predicate
    object: str | None = None
    target: str | None = None
    position: tuple[float, float] | None = None
    second: str | None = field(default=None, metadata=IF_USED)
    degrees: float | None = field(default=None, metadata=IF_USED)
    viewpoint: str = field(default='', metadata=IF_USED)
    negated: bool = field(default=False, metadata=IF_USED)
    things: Things | None = field(default=None, metadata=IF_USED)
    targets: Things | None = field(default=None, metadata=IF_USED)
    distance: float | None = field(default=None, metadata=IF_USED)
    state: str = field(default='', metadata=IF_USED)

    def __post_init__(self) -> None:
        object.__setattr__(self, 'predicate', member(Predicate, self.predicate, 'predicate'))

    def __str__(self) -> str:
        arguments = [str(a) for a in (self.things or self.object,
                                      f'different {self.targets}' if self.targets else self.target,
                                      self.second) if a]
        arguments += [f'{value:.3f}' for value in self.position or ()]
        arguments += [f'{self.degrees:.0f} deg'] if self.degrees is not None else []
        arguments += [f'{self.distance:g} m'] if self.distance is not None else []
        seen = f' as the {self.viewpoint} sees it' if self.viewpoint else ''
        said = f'{"not " * self.negated}{self.state or self.predicate.value}'
        return f'{said}({", ".join(arguments)}){seen}'

    def without_meanings(self) -> dict[str, Any]:
        """The fields as plain values, for those who have a dictionary for the words."""
        return {key: {k: v for k, v in value.items() if k != 'meanings'}
                if isinstance(value, dict) else value for key, value in self.as_dict().items()}

    @property
    def names(self) -> frozenset[str]:
        """The objects that it names."""
        return frozenset(filter(None, (self.object, self.target, self.second)))

    @property
    def is_for_each(self) -> bool:
        """Whether it says the same of all things, so that each can be judged and met alone."""
        return (self.things is not None and self.things.quantity is Quantity.ALL
                and self.targets is None and not self.negated)

    def renamed(self, names: Mapping[str, str]) -> Goal:
        """The same, if it is for all things, with their new names; '': it is only a part."""
        if self.things is None or not self.is_for_each:
            return self
        new = (names.get(name, name) for name in self.things.named)
        named = tuple(dict.fromkeys(filter(None, new)))
        if not named and not self.things.words:
            return self
        return replace(self, things=replace(self.things, named=named))

    def named(self, scene: Scene) -> tuple[Goal, ...]:
        """The same for each object that it is about, by name and without a quantity."""
        if self.things is None:
            return (self,)
        names = [n for n in self.things.names(scene) if n not in (self.target, self.second)]
        return tuple(replace(self, things=None, object=name, negated=False) for name in names)
