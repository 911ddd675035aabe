"""Whether a scene can start: nothing inside something else, nothing beside the table."""

from __future__ import annotations

import logging

from replan_agent.domain.config import ConfigError

from .gl import mujoco
from .scene.placement import Placed
from .scene.scene_spec import SceneSpec
from .world import World

FALL_M = 0.03  # what is dropped from less is put down a little high
OVERLAP_M = 0.002  # contact is soft: what rests on something sinks in by less
SHOWN = 5

log = logging.getLogger(__name__)


def check_start(world: World) -> None:
    """Raise ConfigError that names what overlaps or has no table below it, and by how much.

    A thing that was given a z and falls from there is a warning.
    """
    for placed in world.placed:
        if placed.spec.position[2] is None and not placed.spec.fixed:
            _check_on_table(world.scene, placed)
    _check_apart(world)
    for line in fallen(world):
        log.warning(line)


def _check_on_table(scene: SceneSpec, placed: Placed) -> None:
    (x, y, _), table = placed.pose.position, scene.table
    if all(abs(at - middle) <= side / 2
           for at, middle, side in zip((x, y), table.position, table.size)):
        return
    (x_low, x_high), (y_low, y_high) = ((middle - side / 2, middle + side / 2)
                                        for middle, side in zip(table.position, table.size))
    raise ConfigError(
        f'scene {scene.name}: {placed.spec.name} at ({x:.2f}, {y:.2f}) m is beside the table, '
        f'which goes from x = {x_low:.2f} to {x_high:.2f} m and from y = {y_low:.2f} to '
        f'{y_high:.2f} m; move it, make the table larger, or give it a z')


def fallen(world: World) -> list[str]:
    """A sentence for each thing that did not stand where the scene puts it."""
    now = {thing.name: thing.position[2] for thing in world.true_objects()}
    return [f'scene {world.scene.name}: {placed.spec.name} does not stand on anything at z = '
            f'{placed.pose.position[2]:.3f} m: it fell to z = {now[placed.spec.name]:.3f} m'
            for placed in world.placed if placed.spec.name in now
            and placed.pose.position[2] - now[placed.spec.name] > FALL_M]


def _check_apart(world: World) -> None:
    found = overlaps(world)
    if not found:
        return
    deepest = sorted(found.items(), key=lambda item: -item[1])
    listed = ', '.join(f'{a} and {b} by {1000 * depth:.0f} mm'
                       for (a, b), depth in deepest[:SHOWN])
    more = f' and {len(found) - SHOWN} more pairs' if len(found) > SHOWN else ''
    raise ConfigError(f'scene {world.scene.name}: things are inside each other at the start: '
                      f'{listed}{more}; move them apart')


def overlaps(world: World) -> dict[tuple[str, str], float]:
    """The pairs that overlap before anything moves, and how deep (m)."""
    data = mujoco.MjData(world.model)
    world.put_arm(data)
    mujoco.mj_forward(world.model, data)
    found: dict[tuple[str, str], float] = {}
    for contact in data.contact:
        one, other = sorted(_name(world, int(geom)) for geom in contact.geom)
        depth = -float(contact.dist)
        if depth > max(OVERLAP_M, found.get((one, other), 0.0)):
            found[one, other] = depth
    return found


def _name(world: World, geom: int) -> str:
    body = world.model.body(int(world.model.geom_bodyid[geom])).name
    return 'floor' if body == 'world' else str(body)
