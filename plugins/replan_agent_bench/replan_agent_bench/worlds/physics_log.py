# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What really happened in an episode, as the simulator knows it. For judges only."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from transforms3d import quaternions

from replan_agent.agent.ports import Perception
from replan_agent.domain import event as events
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import Scene, Shape
from replan_agent.domain.task_result import TaskResult
from replan_agent.geometry.support import is_near
from replan_agent.perceive.wrapped import WrappedPerception
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.robot.mujoco.world import World

from .touches import Touches

EVERY_S = 0.02
FELT_N = 0.2
SAME_M = 0.08  # what is seen this close to a thing is that thing
FAR_M = 0.5

Point = tuple[float, float, float]


@dataclass(frozen=True)
class ArmTouch:
    """The arm's `part` touches `body` with this force, there (m, base frame).

    If `body` is unseen or fixed, `part` may also be a thing: the arm feels what it holds touch.
    """

    time: float
    part: str
    body: str
    force_n: float
    at: Point
    of_arm: bool = True

    @property
    def of_finger(self) -> bool:
        return self.part.endswith('finger')


@dataclass(frozen=True)
class Happened:
    """What the suite itself did: `what` ('another' moved it, 'fault'), and to which thing."""

    time: float
    what: str
    name: str = ''


@dataclass
class Told:
    """An attempt as it was recorded: from when to when (s) it was, and what was said of it."""

    attempt: Attempt
    since: float  # the end of the attempt before
    until: float
    said: list[str] = field(default_factory=list)
    began: float = 0.0  # the start of its own step


