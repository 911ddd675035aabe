"""The GraspPlanner for everything: by shape where a thing has one, else from its surface."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from replan_agent.domain.scene import Scene, SceneObject

from .grasps import ShapeGrasps
from .grasps_from_points import TIERS, grasps_from_points, narrowest
from .motion_protocols import Grasp
from .surface_points import surface_of


class AnyGrasps:
    """Grasps of boxes, cylinders, balls and containers by shape, of other things from points."""

    def __init__(self) -> None:
        self._by_shape = ShapeGrasps()

    def candidates(self, thing: SceneObject, scene: Scene) -> Iterator[Grasp]:
        if thing.pieces:
            return iter(_from_surface(thing))
        return self._by_shape.candidates(thing, scene)

    def narrowest_width(self, thing: SceneObject) -> float:
        if thing.pieces:
            return min(narrowest(surface_of(thing)), min(thing.size))
        return self._by_shape.narrowest_width(thing)


@lru_cache(maxsize=16)
def _from_surface(thing: SceneObject) -> tuple[Grasp, ...]:
    """Kept, because a pick asks several times about the same look.

    Last come grasps that trust only what was seen: what is guessed may leave no room for fingers.
    """
    found = grasps_from_points(surface_of(thing), thing.bottom_z)
    seen = tuple(piece for piece in thing.pieces if not piece.guessed)
    if 0 < len(seen) < len(thing.pieces):
        bold = grasps_from_points(surface_of(replace(thing, pieces=seen)), thing.bottom_z)
        found += [replace(grasp, tier=TIERS + grasp.tier, label=f'{grasp.label}, if nothing is '
                          'hidden behind it') for grasp in bold]
    return tuple(found)
