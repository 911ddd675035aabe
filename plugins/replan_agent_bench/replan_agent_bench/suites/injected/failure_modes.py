# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Seven failure modes with a known cause, to score the diagnosis: those of AHA (FailGen).

Each episode has one fault. The diagnosis is right if the first failed attempt after it has a
cause of that mode.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial

import numpy as np

from replan_agent.agent.ports import Perception
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent_bench.worlds import scenes
from replan_agent_bench.worlds.confusions import (
    Confusion,
    about_another,
    all_taken_first,
    put_before_take,
    take_left_out,
)
from replan_agent_bench.worlds.faults import FaultyRobot, Motion, astray, stops_short, unturned
from replan_agent_bench.worlds.injections import Injector
from replan_agent_bench.worlds.judges import All, InBowl

from ..troubles import CUBE_M, NEAR_M, SLIPPERY, SLIPPERY_KG, Trouble, TroubleRow

APART_M = 0.15
BAR_M = (0.03, 0.09, 0.03)  # lies flat on the bowl's floor
TURNS_RAD = math.radians(10)  # a wrist that should turn less is not missed
UNNOTICED = 'unnoticed'


class Mode(str, Enum):
    INCOMPLETE_GRASP = 'grasp'
    SLIP = 'slip'
    TRANSLATION = 'shift'
    ROTATION = 'turn'
    NO_ROTATION = 'no_turn'
    WRONG_ORDER = 'order'
    WRONG_OBJECT = 'object'


ABOUT = {
    Mode.INCOMPLETE_GRASP: 'the fingers stop before they reach the object',
    Mode.SLIP: 'the object is lost in the lift or on the way',
    Mode.TRANSLATION: 'the hand ends 30 to 80 mm beside its goal',
    Mode.ROTATION: 'the hand ends turned by 15 to 40 degrees',
    Mode.NO_ROTATION: 'the wrist does not turn',
    Mode.WRONG_ORDER: 'the steps of the plan are in a wrong order',
    Mode.WRONG_OBJECT: 'the plan, or the camera, takes one object for another',
}
CAUSES: dict[Mode, frozenset[Cause]] = {
    Mode.INCOMPLETE_GRASP: frozenset({Cause.GRIPPER_BLOCKED, Cause.GRIPPER_BROKEN}),
    Mode.SLIP: frozenset({Cause.SLIPPED_IN_LIFT, Cause.SLIPPED_IN_CARRY}),
    Mode.TRANSLATION: frozenset({Cause.OFF_TARGET}),
    Mode.ROTATION: frozenset({Cause.TURNED_WRONG}),
    Mode.NO_ROTATION: frozenset({Cause.NOT_TURNED}),
    Mode.WRONG_ORDER: frozenset({Cause.HAND_EMPTY, Cause.HAND_FULL}),
    Mode.WRONG_OBJECT: frozenset({Cause.WRONG_OBJECT, Cause.TOOK_ANOTHER}),
}


class OneFault(Injector):
    """Does something once: when this phase of a step that takes (or puts) something begins."""

    def __init__(self, act: Callable[[OneFault], None], phase: str, taking: bool = True) -> None:
        super().__init__()
        self._act, self._phase, self._taking = act, phase, taking
        self._is_time = False

    def step_started(self, step: Step, plan_version: int) -> None:
        effect = self.effect_of(step)
        self._is_time = effect.takes if self._taking else effect.puts

    def phase_started(self, phase: str) -> None:
        if self._is_time and phase == self._phase and not self.injected:
            self._act(self)

    def move_wrongly(self, motion: Motion) -> None:
        self.happened()
        self.robot.armed.motion = motion

    def lose(self, after_s: float) -> None:
        self.happened()
        self.let_go(after_s)

    def stop_fingers(self, width_m: float) -> None:
        self.happened()
        self.robot.armed.grasp = stops_short(width_m)

    def hold_wrist(self) -> None:
        """The next motion that turns the wrist goes without that turn."""
        def motion(arm: FaultyRobot, trajectory: JointTrajectory, ctx: Context,
                   guard: ContactGuard | None) -> CommandResult:
            if abs(trajectory.end[-1] - trajectory.start[-1]) < TURNS_RAD:
                arm.armed.motion = motion
                return arm.robot.execute(trajectory, ctx, guard)
            self.happened()
            return unturned()(arm, trajectory, ctx, guard)

        self.robot.armed.motion = motion