class PhysicsLog:
    """Records a world from now on: states, touches of the arm, events, what each name means."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.times: list[float] = []
        self.states: list[FloatArray] = []
        self.touches: list[ArmTouch] = []
        self.forces: set[float] = set()  # the most (N) that the gripper was told to press with
        self.happened: list[Happened] = []
        self.goals: list[FloatArray] = []  # joints that motions should have ended at
        self.told: list[Told] = []
        self.names: dict[str, set[str]] = {o.name: {o.name} for o in world.true_objects()}
        self.looks = [(-1.0, dict(self.names))]  # when, and what each name meant then
        self.shown: set[str] = set()  # names that looks gave
        self.last_look = 0.0  # when a look last showed something
        self._step_at = 0.0
        self._scratch = mujoco.MjData(world.model)
        self._stops = stops = {p.spec.name for p in world.placed if p.spec.unseen or p.spec.fixed}
        self._arm = Touches(world, lambda a, b: a.of_arm != b.of_arm
                            or (a.body in stops) != (b.body in stops) and 'table' not in (
                                a.body, b.body))
        self._gripper = world.model.actuator(world.arm.frame('gripper')).id
        n = world.arm.joint_count
        self._fingers = slice(n, n + 2)
        self._sample()
        world.on_step(self._sample, EVERY_S)
        world.on_step(self._touched, 0.0)  # an impact lasts a few milliseconds

    def _sample(self) -> None:
        self.times.append(self.world.time)
        self.states.append(self.world.data.qpos.copy())
        self.forces.add(float(self.world.model.actuator_forcerange[self._gripper, 1]))

    def _touched(self) -> None:
        for touch in self._arm.now():
            part, other = touch.first, touch.second
            if other.of_arm or part.body in self._stops:
                part, other = other, part
            if touch.force_n > FELT_N:
                self.touches.append(ArmTouch(self.world.time, part.body, other.body,
                                             touch.force_n, touch.at, part.of_arm))

    def around(self, perception: Perception) -> Perception:
        return _Named(perception, self)

    def seen(self, scene: Scene) -> None:
        """Note which things each name of a scene means.

        Those of its colour that are near; what is seen as nothing of its own is a part of what is
        seen there; if nothing is left for a name, it is the nearest.
        """
        if not scene.stale:
            self.last_look = self.world.time
        true = [o for o in self.world.visible_objects() if o.shape is not Shape.TABLE]
        shows: dict[str, set[str]] = {thing.name: set() for thing in scene.objects}
        for one in true:
            near = [o for o in scene.objects if math.dist(o.position, one.position) < SAME_M]
            own = min([o for o in near if o.colour == one.colour],
                      key=lambda o: math.dist(o.position, one.position), default=None)
            for thing in [own] if own else [o for o in near if is_near(o, one.position, 0.0)]:
                shows[thing.name].add(one.name)
        for thing in scene.objects:
            shows[thing.name] = shows[thing.name] or {o.name for o in sorted(
                true, key=lambda o: math.dist(o.position, thing.position))[:1]
                if math.dist(o.position, thing.position) < SAME_M}
            self.names.setdefault(thing.name, set()).update(shows[thing.name])
        self.shown.update(shows)
        self.looks.append((self.world.time, shows))

    def meanings(self, name: str, since: float, until: float) -> set[str]:
        """What the looks of that time call so; if none does, what the last one before it did."""
        looks = [(at, shows[name]) for at, shows in self.looks if at <= until and name in shows]
        return set().union(*[meant for at, meant in looks if at >= since]
                           or [meant for _, meant in looks[-1:]])

    def is_known(self, name: str) -> bool:
        """Whether a look showed the thing under a name of its own kind: 'bin' for a bin."""
        return any(called.split('_')[-1] == name.split('_')[-1] for called in self.shown
                   if name in self.names[called])

    def record(self, event: events.Event) -> None:
        match event:
            case events.StepStarted():
                self._step_at = self.world.time
            case events.AttemptRecorded():
                self._sample()
                before = self.told[-1].until if self.told else 0.0
                self.told.append(Told(event.attempt, min(before, self._step_at), self.world.time,
                                      [event.attempt.reason_detail], self._step_at))
            case events.ReflectionMade():
                why = event.reflection.root_cause  # of this attempt, or of an earlier one
                if self.told and not any(why in told.said for told in self.told):
                    self.told[-1].said.append(why)
            case _:
                pass

    def finish(self, result: TaskResult) -> None:
        self._sample()

    def during(self, since: float, until: float) -> Iterator[FloatArray]:
        return (q for t, q in zip(self.times, self.states) if since <= t <= until + EVERY_S)

    def position(self, name: str, state: FloatArray) -> Point:
        """Where the thing's centre is (m) in a state; one that is fixed is always there."""
        spec = next(p for p in self.world.placed if p.spec.name == name)
        if spec.spec.fixed:
            return spec.pose.position
        at = int(self.world.model.joint(name).qposadr[0])
        x, y, z = map(float, state[at:at + 3])
        return x, y, z

    def rotation(self, name: str, state: FloatArray) -> FloatArray:
        """How the thing is turned (3 x 3) in a state."""
        placed = next(p for p in self.world.placed if p.spec.name == name)
        if placed.spec.fixed:
            return placed.pose.rotation
        at = int(self.world.model.joint(name).qposadr[0])
        return np.asarray(quaternions.quat2mat(state[at + 3:at + 7]))

    def shifts(self, name: str, since: float, until: float) -> FloatArray:
        """How far (m) the thing is at the end from where it was at each moment before."""
        track = np.array([self.position(name, q) for q in self.during(since, until)])
        return np.linalg.norm(track - track[-1], axis=1) if len(track) else np.zeros(1)

    def widths(self, since: float, until: float) -> FloatArray:
        """The opening (m) between the pads at each moment."""
        return np.array([q[self._fingers].sum() for q in self.during(since, until)])

    def gap(self, one: str, other: str, until: float) -> float:
        """The true distance (m) between the surfaces of two things then; 0 if they touch."""
        model, data = self.world.model, self._scratch
        data.qpos[:] = [*self.during(-1.0, until)][-1]
        mujoco.mj_kinematics(model, data)
        geoms = [[g for g in range(model.ngeom) if model.body(model.geom_bodyid[g]).name == name]
                 for name in (one, other)]
        return max(0.0, min((float(mujoco.mj_geomDistance(model, data, a, b, FAR_M, None))
                             for a in geoms[0] for b in geoms[1]), default=FAR_M))


class _Named(WrappedPerception):
    def __init__(self, perception: Perception, log: PhysicsLog) -> None:
        super().__init__(perception)
        self._log = log

    def observe(self, ctx: Context) -> Scene:
        scene = self._perception.observe(ctx)
        self._log.seen(scene)
        return scene
