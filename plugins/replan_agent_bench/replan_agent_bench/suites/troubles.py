# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rows of the recovery benchmark: a task each, and what goes wrong with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from replan_agent.domain.skill import Reason
from replan_agent.domain.task_result import TaskResult
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec, Range, SceneSpec
from replan_agent_bench.scripted.scripted_server import Misbehaviour
from replan_agent_bench.suite import DrawnRow
from replan_agent_bench.worlds import scenes
from replan_agent_bench.worlds.confusions import Confusion
from replan_agent_bench.worlds.injections import Injection
from replan_agent_bench.worlds.judges import Held, Judge, PlacedAt, Truth
from replan_agent_bench.worlds.mishaps import Blackout, Mishap, WrongAtFirst
from replan_agent_bench.worlds.nudge import WorldPush

CUBE_M = 0.04
NEAR_M: Range = (0.38, 0.60)
BOXED_GAP_M = 0.012  # too little for a finger
PULLABLE_M: Range = (0.80, 0.84)
BAR_M = (0.03, 0.12, 0.03)
BEYOND_M: Range = (1.05, 1.15)
SLIPPERY = 0.04  # friction of something greasy
SLIPPERY_KG = 0.35
WRONG_M = 0.12
SEEN_AWAY_M = 0.15
NEARER_M: Range = (0.38, 0.45)
FARTHER_M: Range = (0.50, 0.60)
TOO_HEAVY_KG = 8.0

RefusalJudge = Callable[[TaskResult], str]


@dataclass(frozen=True)
class Trouble:
    """One random episode. If the task cannot be done, `refusal` judges how it was refused."""

    objects: tuple[ObjectSpec, ...]
    task: str
    judge: Judge | None = None
    refusal: RefusalJudge | None = None
    push: WorldPush | None = None
    mishap: Mishap | None = None
    misbehave: tuple[Misbehaviour, ...] = ()
    injection: Callable[[], Injection] | None = None  # a new one for each episode
    confusion: Confusion | None = None  # how the model's first plans are wrong


@dataclass(frozen=True)
class TroubleRow(DrawnRow[Trouble]):
    """A kind of trouble."""

    episodes: int = 40  # in each column

    def scene(self, case: Trouble) -> SceneSpec:
        return SceneSpec(f'recovery_{self.name}', self.about, case.objects)


@dataclass(frozen=True)
class HeldAny:
    """One of the objects is in the hand."""

    names: tuple[str, ...]

    def __call__(self, truth: Truth) -> str:
        found = [Held(name)(truth) for name in self.names]
        return '' if '' in found else '; '.join(found)


def _cube(rng: np.random.Generator, at: scenes.Point | None = None) -> ObjectSpec:
    return scenes.cube('red_cube', CUBE_M, at or scenes.point(rng, NEAR_M), rng)


def _pick(target: ObjectSpec, *others: ObjectSpec, push: WorldPush | None = None,
          mishap: Mishap | None = None, misbehave: tuple[Misbehaviour, ...] = ()) -> Trouble:
    return Trouble((target, *others), f'pick up the {target.name.replace("_", " ")}',
                   Held(target.name), push=push, mishap=mishap, misbehave=misbehave)


def _moved(rng: np.random.Generator) -> Trouble:
    target = _cube(rng)
    return _pick(target, push=WorldPush(target.name, float(rng.uniform(-math.pi, math.pi))))


def _slippery(rng: np.random.Generator) -> Trouble:
    return _pick(replace(_cube(rng), friction=SLIPPERY, mass=SLIPPERY_KG))


def _boxed_in(rng: np.random.Generator) -> Trouble:
    """Four cubes around the target, flush with its sides, with no room for a finger."""
    target = _cube(rng)
    x, y, _ = target.position
    away, yaw = CUBE_M + BOXED_GAP_M, target.rpy[2]
    around = [replace(scenes.cube(f'{colour}_cube', CUBE_M,
                                  (x + away * math.cos(yaw + k * math.pi / 2),
                                   y + away * math.sin(yaw + k * math.pi / 2)), rng),
                      rpy=target.rpy)
              for k, colour in enumerate(scenes.NEIGHBOURS)]
    return _pick(target, *around)


