"""The conditions a task wants to be true at the end, judged from a scene.

Every judgement has three values: None means that the scene does not show it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .choices import member
from .scene import Scene, SceneObject, Shape
from .support import in_own_frame, surface_height, up_alignment

RESTING_GAP_M = 0.012
AT_TOLERANCE_M = 0.03
RIM_MARGIN_M = 0.005  # an object across a rim has its bottom at the rim, not below
UPRIGHT = math.cos(math.radians(45))  # a container tipped further holds nothing


class Predicate(str, Enum):
    ON = 'on'
    IN = 'in'
    HOLDING = 'holding'
    AT = 'at'
    STACKED = 'stacked'
    HOME = 'home'


@dataclass(frozen=True)
class Goal:
    """One predicate, or its text, such as 'in'. `position` (x, y in the base frame, m): for AT."""

    predicate: Predicate
    object: str | None = None
    target: str | None = None
    position: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, 'predicate', member(Predicate, self.predicate, 'predicate'))

    def __str__(self) -> str:
        if self.predicate is Predicate.HOME:
            return 'home()'
        if self.predicate is Predicate.AT and self.position is not None:
            return f'at({self.object}, {self.position[0]:.3f}, {self.position[1]:.3f})'
        arguments = [a for a in (self.object, self.target) if a]
        return f'{self.predicate.value}({", ".join(arguments)})'

    def as_dict(self) -> dict[str, Any]:
        return {
            'predicate': self.predicate.value, 'object': self.object, 'target': self.target,
            'position': list(self.position) if self.position else None,
        }


def judge(goal: Goal, scene: Scene) -> bool | None:
    """True, False, or None if the scene does not show it."""
    if goal.predicate is Predicate.HOME:
        return scene.arm.at_home if scene.arm else None
    if goal.predicate is Predicate.HOLDING:
        return _judge_holding(goal, scene)
    thing = scene.get(goal.object or '')
    if thing is None:
        return None
    if scene.held == thing.name:
        return False  # still in the gripper, so it rests on nothing
    if goal.predicate is Predicate.AT:
        if goal.position is None:
            return None
        near = math.dist(thing.position[:2], goal.position) <= AT_TOLERANCE_M
        return _rests(thing, scene) if near else False
    target = scene.get(goal.target or '')
    if target is None:
        return None
    if goal.predicate is Predicate.IN:
        return is_inside(thing, target)
    return is_resting_on(thing, target) and not _is_walled_off(thing, target, scene)


def _rests(thing: SceneObject, scene: Scene) -> bool | None:
    """Whether something is right below the object; None if no table is seen."""
    if any(is_resting_on(thing, below) for below in scene.without([thing.name])):
        return True
    return None if scene.table is None else False


def judge_all(goals: Iterable[Goal], scene: Scene) -> bool | None:
    """False if any goal is false, else None if any is unknown (or there are none), else True."""
    verdicts = [judge(goal, scene) for goal in goals]
    if False in verdicts:
        return False
    return None if not verdicts or None in verdicts else True


def is_resting_on(thing: SceneObject, target: SceneObject) -> bool:
    """Whether `thing`'s bottom touches `target`'s surface right below `thing`'s centre."""
    if target.is_container:
        return is_inside(thing, target)
    x, y, _ = thing.position
    surface_z = surface_height(target, x, y)
    if surface_z is None:
        return False
    return bool(abs(thing.bottom_z - surface_z) <= RESTING_GAP_M)


def is_inside(thing: SceneObject, container: SceneObject) -> bool:
    """Whether `thing` is in the upright container: centre within the rim, bottom below it."""
    if container.shape not in (Shape.BOWL, Shape.BIN) or up_alignment(container) < UPRIGHT:
        return False
    along, across, _ = map(float, in_own_frame(container, thing.position))
    if container.shape is Shape.BOWL:
        within = math.hypot(along, across) <= max(container.size[:2]) / 2
    else:
        within = abs(along) <= container.size[0] / 2 and abs(across) <= container.size[1] / 2
    return bool(within and container.bottom_z - RIM_MARGIN_M <= thing.bottom_z
                <= container.top_z - RIM_MARGIN_M)


def _is_walled_off(thing: SceneObject, target: SceneObject, scene: Scene) -> bool:
    """Whether `thing` and `target` are separated by a container that does not hold `target`.

    A bowl's floor is thinner than the resting gap. Without this check, an object in a bowl on
    the table would count as on the table.
    """
    others = [o for o in scene.without((thing.name, target.name)) if o.is_container]
    return any(is_inside(thing, o) and not is_inside(target, o) for o in others)


def _judge_holding(goal: Goal, scene: Scene) -> bool | None:
    if scene.arm is None:
        return None
    if goal.object is None:
        return scene.held is not None
    return scene.held == goal.object
