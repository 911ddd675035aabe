# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""When faults happen in an episode: at random in each step, or one of a known mode."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

import numpy as np

from replan_agent.agent.ports import Perception
from replan_agent.app.build.robot_cell import MujocoCell
from replan_agent.domain import event as events
from replan_agent.domain.plan import Step
from replan_agent.domain.skill import find_spec
from replan_agent.domain.skill_effect import Effect
from replan_agent.domain.task_result import TaskResult
from replan_agent.execute.skills.standard import standard_skills

from .faults import FaultyRobot, FaultyView, LettingGo, Motion, aborted, delayed, with_faulty_robot
from .nudge import WorldPush

SHOVES_M = (0.05, 0.08)
DELAYS_S = (0.5, 1.5)
HIDDEN_LOOKS = 2


class Injection(Protocol):
    """Faults of one episode. It reads the events of the task, and acts on the world."""

    injected: int  # faults that took place
    diagnosed_from: int  # failed attempts before the first fault

    def attached(self, cell: MujocoCell) -> MujocoCell: ...

    def around(self, perception: Perception) -> Perception: ...

    def record(self, event: events.Event) -> None: ...

    def finish(self, result: TaskResult) -> None: ...


class Fault(str, Enum):
    DROP = 'drop'
    MISS = 'miss'
    SHOVE = 'shove'
    OCCLUSION = 'occlusion'
    WRONG_LABEL = 'wrong_label'
    DELAY = 'delay'
    ABORT = 'abort'
    DISTURBED_PLACE = 'disturbed_place'


# What can go wrong in a step that takes something, and in one that puts it down.
TAKING = (Fault.DROP, Fault.MISS, Fault.SHOVE, Fault.OCCLUSION, Fault.WRONG_LABEL, Fault.DELAY,
          Fault.ABORT)
PUTTING = (Fault.DROP, Fault.OCCLUSION, Fault.WRONG_LABEL, Fault.DELAY, Fault.ABORT,
           Fault.DISTURBED_PLACE)


class Injector:
    """What both kinds of injection share: the world, its edges, and the events of the task."""

    def __init__(self) -> None:
        self.injected = self.diagnosed_from = 0
        self._attempts = 0
        self._cell: MujocoCell | None = None
        self._robot: FaultyRobot | None = None
        self._view: FaultyView | None = None
        self._specs = standard_skills().specs()

    @property
    def cell(self) -> MujocoCell:
        assert self._cell is not None  # attached before the task starts
        return self._cell

    @property
    def robot(self) -> FaultyRobot:
        assert self._robot is not None
        return self._robot

    @property
    def view(self) -> FaultyView:
        assert self._view is not None
        return self._view

    def attached(self, cell: MujocoCell) -> MujocoCell:
        """The cell with faulty edges."""
        self._cell, self._robot = with_faulty_robot(cell)
        return self._cell

    def around(self, perception: Perception) -> Perception:
        self._view = FaultyView(perception)
        return self._view

    def finish(self, result: TaskResult) -> None:
        """Nothing to do."""

    def effect_of(self, step: Step) -> Effect:
        spec = find_spec(self._specs, step.skill)
        return spec.effect if spec is not None else Effect()

    def record(self, event: events.Event) -> None:
        match event:
            case events.AttemptRecorded():
                self._attempts += 1
            case events.StepStarted():
                self.step_started(event.step, event.plan_version)
            case events.PhaseStarted():
                self.phase_started(event.phase)
            case events.StepFinished():
                self.step_finished(event)
            case _:
                pass

    def happened(self) -> None:
        """Note that a fault takes place now."""
        if not self.injected:
            self.diagnosed_from = self._attempts
        self.injected += 1

    def push(self, name: str, direction: float, distance_m: float) -> None:
        WorldPush(name, direction, distance_m, self.cell.world.time).begin(self.cell.world)

    def let_go(self, after_s: float) -> None:
        LettingGo(self.cell.world, after_s)

    def step_started(self, step: Step, plan_version: int) -> None: ...

    def phase_started(self, phase: str) -> None: ...

    def step_finished(self, event: events.StepFinished) -> None: ...


