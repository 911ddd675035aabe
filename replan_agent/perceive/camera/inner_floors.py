"""Things in a container stand on its floor, not on the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from replan_agent.domain.container_room import FLOOR_M
from replan_agent.domain.goal import is_inside

from .fitting import Fit
from .residual import is_explained
from .segments import Picture
from .splitting import fit_parts


def on_inner_floors(picture: Picture, parts: Sequence[Fit], stamp: float) -> list[Fit]:
    """The parts; what is in a container is fitted again, with the container's floor below it.

    A few millimetres matter there: they decide whether a shape explains what is seen between the
    walls, and whether the hand fits there.
    """
    containers = [part for part in parts
                  if part.thing.is_container and is_explained(picture, part)]
    found: list[Fit] = []
    for part in parts:
        around = next((c.thing for c in containers if part is not c
                       and is_inside(part.thing, c.thing)), None)
        again = [part]
        if around is not None:
            ground_m = around.bottom_z + FLOOR_M - picture.table.z
            if part.thing.bottom_z - picture.table.z < ground_m:
                again = fit_parts(picture, part.segment, stamp, ground_m=ground_m)
                part = replace(part, ground_m=ground_m)
        found += again if _is_better(picture, again, part) else [part]
    return found


def _is_better(picture: Picture, again: Sequence[Fit], part: Fit) -> bool:
    """Whether the floor explains what is seen: the same shape is in a better place there."""
    if len(again) == 1 and again[0].thing.shape is part.thing.shape:
        return True
    return any(is_explained(picture, one) for one in again) and not is_explained(picture, part)