class MixedUp(Injector):
    """The first look takes two objects for each other."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__()
        self._names = one, other

    def step_started(self, step: Step, plan_version: int) -> None:
        self.injected = self.injected or 1

    def around(self, perception: Perception) -> Perception:
        seen = super().around(perception)
        self.view.mix_up(*self._names)
        return seen


def _mode(mode: Mode, rng: np.random.Generator) -> Trouble:
    points: list[scenes.Point] = []
    for _ in range(3):
        points.append(scenes.point_away(rng, points, APART_M, NEAR_M))
    red = (scenes.thing('red_bar', BAR_M, points[0], rng) if mode is Mode.NO_ROTATION
           else scenes.cube('red_cube', CUBE_M, points[0], rng))
    blue = scenes.cube('blue_cube', CUBE_M, points[1], rng)
    both = mode is Mode.WRONG_ORDER
    words = red.name.replace('_', ' ')
    task = f'put the {words} in the bowl' + (
        ' then put the blue cube in the bowl' if both else '')
    judge = All(tuple(InBowl(o.name, 'bowl') for o in ((red, blue) if both else (red,))))
    plain = Trouble((red, blue, scenes.bowl(points[2])), task, judge)
    return _DRAWN[mode](plain, rng)


def _incomplete_grasp(case: Trouble, rng: np.random.Generator) -> Trouble:
    width_m = float(rng.uniform(CUBE_M + 0.012, 0.08))
    return replace(case, injection=partial(OneFault, lambda f: f.stop_fingers(width_m), 'grasp'))


def _slip(case: Trouble, rng: np.random.Generator) -> Trouble:
    kind, after_s = int(rng.integers(3)), float(rng.uniform(0.05, 0.5))
    if kind == 0:
        greasy = replace(case.objects[0], friction=SLIPPERY, mass=SLIPPERY_KG)
        return replace(case, objects=(greasy, *case.objects[1:]))
    taking = kind == 1
    return replace(case, injection=partial(OneFault, lambda f: f.lose(after_s),
                                           'lift' if taking else 'approach', taking))


def _translation(case: Trouble, rng: np.random.Generator) -> Trouble:
    axis, far = int(rng.integers(3)), float(rng.uniform(0.03, 0.08))
    sign = 1.0 if axis == 2 else float(rng.choice([-1.0, 1.0]))  # up, never into the table
    shift = sign * far * np.eye(3)[axis]
    return _astray(case, rng, astray(shift, np.zeros(3)))


def _rotation(case: Trouble, rng: np.random.Generator) -> Trouble:
    axis, angle = int(rng.integers(3)), math.radians(float(rng.uniform(15, 40)))
    turn = float(rng.choice([-1.0, 1.0])) * angle * np.eye(3)[axis]
    return _astray(case, rng, astray(np.zeros(3), turn))


def _astray(case: Trouble, rng: np.random.Generator, motion: Motion) -> Trouble:
    taking = bool(rng.integers(2))
    return replace(case, injection=partial(OneFault, lambda f: f.move_wrongly(motion),
                                           'approach', taking))


def _no_rotation(case: Trouble, rng: np.random.Generator) -> Trouble:
    return replace(case, injection=partial(OneFault, OneFault.hold_wrist, 'approach'))


def _wrong_order(case: Trouble, rng: np.random.Generator) -> Trouble:
    changes = (put_before_take, take_left_out, all_taken_first)
    return replace(case, confusion=Confusion(changes[int(rng.integers(len(changes)))]))


def _wrong_object(case: Trouble, rng: np.random.Generator) -> Trouble:
    red, blue = (thing.name for thing in case.objects[:2])
    if rng.integers(2):
        return replace(case, confusion=Confusion(about_another(red, blue)))
    return replace(case, injection=partial(MixedUp, red, blue))


_DRAWN: dict[Mode, Callable[[Trouble, np.random.Generator], Trouble]] = {
    Mode.INCOMPLETE_GRASP: _incomplete_grasp, Mode.SLIP: _slip, Mode.TRANSLATION: _translation,
    Mode.ROTATION: _rotation, Mode.NO_ROTATION: _no_rotation, Mode.WRONG_ORDER: _wrong_order,
    Mode.WRONG_OBJECT: _wrong_object}

MODES = tuple(TroubleRow(f'mode_{mode.value}', f'mode: {mode.name.lower().replace("_", " ")}',
                         ABOUT[mode], partial(_mode, mode)) for mode in Mode)


@dataclass(frozen=True)
class Diagnosed:
    """The true mode of an episode, and the causes of its failed attempts from the fault on."""

    mode: Mode
    causes: tuple[str, ...]

    @property
    def found(self) -> str:
        """The mode that the first diagnosis means; another cause by its own name."""
        if not self.causes:
            return UNNOTICED
        return next((mode.value for mode, causes in CAUSES.items()
                     if self.causes[0] in {cause.value for cause in causes}), self.causes[0])


def confusion_matrix(diagnosed: Sequence[Diagnosed]) -> Iterator[str]:
    """The matrix as lines: a row for each true mode, and how often it was diagnosed as what."""
    if not diagnosed:
        return
    found = Counter((d.mode, d.found) for d in diagnosed)
    names = [mode.value for mode in Mode]
    names += sorted({name for _, name in found} - set(names))
    wide = max(map(len, names)) + 1
    right = sum(n for (mode, name), n in found.items() if name == mode.value)
    yield (f'causes: {right} of {len(diagnosed)} right ({100 * right / len(diagnosed):.1f} %); '
           'true mode below, diagnosed mode to the right')
    yield ' ' * wide + ''.join(f'{name:>{wide}}' for name in names)
    for mode in Mode:
        counts = [found[mode, name] for name in names]
        if any(counts):
            yield f'{mode.value:<{wide}}' + ''.join(f'{n or "·":>{wide}}' for n in counts)
