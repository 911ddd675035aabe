"""Grasps that failed on a thing that still lies where it was: the next one is a different one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.scene_changes import MOVED_M
from replan_agent.motion.motion_protocols import Grasp

SAME_PLACE_M = 0.025
SAME_WAY = math.cos(math.radians(25))  # of closing, and of approach


@dataclass(frozen=True)
class _Miss:
    name: str
    thing: Pose
    tcp: Pose


class MissedGrasps:
    """Kept from one call of a skill to the next."""

    def __init__(self) -> None:
        self._misses: list[_Miss] = []

    def note(self, thing: SceneObject, grasp: Grasp) -> None:
        """Remember that this grasp failed on the thing as it lies."""
        self._misses = [miss for miss in self._misses
                        if miss.name != thing.name or _unmoved(miss, thing)]
        self._misses.append(_Miss(thing.name, thing.pose, grasp.tcp))

    def forget(self, thing: SceneObject) -> None:
        """It was picked up: what failed before says nothing about its next place."""
        self._misses = [miss for miss in self._misses if miss.name != thing.name]

    def is_like_one(self, thing: SceneObject, grasp: Grasp) -> bool:
        """Whether almost the same grasp failed before: a little beside is not different.

        A thing with a shape has other grasps by its sides, and `turn` chooses among them.
        """
        return bool(thing.pieces) and any(
            miss.name == thing.name and _unmoved(miss, thing) and _alike(miss.tcp, grasp.tcp)
            for miss in self._misses)


def _unmoved(miss: _Miss, thing: SceneObject) -> bool:
    return miss.thing.distance_to(thing.pose) < MOVED_M


def _alike(a: Pose, b: Pose) -> bool:
    first, second = a.matrix(), b.matrix()
    return (a.distance_to(b) < SAME_PLACE_M
            and abs(float(first[:3, 1] @ second[:3, 1])) > SAME_WAY
            and float(first[:3, 2] @ second[:3, 2]) > SAME_WAY)
