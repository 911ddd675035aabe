# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The GraspPlanner for everything: by shape where a thing has one, else from its surface."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from replan_agent.domain.hand_shape import HandShape, polynomial
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject

from ..motion_protocols import Grasp
from .grasps import ShapeGrasps
from .grasps_from_points import TIERS, grasps_from_points, narrowest
from .surface_points import FINE_POINTS, SPACING_M, surface_of


class AnyGrasps:
    """Grasps of boxes, cylinders, balls and containers by shape, of other things from points."""

    def __init__(self, hand: HandShape, by_shape: ShapeGrasps | None = None) -> None:
        self._hand = hand
        self._by_shape = by_shape or ShapeGrasps(hand)

    def candidates(self, thing: SceneObject, scene: Scene) -> Iterator[Grasp]:
        found = (itertools.chain(_from_surface(thing, self._hand), _bold(thing, self._hand))
                 if thing.pieces else self._by_shape.candidates(thing, scene))
        return map(self._met, found) if self._hand.drop else found

    def _met(self, grasp: Grasp) -> Grasp:
        """The grasp with the hand where its pads, once closed, are as far down as planned."""
        T = grasp.tcp.matrix()
        T[:3, 3] -= polynomial(self._hand.drop, grasp.width) * T[:3, 2]
        return replace(grasp, tcp=Pose.from_matrix(T))

    def narrowest_width(self, thing: SceneObject) -> float:
        if thing.pieces:
            return min(narrowest(surface_of(thing, FINE_POINTS)), min(thing.size))
        return self._by_shape.narrowest_width(thing)


def _bold(thing: SceneObject, hand: HandShape) -> Iterator[Grasp]:
    """Grasps that trust only what was seen: what is guessed may leave no room for fingers.

    They come last, and are looked for only if somebody asks for them.
    """
    seen = tuple(piece for piece in thing.pieces if not piece.guessed)
    if 0 < len(seen) < len(thing.pieces):
        for grasp in _from_surface(replace(thing, pieces=seen), hand):
            yield replace(grasp, tier=TIERS + grasp.tier,
                          label=f'{grasp.label}, if nothing is hidden behind it')


@lru_cache(maxsize=16)
def _from_surface(thing: SceneObject, hand: HandShape) -> tuple[Grasp, ...]:
    """Kept, because a pick asks several times about the same look.

    On a large thing few points are far apart. If they show no grasp, more of them may.
    """
    cloud = surface_of(thing)
    found = grasps_from_points(cloud, thing.bottom_z, hand)
    if not found and cloud.spacing > SPACING_M:
        found = grasps_from_points(surface_of(thing, FINE_POINTS), thing.bottom_z, hand)
    return tuple(found)
