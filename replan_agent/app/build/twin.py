# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rehearsal twin: a simulation of the perceived scene. A plan is tried there first.

It has only the perceived geometry. Masses and friction are nominal.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from transforms3d import euler

from replan_agent.agent.ports import Perception, Skills
from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan
from replan_agent.domain.port_errors import RehearsalError
from replan_agent.domain.scene import COLOURS, CONTAINERS, Scene, SceneObject, Shape
from replan_agent.domain.shape import Solid
from replan_agent.domain.task_view import RehearsalResult
from replan_agent.geometry.buildable import buildable
from replan_agent.geometry.towers import volume
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec, TableSpec
from replan_agent.robot.mujoco.world import ArmStart, World

NOMINAL_DENSITY = 500.0  # kg/m³: wood, or a half-full package
LIGHTEST_KG = 0.001
NOMINAL_FRICTION = 0.7
NOMINAL_TABLE_FRICTION = 0.5
NOMINAL_GRIP_N = 40.0
CONTAINER_SHARE = 0.2  # of the volume of its box

Wiring = Callable[[World], AbstractContextManager[tuple[Perception, Skills]]]


class TwinRehearsal:
    """The Rehearsal port: a new twin for every plan, with the same skills as the real arm.

    `wire` gives perception and skills in a world, and closes what they use in the end. The twin
    gets only a Scene, so the real world is never touched.
    """

    def __init__(self, wire: Wiring, arm: ArmModel, eye_in_hand: bool = False) -> None:
        self._wire = wire
        self._arm, self._eye_in_hand = arm, eye_in_hand

    def is_due(self, plan: Plan, scene: Scene) -> bool:
        return True

    def rehearse(self, plan: Plan, scene: Scene, ctx: Context) -> RehearsalResult:
        """Run the plan up to its end, its `__replan__`, or the first step that fails."""
        started = time.perf_counter()
        ctx.check()
        twin = build_twin(scene, self._arm, self._eye_in_hand)
        with self._wire(twin) as (perception, skills):
            return _run(plan, scene, perception, skills, started, ctx)


def _run(plan: Plan, scene: Scene, perception: Perception, skills: Skills, started: float,
         ctx: Context) -> RehearsalResult:
    now = perception.observe(ctx)
    if now.held != scene.held:
        raise RehearsalError(f'the twin holds {now.held or "nothing"} where '
                             f'{scene.held or "nothing"} is held')
    for step in plan.steps:
        if step.is_replan:
            break
        result = skills.execute(step, now, ctx, lambda phase: None)
        if not result.success:
            return RehearsalResult(False, time.perf_counter() - started, step, result)
        now = perception.observe(ctx)
    return RehearsalResult(True, time.perf_counter() - started, after=now)


def build_twin(scene: Scene, arm: ArmModel, eye_in_hand: bool = False) -> World:
    """The perceived scene as a world at rest, with the arm and the held object as perceived.

    Raises RehearsalError if the scene cannot be built.
    """
    try:
        return World(twin_spec(scene), arm, start=arm_start(scene), eye_in_hand=eye_in_hand)
    except ValueError as error:  # MuJoCo's message names the wrong element
        raise RehearsalError(f'no twin of {scene.scene_id} can be built: {error}') from error


def twin_spec(scene: Scene) -> SceneSpec:
    """The perceived objects with nominal masses and friction."""
    things = tuple(_object(buildable(thing)) for thing in scene.objects
                   if thing.shape is not Shape.TABLE)
    return SceneSpec(f'twin of {scene.scene_id}', objects=things, table=_table(scene))


def nominal_mass(thing: SceneObject) -> float:
    """Estimated mass (kg), from the volume."""
    return max(LIGHTEST_KG, NOMINAL_DENSITY * material_m3(thing))


def material_m3(thing: Solid) -> float:
    """How much of a thing (m³) weighs something: of a container only its walls."""
    return volume(thing) * (CONTAINER_SHARE if thing.shape in CONTAINERS else 1.0)


def _object(thing: SceneObject) -> ObjectSpec:
    roll, pitch, yaw = euler.quat2euler(thing.pose.quaternion, axes='sxyz')
    colour = Colour(thing.colour, COLOURS.get(thing.colour, COLOURS['grey']))
    return ObjectSpec(thing.name, thing.shape, thing.size, colour, thing.position,
                      (roll, pitch, yaw), nominal_mass(thing), NOMINAL_FRICTION,
                      fixed=not thing.movable, pieces=thing.pieces)


def _table(scene: Scene) -> TableSpec:
    """The perceived table, otherwise one that carries the lowest object."""
    table = scene.table
    if table is None:
        lowest = min((thing.bottom_z for thing in scene.objects), default=0.0)
        return TableSpec(height=lowest, friction=NOMINAL_TABLE_FRICTION)
    table = buildable(table)
    (x, y, _), (width, depth, thickness) = table.position, table.size
    return TableSpec((width, depth), (x, y), table.top_z, thickness,
                     friction=NOMINAL_TABLE_FRICTION)


def arm_start(scene: Scene) -> ArmStart | None:
    if scene.arm is None:
        return None
    grip = NOMINAL_GRIP_N if scene.held else 0.0
    return ArmStart(scene.arm.joints, scene.arm.gripper_width, grip)
