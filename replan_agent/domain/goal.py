"""What the task wants to be true at the end, judged from a scene.

Every judgement is three-valued: unknown (None) when the scene does not show what is asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .scene import Scene, SceneObject, Shape

RESTING_GAP_M = 0.012
AT_TOLERANCE_M = 0.03


class Predicate(str, Enum):
    ON = 'on'
    IN = 'in'
    HOLDING = 'holding'
    AT = 'at'
    STACKED = 'stacked'
    HOME = 'home'


@dataclass(frozen=True)
class Goal:
    """One predicate. `position` (x, y in the base frame, m) is for AT."""

    predicate: Predicate
    object: str | None = None
    target: str | None = None
    position: tuple[float, float] | None = None

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
    """True, False, or None when the scene does not tell."""
    if goal.predicate is Predicate.HOME:
        return scene.arm.at_home if scene.arm else None
    if goal.predicate is Predicate.HOLDING:
        return _judge_holding(goal, scene)
    thing = scene.get(goal.object or '')
    if thing is None:
        return None
    if scene.held == thing.name:
        return False  # still in the gripper: it rests nowhere
    if goal.predicate is Predicate.AT:
        if goal.position is None:
            return None
        return math.dist(thing.position[:2], goal.position) <= AT_TOLERANCE_M
    target = scene.get(goal.target or '')
    if target is None:
        return None
    if goal.predicate is Predicate.IN:
        return is_inside(thing, target)
    return is_resting_on(thing, target)


def judge_all(goals: Iterable[Goal], scene: Scene) -> bool | None:
    """False if any goal is false, else None if any is unknown (or there is none), else True."""
    verdicts = [judge(goal, scene) for goal in goals]
    if False in verdicts:
        return False
    return None if not verdicts or None in verdicts else True


def is_resting_on(thing: SceneObject, target: SceneObject) -> bool:
    """`thing`'s centre is above `target`'s footprint and its bottom touches the top."""
    if target.is_container:
        return is_inside(thing, target)
    half = target.half_extents_in_base()
    over = all(abs(thing.position[i] - target.position[i]) <= half[i] for i in (0, 1))
    return over and abs(thing.bottom_z - target.top_z) <= RESTING_GAP_M


def is_inside(thing: SceneObject, container: SceneObject) -> bool:
    """`thing`'s centre is within the container's rim, and its bottom below the rim."""
    half = container.half_extents_in_base()
    dx, dy = (thing.position[i] - container.position[i] for i in (0, 1))
    if container.shape is Shape.BOWL:
        within = math.hypot(dx, dy) <= half[0]
    else:
        c, s = math.cos(container.pose.yaw), math.sin(container.pose.yaw)
        along, across = c * dx + s * dy, -s * dx + c * dy
        within = abs(along) <= container.size[0] / 2 and abs(across) <= container.size[1] / 2
    return within and container.bottom_z - 0.005 <= thing.bottom_z <= container.top_z


def _judge_holding(goal: Goal, scene: Scene) -> bool | None:
    if scene.arm is None:
        return None
    if goal.object is None:
        return scene.held is not None
    return scene.held == goal.object
