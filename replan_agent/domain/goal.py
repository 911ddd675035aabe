"""The conditions a task wants to be true at the end."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from replan_agent.text.choices import member

from .kinds import ReadWord, Word
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


SUPPORTED = frozenset({Predicate.ON, Predicate.IN, Predicate.STACKED})
DIRECTED = frozenset({Predicate.LEFT_OF, Predicate.RIGHT_OF, Predicate.IN_FRONT_OF,
                      Predicate.BEHIND})
RELATIONS = SUPPORTED | DIRECTED | {Predicate.NEAR, Predicate.BETWEEN}  # they have a target
MEASURED = DIRECTED | {Predicate.NEAR}  # they may have a distance


@dataclass(frozen=True)
class Goal:
    """One condition. Several goals of a task must all be true.

    The predicate may be given as its text, such as 'in'.
    `position` (x, y in the base frame, m) is for AT, `second` is the other end for BETWEEN,
    `degrees` is the yaw for TURNED, `viewpoint` says whose left it is (`relations`). `things`
    stand in place of an object, `targets` in place of a target: each then has one of its own.
    `distance` (m) is the gap between the outlines, for MEASURED.
    """

    predicate: Predicate
    object: str | None = None
    target: str | None = None
    position: tuple[float, float] | None = None
    second: str | None = None
    degrees: float | None = None
    viewpoint: str = ''
    negated: bool = False
    things: Things | None = None
    targets: Things | None = None
    distance: float | None = None

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
        return f'{"not " * self.negated}{self.predicate.value}({", ".join(arguments)}){seen}'

    def as_dict(self, meanings: bool = True) -> dict[str, Any]:
        """The fields. Those after `position` are only there if they are used."""
        more = {key: value.as_dict(meanings) if isinstance(value, Things) else value
                for key, value in (
            ('second', self.second), ('degrees', self.degrees), ('viewpoint', self.viewpoint),
            ('negated', self.negated), ('things', self.things), ('targets', self.targets),
            ('distance', self.distance))
            if value or (key in ('degrees', 'distance') and value is not None)}
        return {
            'predicate': self.predicate.value, 'object': self.object, 'target': self.target,
            'position': list(self.position) if self.position else None, **more,
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any], read: ReadWord = Word.plain) -> Goal:
        """What `as_dict` wrote. `read` is for words without a meaning."""
        position, things, targets = (data.get(k) for k in ('position', 'things', 'targets'))
        for key in ('object', 'target', 'second'):
            if not isinstance(data.get(key), (str, type(None))):
                raise TypeError(f'{key}: text expected, not {type(data[key]).__name__}')
        degrees, distance = data.get('degrees'), data.get('distance')
        return Goal(Predicate(data['predicate']), data.get('object'), data.get('target'),
                    (float(position[0]), float(position[1])) if position else None,
                    data.get('second'), None if degrees is None else float(degrees),
                    str(data.get('viewpoint', '')), bool(data.get('negated', False)),
                    Things.from_dict(things, read) if things else None,
                    Things.from_dict(targets, read) if targets else None,
                    None if distance is None else float(distance))

    @property
    def names(self) -> frozenset[str]:
        """The objects that it names."""
        return frozenset(filter(None, (self.object, self.target, self.second)))

    @property
    def is_for_each(self) -> bool:
        """Whether it says the same of all things, so that each can be judged and met alone."""
        return (self.things is not None and self.things.quantity is Quantity.ALL
                and self.targets is None and not self.negated)

    def without_parts(self, parts: Collection[str]) -> Goal:
        """The same, if it is for all things, without those that are only parts of others."""
        if self.things is None or not self.is_for_each:
            return self
        named = tuple(name for name in self.things.named if name not in parts)
        if not named and not self.things.words:
            return self
        return replace(self, things=replace(self.things, named=named))

    def named(self, scene: Scene) -> tuple[Goal, ...]:
        """The same for each object that it is about, by name and without a quantity."""
        if self.things is None:
            return (self,)
        names = [n for n in self.things.names(scene) if n not in (self.target, self.second)]
        return tuple(replace(self, things=None, object=name, negated=False) for name in names)
