# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a person does in a simulated world: move, turn, push, add, take away; in a task, too."""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from itertools import count

import numpy as np
from transforms3d import quaternions

from replan_agent.app.build.compose import Simulation
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.mjcf.arm_looks import NO_LOOKS
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot
from replan_agent.robot.mujoco.scene.placement import Placed
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec
from replan_agent.robot.mujoco.world import World
from replan_agent.text.shown_text import one_line, shown

from .station import TaskRefused

FARTHEST_M = 2.0  # from the base
SLOWEST, FASTEST = 0.1, 3.0  # m/s of a push
RISE_M, HIGHEST_M = 0.004, 1.0  # where a thing is put down: the lowest free place there
INSIDE_M = 1e-4  # so deep in something else is not free
REST_S = 1.0  # of robot time, for what was touched to come to rest while no task runs
WAIT_S = 5.0  # for a task to move on
AWAY = (-1.6, 1.6)  # on the floor, behind the arm (m, base frame)
CUBE = (0.04, 0.04, 0.04)
ADDED: Mapping[str, ObjectSpec] = {spec.name: spec for spec in (  # what can be added
    ObjectSpec('orange_cube', Shape.BOX, CUBE, Colour.named('orange')),
    ObjectSpec('purple_ball', Shape.SPHERE, CUBE, Colour.named('purple'), mass=0.05),
    ObjectSpec('white_can', Shape.CYLINDER, (0.05, 0.05, 0.1), Colour.named('white')),
    ObjectSpec('yellow_brick', Shape.BOX, (0.14, 0.06, 0.05), Colour.named('yellow'), mass=0.4),
    ObjectSpec('heavy_cube', Shape.BOX, CUBE, Colour.named('black'), mass=6.0),
    ObjectSpec('greasy_cube', Shape.BOX, CUBE, Colour.named('green'), friction=0.06),
    ObjectSpec('tall_box', Shape.BOX, (0.08, 0.16, 0.3), Colour.named('grey'), mass=1.5),
    ObjectSpec('blue_bin', Shape.BIN, (0.16, 0.16, 0.06), Colour.named('blue')))}


@contextmanager
def _nobody_asked() -> Iterator[bool]:
    yield False


class Person:
    """Hands in the world of a simulation: `Person(sim).move('red_cube', 0.5, 0.1)`.

    Each call returns what was done, as a sentence. Raises TaskRefused for what cannot be done.
    `held` holds up a task that waits for an answer, and says whether one does. `on_add` is called
    when the world has another model and state. `steps`: no task uses the world, so time may pass
    here.
    """

    def __init__(self, sim: Simulation,
                 held: Callable[[], AbstractContextManager[bool]] = _nobody_asked,
                 on_add: Callable[[], None] = lambda: None, steps: bool = True) -> None:
        self._sim, self._held, self._on_add, self._steps = sim, held, on_add, steps

    def during_a_task(self) -> Person:
        """The same, where a task looks or moves: it acts between two steps of that one."""
        return Person(self._sim, self._held, self._on_add, steps=False)

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

    def add(self, what: str, x: float, y: float) -> str:
        """Put another thing down there, one of ADDED; a second one of a kind gets a number."""
        if what not in ADDED:
            raise TaskRefused(f'no {shown(what)} can be added; there are: {", ".join(ADDED)}')
        if not math.hypot(x, y) <= FARTHEST_M:
            raise TaskRefused(f'a place within {FARTHEST_M:g} m of the base, not {x:g}, {y:g}')
        robot = self._sim.cell.robot
        if type(self._sim.world) is not World or not isinstance(robot, MujocoRobot):
            raise TaskRefused('nothing can be added to a scene with furniture')
        name = what

        def act(world: World) -> None:
            nonlocal name
            known = {placed.spec.name for placed in world.placed}
            name = next(own for k in count(1) if (own := f'{what}_{k}' if k > 1 else what)
                        not in known)
            add_thing(world, Placed(replace(ADDED[what], name=name), Pose((*AWAY, HIGHEST_M))))
            robot.sense_again()
            _put(world, name, x, y, world.scene.table.height)
            self._on_add()

        self._act(act)
        return f'{name} was added at x={x:.3f}, y={y:.3f} m'

    def _done(self, thing: str, act: Callable[[World], None], what: str) -> str:
        if thing not in self.things:
            raise TaskRefused(f'no thing {shown(thing)} can be touched; there are: '
                              f'{", ".join(self.things) or "none"}')
        self._act(act)
        return f'{thing} was {what}'

    def _act(self, act: Callable[[World], None]) -> None:
        world, busy = self._sim.world, self._sim.cell.busy
        with self._held() as is_waiting:
            is_free = is_waiting or self._steps and busy.acquire(blocking=False)
            try:
                if is_free:
                    act(world)
                    world.step(round(REST_S / world.timestep))
            finally:
                if is_free and not is_waiting:
                    busy.release()
        if not is_free:
            _at_next_step(world, lambda: act(world))


def add_thing(world: World, thing: Placed) -> None:
    """One thing more, all else stays; who knows the old model and state must look again."""
    old, before, more = world.model, world.data, copy.copy(world)
    more.placed = (*world.placed, thing)
    more.scene = replace(world.scene, objects=(*world.scene.objects, thing.spec))
    model = more.compiled(NO_LOOKS)  # takes a while; nothing is changed if it fails
    now = mujoco.MjData(model)
    for joint in map(old.joint, range(old.njnt)):
        now.joint(joint.name).qpos[:] = before.joint(joint.name).qpos
        now.joint(joint.name).qvel[:] = before.joint(joint.name).qvel
    now.time, now.ctrl[:] = before.time, before.ctrl
    model.actuator_forcerange[:] = old.actuator_forcerange
    mujoco.mj_forward(model, now)
    world.placed, world.scene, world.model, world.data = more.placed, more.scene, model, now


def _at_next_step(world: World, act: Callable[[], None]) -> None:
    """Do it in the thread that steps the world, between two steps. Raises TaskRefused."""
    begun, done = threading.Lock(), threading.Event()
    wrong: list[Exception] = []

    def once() -> None:
        end()
        if begun.acquire(blocking=False):
            try:
                act()
            except (KeyError, ValueError) as error:  # it is the person's, not the task's
                wrong.append(error)
            finally:
                done.set()

    end = world.on_step(once, world.timestep)
    if not done.wait(WAIT_S) and begun.acquire(blocking=False):  # else it is just being done
        end()
        raise TaskRefused(f'the task did not move on within {WAIT_S:g} s: nothing was touched')
    done.wait()
    if wrong:
        raise TaskRefused(f'that cannot be done: {one_line(wrong[0])}') from wrong[0]


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