@dataclass
class _Pending:
    """What happens when a phase begins."""

    phase: str
    act: Callable[[], None] = field(repr=False)


class RandomFaults(Injector):
    """In each step that handles an object something goes wrong with this probability.

    Retries and the agent's own steps are steps, too.
    """

    def __init__(self, probability: float, seed: int) -> None:
        super().__init__()
        self._probability = probability
        self._rng = np.random.default_rng(seed)
        self._pending: _Pending | None = None

    def step_started(self, step: Step, plan_version: int) -> None:
        effect, rng = self.effect_of(step), self._rng
        kinds = TAKING if effect.takes else PUTTING if effect.puts else ()
        drawn = rng.random(), int(rng.integers(1000))  # the same number of draws in every step
        if kinds and drawn[0] < self._probability:
            self._arm(kinds[drawn[1] % len(kinds)], effect, step)

    def step_finished(self, event: events.StepFinished) -> None:
        self._pending = None
        self.robot.armed.motion = None

    def phase_started(self, phase: str) -> None:
        if self._pending is not None and self._pending.phase == phase:
            pending, self._pending = self._pending, None
            self.happened()
            pending.act()

    def _arm(self, fault: Fault, effect: Effect, step: Step) -> None:
        rng = self._rng
        thing = effect.name('object', step.args) or self._held()
        target = effect.name('target', step.args)
        direction, share = float(rng.uniform(-math.pi, math.pi)), float(rng.uniform(0.2, 0.8))
        far, late = float(rng.uniform(*SHOVES_M)), float(rng.uniform(*DELAYS_S))
        act: dict[Fault, tuple[str, Callable[[], None]]] = {
            Fault.DROP: ('lift' if effect.takes else 'approach',
                         lambda: self.let_go(share * 0.4)),
            Fault.MISS: ('descend', lambda: self.push(thing, direction, far)),
            Fault.SHOVE: ('approach', lambda: self.push(thing, direction, far)),
            Fault.OCCLUSION: ('approach', lambda: self.view.hide(thing, HIDDEN_LOOKS)),
            Fault.WRONG_LABEL: ('approach', lambda: self._mix_up(thing)),
            Fault.DELAY: ('approach', lambda: self._motion(delayed(late))),
            Fault.ABORT: (_one_of(('approach', 'descend', 'lift') if effect.takes else
                                  ('approach', 'lower', 'retreat'), share),
                          lambda: self._motion(aborted(share))),
            Fault.DISTURBED_PLACE: self._disturbed_place(thing, target, direction, far),
        }
        phase, now = act[fault]
        self._pending = _Pending(phase, now)

    def _disturbed_place(self, thing: str, target: str | None, direction: float, far: float
                         ) -> tuple[str, Callable[[], None]]:
        """The target is pushed while the arm brings the thing; on the table, the thing itself."""
        if target is None or target == 'table':
            return 'retreat', lambda: self.push(thing, direction, far)
        return 'approach', lambda: self.push(target, direction, far)

    def _motion(self, fault: Motion) -> None:
        self.robot.armed.motion = fault

    def _mix_up(self, thing: str) -> None:
        alike = [p.spec.name for p in self.cell.world.placed
                 if p.spec.name != thing and p.spec.name.endswith('_cube')]
        if alike:
            self.view.mix_up(thing, alike[0])

    def _held(self) -> str:
        """The cube nearest to the fingers: a step that puts something down does not name it."""
        world = self.cell.world
        tcp = world.data.body(world.arm.frame('hand')).xpos
        cubes = [o for o in world.true_objects() if o.movable and o.name.endswith('_cube')]
        return min(cubes, key=lambda o: math.dist(o.position, tcp)).name


def _one_of(phases: tuple[str, ...], share: float) -> str:
    return phases[int(share * 1000) % len(phases)]
