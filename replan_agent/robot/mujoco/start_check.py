# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a scene can start: things that are inside each other would be thrown apart."""

from __future__ import annotations

import logging

from replan_agent.domain.config import ConfigError

from .world import World

FALL_M = 0.03  # what is dropped from less is put down a little high
OVERLAP_M = 0.002  # contact is soft: what rests on something sinks in by less
SHOWN = 5

log = logging.getLogger(__name__)


def check_start(world: World) -> None:
    """Raise ConfigError that names what overlaps when the scene starts, and by how much.

    A thing that falls from where the scene puts it is a warning, unless it is dropped on purpose.
    """
    found = overlaps(world)
    if found:
        deepest = sorted(found.items(), key=lambda item: -item[1])
        listed = ', '.join(f'{a} and {b} by {1000 * depth:.0f} mm'
                           for (a, b), depth in deepest[:SHOWN])
        more = f' and {len(found) - SHOWN} more pairs' if len(found) > SHOWN else ''
        raise ConfigError(f'scene {world.scene.name}: things are inside each other at the start: '
                          f'{listed}{more}; move them apart')
    for line in () if world.scene.dropped else fallen(world):
        log.warning(line)


def fallen(world: World) -> list[str]:
    """A sentence for each thing that did not stand where the scene puts it."""
    now = {thing.name: thing.position[2] for thing in world.true_objects()}
    return [f'scene {world.scene.name}: {placed.spec.name} does not stand on anything at z = '
            f'{placed.pose.position[2]:.3f} m: it fell to z = {now[placed.spec.name]:.3f} m'
            for placed in world.placed if placed.spec.name in now
            and placed.pose.position[2] - now[placed.spec.name] > FALL_M]


def overlaps(world: World) -> dict[tuple[str, str], float]:
    """The pairs that overlap before anything moves, and how deep (m)."""
    found: dict[tuple[str, str], float] = {}
    for geoms, gap_m in world.first_contacts:
        one, other = sorted(_name(world, geom) for geom in geoms)
        if -gap_m > max(OVERLAP_M, found.get((one, other), 0.0)):
            found[one, other] = -gap_m
    return found


def _name(world: World, geom: int) -> str:
    body = world.model.body(int(world.model.geom_bodyid[geom])).name
    return 'floor' if body == 'world' else str(body)