def _occupied(rng: np.random.Generator) -> Trouble:
    target = _cube(rng)
    x, y = scenes.point_away(rng, [target.position[:2]], 0.15, NEAR_M)
    where = (round(x, 3), round(y, 3))
    there = scenes.cube('blue_cube', CUBE_M, where, rng)
    away = np.subtract(where, target.position[:2])
    dx, dy = SEEN_AWAY_M * away / np.linalg.norm(away)  # the first plan does not know of it
    return Trouble((target, there), f'place the red cube at ({where[0]}, {where[1]})',
                   PlacedAt(target.name, where),
                   mishap=WrongAtFirst(there.name, (float(dx), float(dy))))


def _pullable(rng: np.random.Generator) -> Trouble:
    """A bar that lies across, too far away for a grasp, near enough to be pulled."""
    x, y = scenes.point(rng, PULLABLE_M, (-0.6, 0.6))
    bar = scenes.thing('red_bar', BAR_M, (x, y), rng)
    across = math.atan2(y, x) + float(rng.uniform(-0.15, 0.15))
    return _pick(replace(bar, rpy=(0.0, 0.0, across)))


def _beyond(rng: np.random.Generator) -> Trouble:
    target = _cube(rng, scenes.point(rng, BEYOND_M, (-0.3, 0.3)))
    return Trouble((target,), 'pick up the red cube', refusal=_says_unreachable)


def _says_unreachable(result: TaskResult) -> str:
    last = result.attempts[-1].reason if result.attempts else ''
    said = last == Reason.UNREACHABLE.value and not result.success
    return '' if said else f'ended with {result.final_reason.value}: {result.final_detail}'


def _misnamed(rng: np.random.Generator) -> Trouble:
    """The model names an object that does not exist, and repeats it after the correction."""
    return _pick(_cube(rng), misbehave=(Misbehaviour.UNKNOWN_OBJECT,) * 2)


def _blackout(rng: np.random.Generator) -> Trouble:
    return _pick(_cube(rng), mishap=Blackout(first=1, count=2))


def _look_alikes(rng: np.random.Generator) -> Trouble:
    """Two red cubes. The nearer one, which is tried first, is too heavy for the gripper."""
    heavy = replace(_cube(rng, scenes.point(rng, NEARER_M)), name='red_cube_1', mass=TOO_HEAVY_KG)
    apart = scenes.point_away(rng, [heavy.position[:2]], 0.15, FARTHER_M)
    other = replace(_cube(rng, apart), name='red_cube_2')
    return Trouble((heavy, other), 'pick up a red cube', HeldAny((heavy.name, other.name)))


def _on_air(rng: np.random.Generator) -> Trouble:
    target, angle = _cube(rng), float(rng.uniform(-math.pi, math.pi))
    offset = (WRONG_M * math.cos(angle), WRONG_M * math.sin(angle))
    return _pick(target, mishap=WrongAtFirst(target.name, offset))


TROUBLES = (
    TroubleRow('moved', 'moved mid-pick', 'the cube is pushed 60 mm while it is approached',
               _moved),
    TroubleRow('slips', 'slips in the lift', 'a greasy, heavy cube slips out of a normal grip',
               _slippery),
    TroubleRow('boxed', 'boxed in', 'four cubes around it leave no room for a finger', _boxed_in),
    TroubleRow('occupied', 'target occupied', 'another cube stands at the target', _occupied),
    TroubleRow('far', 'far, can be pulled', 'a bar across the arm at 0.80 to 0.84 m',
               _pullable),
    TroubleRow('beyond', 'out of reach for good', 'over 1 m away: must be refused with the cause',
               _beyond),
    TroubleRow('misnamed', 'wrong object named', 'the model twice names an unknown object',
               _misnamed),
    TroubleRow('blackout', 'camera blackout', 'no picture for two looks, from the pick on',
               _blackout),
    TroubleRow('alike', 'two look-alikes', 'two red cubes, the nearer one too heavy',
               _look_alikes),
    TroubleRow('air', 'closes on nothing', 'the first look is 120 mm wrong', _on_air),
)
