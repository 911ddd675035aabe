# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Troubles that last: every attempt meets them again, until somebody does something about them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from replan_agent.agent.ports import Perception
from replan_agent.app.build.robot_cell import MujocoCell
from replan_agent.domain import event as events
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.scene import Scene
from replan_agent.domain.task_result import TaskResult
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.perceive.wrapped import WrappedPerception

from .faults import FaultyRobot, Grasp, Motion, moved_by_another
from .injections import Injector
from .physics_log import Happened, PhysicsLog

SHADOW_M = 0.12
MIDDLE = (0.48, 0.0)  # of where things stand


@dataclass(frozen=True)
class Lasts:
    """One trouble: `part` is what has it ('gripper', 'controller', 'camera', 'hand' or a thing).

    `act` is called when each `phase` of a step that takes (or puts) begins, and once at the start
    if there is none. `seen` changes what a look shows; it may raise PerceptionError. `once`: it is
    over once the thing is brought back.
    """

    part: str
    act: Callable[[Lasting], object] | None = None
    phase: str = ''
    taking: bool = True
    seen: Callable[[Scene, Lasting], Scene] | None = None
    once: bool = False


class Lasting(Injector):
    """The lasting troubles of one episode, and the log of what happens in it."""

    def __init__(self, troubles: tuple[Lasts, ...]) -> None:
        super().__init__()
        self._troubles = troubles
        self._taking: bool | None = None
        self._log: PhysicsLog | None = None
        self.looks = 0
        self.first: Scene | None = None  # what the first look showed

    @property
    def log(self) -> PhysicsLog:
        assert self._log is not None  # attached before the task starts
        return self._log

    def attached(self, cell: MujocoCell) -> MujocoCell:
        cell = super().attached(cell)
        self._log = PhysicsLog(cell.world)
        for trouble in self._troubles:
            if trouble.act and not trouble.phase:
                trouble.act(self)
        return cell

    def around(self, perception: Perception) -> Perception:
        return self.log.around(_Changed(super().around(perception), self._troubles, self))

    def record(self, event: events.Event) -> None:
        self.log.record(event)
        super().record(event)

    def finish(self, result: TaskResult) -> None:
        self.log.finish(result)

    def step_started(self, step: Step, plan_version: int) -> None:
        effect = self.effect_of(step)
        self._taking = True if effect.takes else False if effect.puts else None

    def phase_started(self, phase: str) -> None:
        self.act(phase, self._taking)

    def act(self, phase: str, taking: bool | None) -> None:
        """Let the troubles of that phase of a step happen, however it is known that it begins."""
        for trouble in self._troubles:
            if trouble.act and (trouble.phase, trouble.taking) == (phase, taking):
                trouble.act(self)

    def note(self, what: str, name: str = '') -> bool:
        """Note that this happens now. Whether it is the first time."""
        first = not any((h.what, h.name) == (what, name) for h in self.log.happened)
        self.happened()
        self.log.happened.append(Happened(self.cell.world.time, what, name))
        return first


class _Changed(WrappedPerception):
    def __init__(self, perception: Perception, troubles: tuple[Lasts, ...], by: Lasting) -> None:
        super().__init__(perception)
        self._troubles, self._by = troubles, by

    def observe(self, ctx: Context) -> Scene:
        scene = self._perception.observe(ctx)
        self._by.looks += 1
        self._by.first = self._by.first or scene
        for trouble in self._troubles:
            scene = trouble.seen(scene, self._by) if trouble.seen else scene
        return scene


def shoved(name: str, turn: float, distance_m: float) -> Lasts:
    """Somebody pushes it aside whenever the hand comes down to it; it stays in reach."""
    def act(by: Lasting) -> None:
        by.note('another', name)
        x, y, _ = by.log.position(name, by.cell.world.data.qpos)
        by.push(name, math.atan2(MIDDLE[1] - y, MIDDLE[0] - x) + turn, distance_m)
    return Lasts(name, act, 'descend')


def carried_off(name: str, instead: str = '') -> Lasts:
    """Somebody takes it away when the hand is on its way; `instead` then stands there."""
    def act(by: Lasting) -> None:
        world = by.cell.world
        at = by.log.position(name, world.data.qpos)
        if not by.note('another', name):
            return
        moved_by_another(world, name, (-1.5, 2.0, -0.6))
        if instead:
            by.note('another', instead)
            moved_by_another(world, instead, (at[0], at[1], at[2] + 0.005))

    def seen(scene: Scene, by: Lasting) -> Scene:
        gone = name if by.injected else instead
        return replace(scene, objects=tuple(scene.without([gone])))
    return Lasts(name, act, 'approach', seen=seen, once=True)


