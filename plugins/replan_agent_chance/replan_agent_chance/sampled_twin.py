# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One twin of the scene as it may really be: the plan runs in it, and physics says how it ends."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from replan_agent.agent.ports import ChatModel, Perception
from replan_agent.app.build.robot_cell import mujoco_cell
from replan_agent.app.build.skill_set import skill_set
from replan_agent.app.build.twin import NOMINAL_DENSITY, arm_start, nominal_mass, twin_spec
from replan_agent.app.build.wiring import wire
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import Plan
from replan_agent.domain.port_errors import RehearsalError
from replan_agent.domain.scene import GROUND_TRUTH, Scene, SceneObject, Shape
from replan_agent.execute.registry import Registry
from replan_agent.geometry.judging import judge, support_below
from replan_agent.geometry.steps.proofs import OF_THE_OBJECT
from replan_agent.perceive.ground_truth import GroundTruthPerception
from replan_agent.robot.mujoco.scene.placement import Placed, overlap
from replan_agent.robot.mujoco.world import World

from .drawn_errors import DrawnErrors, UnsurePerception, truly
from .drawn_hand import give_hand
from .uncertainty import Uncertainty

TICK_S = 0.0005  # of a twin's own clock: about what passes between two looks at it in a search
REDRAWS = 30  # until no two things are in the same place
SETTLE_S = 1.0
GOAL = 'goal_not_met'


@dataclass(frozen=True)
class Trial:
    """A plan, the scene in which it was made, and what is not known of that. Plain values."""

    config: Config
    plan: Plan
    scene: Scene
    known: Uncertainty
    seed: int = 0


@dataclass(frozen=True)
class Ran:
    """How the plan went in one twin: how many steps worked, and what ended it ('' if nothing).

    `draws` are what was drawn, each in its own units of chance. `proof`: why the step that ended
    it cannot succeed, whatever was drawn ('' if that is not proved).
    """

    steps_done: int
    failure: str
    draws: dict[str, float]
    proof: str = ''

    @property
    def worked(self) -> bool:
        return not self.failure


@dataclass
class TwinClock:
    """The time in a twin. It passes with each look at it, whatever the machine is busy with.

    So the search for a path ends after the same number of tries, and the same seed gives the same
    outcome. Raises what `ctx` raises.
    """

    ctx: Context
    looks: int = 0

    def __call__(self) -> float:
        self.ctx.check()
        self.looks += 1
        return self.looks * TICK_S


def run_twin(trial: Trial, number: int, ctx: Context | None = None) -> Ran:
    """Run the plan in the twin of that number, up to its end or the first step that fails."""
    ctx = replace(Context(), now=(clock := TwinClock(ctx or Context())), cancel=clock.ctx.cancel)
    scene, errors = _drawn_scene(trial, number)
    world = _world(trial, scene, errors)
    inside = replace(trial.config, perception=GROUND_TRUTH)
    cell = mujoco_cell(inside, world)
    found = wire(inside, cell, skills_of(trial.config), _no_model, trial.seed,
                 wrap_perception=lambda p: UnsurePerception(p, errors, trial.scene))
    with ExitStack() as closing:
        closing.callback(found.motion.close)
        closing.callback(found.close_cameras)
        truth = GroundTruthPerception(world.visible_objects, cell.robot, world.arm)
        done, failure, proof = _run(trial, found.perception, found.skills, world, truth, ctx)
    return Ran(done, failure, _draws(trial, errors), proof)


def _run(trial: Trial, perception: Perception, skills: Any, world: World, truth: Perception,
         ctx: Context) -> tuple[int, str, str]:
    now = replace(trial.scene, stamp=(first := perception.observe(ctx)).stamp, arm=first.arm,
                  scene_id=first.scene_id, hand=first.hand)
    if first.held != trial.scene.held:
        raise RehearsalError(f'a twin holds {first.held or "nothing"} where '
                             f'{trial.scene.held or "nothing"} is held')
    steps = [step for step in trial.plan.steps if not step.is_replan]
    for done, step in enumerate(steps):
        result = skills.execute(step, _fresh(now), ctx, lambda phase: None)
        if not result.success:
            proved = result.proved_impossible and result.cause not in OF_THE_OBJECT
            return (done, str((result.cause or result.reason).value),
                    result.reason_detail if proved else '')
        now = perception.observe(ctx)
    world.step(round(SETTLE_S / world.timestep))
    for scene in (truth.observe(ctx), now):
        if not _is_met(trial.plan.goals, scene):
            return len(steps), GOAL, ''
    return len(steps), '', ''


