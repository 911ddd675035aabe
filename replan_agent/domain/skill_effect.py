# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a skill does to the gripper and the scene, in a form that others can plan with.

Validation, forecast, risk, diagnosis, local planning and planners read this. None of them knows a
skill by its name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

from replan_agent.text.choices import member

from .scene import SceneObject, Shape

# The words that a `direction` argument takes, and where they lead (x forward, y left).
DIRECTIONS: Mapping[str, tuple[float, float]] = {
    'forward': (1.0, 0.0), 'back': (-1.0, 0.0), 'left': (0.0, 1.0), 'right': (0.0, -1.0)}
FLAT_ON_TOP = (Shape.BOX, Shape.CYLINDER)


class EffectKind(str, Enum):
    """What is different afterwards."""

    TAKE = 'take'  # the object is in the hand
    PUT_ON = 'put_on'  # the held object is on the target, or in it if it is a container
    PUT_IN = 'put_in'  # the held object is in the target
    PUT_AT = 'put_at'  # the held object is on the table at x, y
    RELEASE = 'release'  # the hand is empty; the held object fell somewhere
    GIVE = 'give'  # a person has the held object
    SHIFT = 'shift'  # the object slid in a direction, or towards the target
    BRING_CLOSER = 'bring_closer'  # the object slid towards the robot's base
    GO_HOME = 'go_home'  # the arm is at home
    SET = 'set'  # the object is in the state
    OBSERVE = 'observe'  # the scene was looked at again
    NONE = 'none'  # no object moved
    UNKNOWN = 'unknown'  # not known in advance; a held object stays held


class Fit(str, Enum):
    """What an object must be to be the value of an argument."""

    MOVABLE = 'movable'
    CONTAINER = 'container'
    FLAT_ON_TOP = 'flat_on_top'


FIT_WORDS: Mapping[Fit, str] = {
    Fit.MOVABLE: 'movable', Fit.CONTAINER: 'a bowl or bin', Fit.FLAT_ON_TOP: 'a box or cylinder'}
PUTS = frozenset({EffectKind.PUT_ON, EffectKind.PUT_IN, EffectKind.PUT_AT})
SLIDES = frozenset({EffectKind.SHIFT, EffectKind.BRING_CLOSER})
_REQUIRED: Mapping[EffectKind, tuple[str, ...]] = {
    EffectKind.TAKE: ('object',), EffectKind.PUT_ON: ('target',), EffectKind.PUT_IN: ('target',),
    EffectKind.PUT_AT: ('x', 'y'), EffectKind.SHIFT: ('object',),
    EffectKind.BRING_CLOSER: ('object',), EffectKind.SET: ('object', 'state')}
_SENTENCES: Mapping[EffectKind, str] = {
    EffectKind.TAKE: 'the object is in the gripper',
    EffectKind.PUT_ON: 'the held object is on the target (in it, if it is a container)',
    EffectKind.PUT_IN: 'the held object is in the target',
    EffectKind.PUT_AT: 'the held object is on the table at x, y',
    EffectKind.RELEASE: 'the gripper is empty; the held object fell',
    EffectKind.GIVE: 'a person has the held object',
    EffectKind.SHIFT: 'the object slid in the direction, or towards the target',
    EffectKind.BRING_CLOSER: 'the object slid towards the robot',
    EffectKind.SET: 'the object is in the state',
    EffectKind.GO_HOME: 'the arm is at home', EffectKind.OBSERVE: 'the scene is seen again',
    EffectKind.NONE: 'no object moved', EffectKind.UNKNOWN: 'not known in advance'}


