# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a planned motion comes close to, in the world in which it was tried."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.world import World

CLOSE_M = 0.05  # what is farther away is not told
MOST = 3  # things that are told, the nearest first
MOVED_M = 0.02  # what moved so far goes with the hand


def near_misses(world: World, path: Iterable[FloatArray], handled: Collection[str]) -> list[str]:
    """A sentence for each thing that arm or load come close to, but those that are `handled`."""
    model, data = world.model, mujoco.MjData(world.model)
    hand = model.body(world.arm.frame('hand')).id
    bodies = {model.body(one.spec.name).id: one.spec.name for one in world.placed}
    solid = np.flatnonzero(model.geom_contype | model.geom_conaffinity)
    of = model.geom_bodyid[solid]
    arm = solid[(model.body_rootid[of] == model.body_rootid[hand]) & (model.body_weldid[of] > 0)]
    others = [(geom, bodies[body]) for geom, body in zip(solid, of)
              if body in bodies and bodies[body] not in handled]
    loads = [(geom, body) for geom, body in zip(solid, of) if bodies.get(body) in handled]
    found: dict[str, float] = {}
    start: FloatArray | None = None
    for positions in path:
        data.qpos[:] = positions
        mujoco.mj_kinematics(model, data)
        start = data.xpos.copy() if start is None else start
        moved = np.linalg.norm(data.xpos - start, axis=1) > MOVED_M
        for mine in (*arm, *(geom for geom, body in loads if moved[body])):
            for geom, name in others:
                least = found.get(name, CLOSE_M)
                apart = float(np.linalg.norm(data.geom_xpos[mine] - data.geom_xpos[geom]))
                if apart - model.geom_rbound[mine] - model.geom_rbound[geom] < least:
                    gap = mujoco.mj_geomDistance(model, data, mine, geom, least, None)
                    found |= {name: gap} if gap < least else {}
    return [f'{name}: {max(0.0, gap) * 1000:.0f} mm' for name, gap in sorted(
        found.items(), key=lambda one: one[1])[:MOST]]
