# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Grasps that failed on a thing that still lies where it was: the next one is a different one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.scene_changes import MOVED_M
from replan_agent.motion.motion_protocols import Grasp

SAME_PLACE_M = 0.025
AROUND_M = 0.12  # so far from a thing, another one may be in the way of the hand
SAME_WAY = math.cos(math.radians(25))  # of closing, and of approach


@dataclass(frozen=True)
class _Miss:
    """A grasp at `tcp`, and where the thing and what was around it lay then."""

    places: Mapping[str, Pose]
    tcp: Pose

    def still_holds(self, scene: Scene) -> bool:
        """Whether all of that lies where it lay: what a neighbour blocked may be free now."""
        return all((now := scene.get(name)) is not None and place.distance_to(now.pose) < MOVED_M
                   for name, place in self.places.items())


class MissedGrasps:
    """Kept from one call of a skill to the next."""

    def __init__(self) -> None:
        self._misses: dict[str, list[_Miss]] = {}

    def note(self, thing: SceneObject, grasp: Grasp, scene: Scene) -> None:
        """Remember that this grasp failed as all lies, until the thing is seen in the hand."""
        near = {o.name: o.pose for o in scene.movable() if math.dist(
            o.position, thing.position) < max(o.size) / 2 + AROUND_M}
        self._misses.setdefault(thing.name, []).append(_Miss(near, grasp.tcp))

    def forget(self, thing: SceneObject) -> None:
        """It was picked up: what failed before says nothing about its next place."""
        self._misses.pop(thing.name, None)

    def is_like_one(self, thing: SceneObject, grasp: Grasp, scene: Scene) -> bool:
        """Whether almost the same grasp failed before: a little beside is not different.

        A thing with a shape has other grasps by its sides, and `turn` chooses among them.
        """
        return bool(thing.pieces) and any(
            _alike(miss.tcp, grasp.tcp) and miss.still_holds(scene)
            for miss in self._misses.get(thing.name, ()))


def _alike(a: Pose, b: Pose) -> bool:
    first, second = a.matrix(), b.matrix()
    return (a.distance_to(b) < SAME_PLACE_M
            and abs(float(first[:3, 1] @ second[:3, 1])) > SAME_WAY
            and float(first[:3, 2] @ second[:3, 2]) > SAME_WAY)
