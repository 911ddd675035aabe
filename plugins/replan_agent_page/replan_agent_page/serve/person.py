# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a person does in a simulated world: move, turn, push, take away. Also while a task runs."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy as np
from transforms3d import quaternions

from replan_agent.app.build.compose import Simulation
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.world import World
from replan_agent.text.shown_text import shown

from .station import TaskRefused

FARTHEST_M = 2.0  # from the base
SLOWEST, FASTEST = 0.1, 3.0  # m/s of a push
RISE_M, HIGHEST_M = 0.004, 1.0  # where a thing is put down: the lowest free place there
INSIDE_M = 1e-4  # so deep in something else is not free
REST_S = 1.0  # of robot time, for what was touched to come to rest while no task runs
WAIT_S = 5.0  # for a task to move on
AWAY = (-1.6, 1.6)  # on the floor, behind the arm (m, base frame)


@contextmanager
def _nobody_asked() -> Iterator[bool]:
    yield False


class Person:
    """Hands in the world of a simulation: `Person(sim).move('red_cube', 0.5, 0.1)`.

    Each call returns what was done, as a sentence. Raises TaskRefused for what cannot be done.
    `held` holds up a task that waits for an answer, and says whether one does.
    """

    def __init__(self, sim: Simulation,
                 held: Callable[[], AbstractContextManager[bool]] = _nobody_asked) -> None:
        self._sim, self._held = sim, held

    @property
    def things(self) -> tuple[str, ...]:
        """What can be touched."""
        return tuple(p.spec.name for p in self._sim.world.placed if not p.spec.fixed)

    def move(self, thing: str, x: float, y: float) -> str:
        """Put a thing down at that place (m, base frame), on whatever is there."""
        if not math.hypot(x, y) <= FARTHEST_M:
            raise TaskRefused(f'a place within {FARTHEST_M:g} m of the base, not {x:g}, {y:g}')

        def act(world: World) -> None:
            _put(world, thing, x, y, world.scene.table.height)

        return self._done(thing, act, f'moved to x={x:.3f}, y={y:.3f} m')

    def turn(self, thing: str, angle: float) -> str:
        """Turn a thing about the vertical by an angle (rad), where it is."""
        if not math.isfinite(angle):
            raise TaskRefused(f'an angle in rad, not {angle}')

        def act(world: World) -> None:
            joint = world.data.joint(thing)
            joint.qpos[3:] = quaternions.qmult([math.cos(angle / 2), 0, 0, math.sin(angle / 2)],
                                               joint.qpos[3:])
            _put(world, thing, *joint.qpos[:3])

        return self._done(thing, act, f'turned by {math.degrees(angle):.0f} degrees')

    def push(self, thing: str, direction: float, speed: float = 0.8) -> str:
        """Push a thing: it slides off in that direction (rad, 0 is x) with that speed (m/s)."""
        if not (math.isfinite(direction) and SLOWEST <= speed <= FASTEST):
            raise TaskRefused(f'a direction in rad and {SLOWEST:g} to {FASTEST:g} m/s')

        def act(world: World) -> None:
            world.data.joint(thing).qvel[:3] = (speed * math.cos(direction),
                                                speed * math.sin(direction), 0.0)

        return self._done(thing, act, f'pushed with {speed:g} m/s')

    def remove(self, thing: str) -> str:
        """Take a thing away: it lies on the floor behind the arm, out of its reach."""
        def act(world: World) -> None:
            _put(world, thing, AWAY[0], AWAY[1] + 0.2 * self.things.index(thing),
                 world.scene.table.height - HIGHEST_M)

        return self._done(thing, act, 'taken away, to the floor behind the arm')

    def _done(self, thing: str, act: Callable[[World], None], what: str) -> str:
        if thing not in self.things:
            raise TaskRefused(f'no thing {shown(thing)} can be touched; there are: '
                              f'{", ".join(self.things) or "none"}')
        world, busy = self._sim.world, self._sim.cell.busy
        with self._held() as is_waiting:
            is_free = is_waiting or busy.acquire(blocking=False)
            try:
                if is_free:
                    act(world)
                    world.step(round(REST_S / world.timestep))
            finally:
                if is_free and not is_waiting:
                    busy.release()
        if not is_free:
            _at_next_step(world, lambda: act(world))
        return f'{thing} was {what}'


def _at_next_step(world: World, act: Callable[[], None]) -> None:
    """Do it in the thread that steps the world, between two steps. Raises TaskRefused."""
    done = threading.Event()

    def once() -> None:
        end()
        if not done.is_set():
            act()
            done.set()

    end = world.on_step(once, world.timestep)
    if not done.wait(WAIT_S):
        end()
        raise TaskRefused(f'the task did not move on within {WAIT_S:g} s: nothing was touched')


def _put(world: World, thing: str, x: float, y: float, lowest_m: float) -> None:
    """Let a thing go at rest at the lowest place there from that height on that is free."""
    model, trial = world.model, mujoco.MjData(world.model)
    trial.qpos[:] = world.data.qpos
    body = model.body(thing).id
    joint = trial.joint(thing)
    for height in np.arange(lowest_m, lowest_m + 2 * HIGHEST_M, RISE_M):
        joint.qpos[:3] = x, y, height
        mujoco.mj_kinematics(model, trial)
        mujoco.mj_comPos(model, trial)
        mujoco.mj_collision(model, trial)
        own = (model.geom_bodyid[trial.contact.geom] == body).any(axis=1)
        if not (own & (trial.contact.dist < -INSIDE_M)).any():
            break
    now = world.data.joint(thing)
    now.qpos[:], now.qvel[:] = joint.qpos, 0.0
