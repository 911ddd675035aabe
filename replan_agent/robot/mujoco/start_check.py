"""Whether a scene can start: things that are inside each other would be thrown apart."""

from __future__ import annotations

from replan_agent.domain.config import ConfigError

from .gl import mujoco
from .world import World

OVERLAP_M = 0.002  # contact is soft: what rests on something sinks in by less
SHOWN = 5


def check_start(world: World) -> None:
    """Raise ConfigError that names what overlaps when the scene starts, and by how much."""
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
