"""Things in a container stand on its floor, not on the table."""

from __future__ import annotations

from collections.abc import Sequence

from replan_agent.domain.container_room import FLOOR_M
from replan_agent.domain.goal import is_inside
from replan_agent.domain.scene import Shape

from .fitting import Fit, fit
from .segments import Picture


def on_inner_floors(picture: Picture, fits: Sequence[Fit], stamp: float) -> list[Fit]:
    """The fits; what is in a container is fitted again, with the container's floor below it.

    A few millimetres matter there: they decide whether the hand fits between the walls.
    """
    containers = [each.thing for each in fits if each.thing.is_container]
    found = []
    for each in fits:
        around = next((c for c in containers if each.thing is not c
                       and is_inside(each.thing, c)), None)
        again = None
        if around is not None and each.thing.shape is not Shape.IRREGULAR:
            ground_m = around.bottom_z + FLOOR_M - picture.table.z
            if each.thing.bottom_z - picture.table.z < ground_m:
                again = fit(picture, each.segment, stamp, ground_m)
        same = again is not None and again.thing.shape is each.thing.shape
        found.append(again if again is not None and same else each)
    return found