@dataclass(frozen=True)
class Effect:
    """A kind, and which argument of the skill plays which role; '' for a role without one.

    The kind may be its text, such as 'take'. Raises ValueError with the right ones for a wrong
    one, and if a role is missing that the kind needs. Any kind may name `object`,
    `target`, `x` and `y`: they say where the skill works. Any kind may name `speed`, `force`,
    `turn` and `grasp`: they say how. `state` is no argument but the state itself: open.
    """

    kind: EffectKind = EffectKind.UNKNOWN
    object: str = ''
    target: str = ''
    x: str = ''  # m, base frame
    y: str = ''
    z: str = ''
    yaw: str = ''  # degrees; turn of the object that is put down, or turns on its place
    snug: str = ''  # true: put it down close between others
    direction: str = ''  # a word of DIRECTIONS
    veer: str = ''  # degrees that the direction is turned by, to the left
    distance: str = ''  # m
    along: str = ''  # true: what stands in the way of a slide is pushed along
    turn: str = ''  # degrees that the fingers are turned by when they grasp
    grasp: str = ''  # a kind of grasp
    force: str = ''  # N that the fingers press with
    speed: str = ''  # share of the configured speed
    state: str = ''  # what the object is afterwards: one of its `States`, or turned (`yaw`)

    def __post_init__(self) -> None:
        object.__setattr__(self, 'kind', member(EffectKind, self.kind, 'kind of effect'))
        missing = [role for role in _REQUIRED.get(self.kind, ()) if not getattr(self, role)]
        if missing:
            raise ValueError(f'an effect {self.kind.value} must say which argument is its '
                             f'{" and ".join(missing)}; it has: {self.roles() or "none"}')

    def roles(self) -> dict[str, str]:
        """The arguments by role."""
        return {f.name: getattr(self, f.name) for f in fields(self)
                if f.name != 'kind' and getattr(self, f.name)}

    def arguments(self, **values: Any) -> dict[str, Any]:
        """Values by role as values by argument. Roles without an argument are left out."""
        roles = self.roles()
        return {roles[role]: value for role, value in values.items() if role in roles}

    def value(self, role: str, args: Mapping[str, Any]) -> Any:
        """The value of the argument that plays the role, or None."""
        return args.get(getattr(self, role, ''))

    def name(self, role: str, args: Mapping[str, Any]) -> str | None:
        """The name of the object that plays the role, or None."""
        value = self.value(role, args)
        return value if isinstance(value, str) else None

    def point(self, args: Mapping[str, Any]) -> tuple[float, float] | None:
        """x and y (m, base frame); None if one is missing."""
        x, y = self.value('x', args), self.value('y', args)
        both = isinstance(x, (int, float)) and isinstance(y, (int, float))
        return (float(x), float(y)) if both else None

    def heading(self, args: Mapping[str, Any]) -> tuple[float, float] | None:
        """Where a slide goes (x, y, length 1); None if no word says it."""
        word, veer = self.value('direction', args), self.value('veer', args)
        if word not in DIRECTIONS:
            return None
        turn = math.radians(veer) if isinstance(veer, (int, float)) else 0.0
        (x, y), c, s = DIRECTIONS[word], math.cos(turn), math.sin(turn)
        return c * x - s * y, s * x + c * y

    @property
    def takes(self) -> bool:
        return self.kind is EffectKind.TAKE

    @property
    def puts(self) -> bool:
        return self.kind in PUTS

    @property
    def changes_hand(self) -> bool:
        return self.takes or self.puts or self.kind in (EffectKind.RELEASE, EffectKind.GIVE)

    def held_after(self, args: Mapping[str, Any], held: str | None) -> str | None:
        """What the hand holds after a call that went well, if it held `held` before."""
        if self.takes:
            return self.name('object', args)
        return None if self.changes_hand else held

    @property
    def slides(self) -> bool:
        return self.kind in SLIDES

    @property
    def touches_nothing(self) -> bool:
        """Whether every object stays as it is: a look, the way home."""
        return self.kind in (EffectKind.OBSERVE, EffectKind.GO_HOME, EffectKind.NONE)

    def sentence(self) -> str:
        """The effect for a planner: `take(object=object): the object is in the gripper`."""
        roles = ', '.join(f'{role}={argument}' for role, argument in self.roles().items())
        return f'{self.kind.value}({roles}): {self.outcome}'

    @property
    def outcome(self) -> str:
        """What is so afterwards, for people."""
        return _SENTENCES[self.kind]


def misfit(thing: SceneObject, fit: Fit) -> str:
    """Why the object does not fit, in a sentence; empty if it fits."""
    if fit is Fit.MOVABLE and not thing.movable:
        return f'{thing.name} is fixed and cannot be moved'
    if fit is Fit.CONTAINER and not thing.is_container:
        return f'{thing.name} is a {thing.shape.value}, not a bowl or bin'
    if fit is Fit.FLAT_ON_TOP and thing.shape not in FLAT_ON_TOP:
        shapes = ' or a '.join(shape.value for shape in FLAT_ON_TOP)
        return f'{thing.name} is a {thing.shape.value}; only a {shapes} carries something'
    return ''