def pushed_off(name: str) -> Lasts:
    """Somebody pushes it over the edge of the table when the hand is on its way."""
    def act(by: Lasting) -> None:
        at = by.log.position(name, by.cell.world.data.qpos)
        if by.note('another', name):
            by.push(name, math.copysign(math.pi / 2, at[1]), 0.2)
    return Lasts(name, act, 'approach', once=True)


def rolled(name: str, direction: float, speed: float) -> Lasts:
    """Somebody makes it roll away when the hand comes down."""
    def act(by: Lasting) -> None:
        if by.note('another', name):
            by.cell.world.data.joint(name).qvel[:2] = (speed * math.cos(direction),
                                                       speed * math.sin(direction))
    return Lasts(name, act, 'descend', once=True)


def glued(name: str) -> Lasts:
    """No look shows that a thing is fixed to the table."""
    def seen(scene: Scene, by: Lasting) -> Scene:
        return replace(scene, objects=tuple(
            replace(o, movable=True) if o.name == name else o for o in scene.objects))
    return Lasts(name, partial(Lasting.note, what='fault', name=name), seen=seen)


def every_motion(fault: Motion) -> Lasts:
    """The controller goes wrong in this way in every motion."""
    def act(by: Lasting) -> None:
        def motion(arm: FaultyRobot, trajectory: JointTrajectory, ctx: Context,
                   guard: ContactGuard | None) -> CommandResult:
            arm.armed.motion = motion
            by.log.goals.append(trajectory.end)
            return fault(arm, trajectory, ctx, guard)

        by.note('fault', 'controller')
        by.robot.armed.motion = motion
    return Lasts('controller', act)


def every_grasp(fault: Grasp) -> Lasts:
    def grasp(arm: FaultyRobot, force: float, ctx: Context) -> CommandResult:
        arm.armed.grasp = grasp
        return fault(arm, force, ctx)

    def act(by: Lasting) -> None:
        by.note('fault', 'gripper')
        by.robot.armed.grasp = grasp
    return Lasts('gripper', act)


def dark(looks: int) -> Lasts:
    """The camera gives no picture after so many looks."""
    def seen(scene: Scene, by: Lasting) -> Scene:
        if by.looks > looks:
            by.note('fault', 'camera')
            raise PerceptionError('the camera gives no picture')
        return scene
    return Lasts('camera', seen=seen)


def old(looks: int) -> Lasts:
    """The pictures are old after so many looks, and say so."""
    def seen(scene: Scene, by: Lasting) -> Scene:
        if by.looks > looks:
            by.note('fault', 'camera')
        return replace(scene, stale=by.looks > looks)
    return Lasts('camera', seen=seen)


def frozen(name: str, to: tuple[float, float, float]) -> Lasts:
    """The camera shows the first picture for ever; meanwhile somebody moves a thing."""
    def act(by: Lasting) -> None:
        if by.note('another', name):
            by.note('fault', 'camera')
            moved_by_another(by.cell.world, name, to)

    def seen(scene: Scene, by: Lasting) -> Scene:
        return replace(scene, objects=by.first.objects if by.first else (), held=None)
    return Lasts('camera', act, 'approach', seen=seen)


def hidden(name: str, behind: str) -> Lasts:
    """Something stands before it: no look shows it."""
    def seen(scene: Scene, by: Lasting) -> Scene:
        return replace(scene, objects=tuple(scene.without([name])))
    return Lasts(behind, seen=seen)


def shadow(name: str) -> Lasts:
    """No look shows it while the hand is above it."""
    def seen(scene: Scene, by: Lasting) -> Scene:
        thing = scene.get(name)
        if thing is None or scene.arm is None or math.dist(
                scene.arm.tcp.position[:2], thing.position[:2]) > SHADOW_M:
            return scene
        return replace(scene, objects=tuple(scene.without([name])),
                       held=None if scene.held == name else scene.held)
    return Lasts('view', seen=seen)


def barred(name: str) -> Lasts:
    """A fixed thing is just above one side of the hand when that leaves what it put down."""
    def act(by: Lasting) -> None:
        if not by.note('fault', name):
            return
        world = by.cell.world
        hand = world.data.body(world.arm.frame('hand'))
        turn = np.asarray(hand.xmat).reshape(3, 3)
        at = hand.xpos + turn @ [0.0, 0.09, -0.025]  # it points down
        bar = world.model.body(name)
        bar.pos[:] = world.data.body(name).xpos[:] = at
        world.data.geom_xpos[bar.geomadr[0]:bar.geomadr[0] + bar.geomnum[0]] = at
    return Lasts(name, act, 'retreat', taking=False)