def _fresh(scene: Scene) -> Scene:
    """The scene, seen now: in a twin no time has passed since it was taken."""
    return replace(scene, objects=tuple(replace(o, seen_at=scene.stamp) for o in scene.objects))


def _is_met(goals: tuple[Goal, ...], scene: Scene) -> bool:
    return all(judge(goal, scene) is not False for goal in goals)


def _drawn_scene(trial: Trial, number: int) -> tuple[Scene, DrawnErrors]:
    """The scene as it may be: nothing stands in the same place as something else."""
    resting = _resting(trial.scene)
    for again in range(REDRAWS):
        errors = DrawnErrors(trial.known, _seed(trial.seed, number, again))
        scene = _as_it_may_be(trial.scene, errors)
        if not _touching(scene) - resting:
            break
    return scene, errors


def _seed(*parts: int) -> int:
    return int(np.random.SeedSequence(parts).generate_state(1)[0])


def _as_it_may_be(seen: Scene, errors: DrawnErrors) -> Scene:
    """Each thing off by its own error, on what it stands on. What is held stays in the hand."""
    moved: dict[str, SceneObject] = {}

    def placed(thing: SceneObject) -> SceneObject:
        if thing.name not in moved:
            moved[thing.name] = thing  # of two that carry each other, one stays
            below = support_below(thing, seen)
            up = 0.0
            if below is not None and below.shape is not Shape.TABLE and below.name != thing.name:
                up = 0.0 if below.is_container else placed(below).top_z - below.top_z
            still = thing.shape is Shape.TABLE or thing.name == seen.held
            moved[thing.name] = thing if still else truly(thing, errors, up)
        return moved[thing.name]

    return replace(seen, objects=tuple(map(placed, seen.objects)))


def _resting(scene: Scene) -> set[tuple[str, str]]:
    """The pairs, in both orders, of a thing and what it is on or in: they may share a place."""
    below = {thing.name: support_below(thing, scene) for thing in scene.objects}
    return {pair for name, other in below.items() if other is not None
            for pair in ((name, other.name), (other.name, name))}


def _touching(scene: Scene) -> set[tuple[str, str]]:
    """The pairs of things that share a place, seen from above, at a common height."""
    solid = [o for o in scene.objects if o.shape is not Shape.TABLE]
    specs = {spec.name: spec for spec in twin_spec(scene).objects}
    found = [Placed(specs[o.name], o.pose) for o in solid]
    return {(a.spec.name, b.spec.name) for i, a in enumerate(found) for b in found[i + 1:]
            if overlap(a, b, 0.0)}


def _world(trial: Trial, scene: Scene, errors: DrawnErrors) -> World:
    """A world at rest, with masses and friction as drawn. Raises RehearsalError."""
    config, spec = trial.config, twin_spec(scene)
    of = {thing.name: errors.of(thing) for thing in trial.scene.objects}
    mass = {thing.name: nominal_mass(thing) / NOMINAL_DENSITY for thing in scene.objects}
    things = tuple(replace(o, friction=of[o.name].friction, mass=max(
        0.001, mass[o.name] * of[o.name].density)) for o in spec.objects)
    try:
        world = World(replace(spec, objects=things), arm_named(config.robot.model),
                      start=arm_start(scene), eye_in_hand=config.robot.eye_in_hand)
    except ValueError as error:
        raise RehearsalError(f'no twin of {scene.scene_id} can be built: {error}') from error
    give_hand(world, errors.hand)
    return world


def _draws(trial: Trial, errors: DrawnErrors) -> dict[str, float]:
    """What was drawn of the things that the plan names, of the camera and of the hand."""
    named = {value for step in trial.plan.steps for value in step.args.values()
             if isinstance(value, str)}
    found = {'where the camera is': float(np.hypot(*errors.common_m)), **errors.hand.draws}
    for thing in trial.scene.objects:
        if thing.name in named and thing.shape is not Shape.TABLE:
            found |= errors.of(thing).draws
    return {name: value for name, value in found.items() if value}


def skills_of(config: Config) -> Registry:
    """The skills of the arm, as in a twin."""
    return _skills(config.skills, config.robot.eye_in_hand, config.robot.model)


@cache
def _skills(named: tuple[str, ...], eye_in_hand: bool, arm: str) -> Registry:
    return skill_set(named, simulated=True, eye_in_hand=eye_in_hand, arm=arm)


def _no_model() -> ChatModel:
    raise AssertionError('a twin asks no model')
