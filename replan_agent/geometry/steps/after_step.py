# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scene after a step, if all goes well. `Forecast` says what of it is certain.

What is on or in a thing comes along with it. Each scene made here has an id of its own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import PUTS, Effect, EffectKind

from ..falls import settled
from ..judging import load
from ..room.free_place import Point, fan, free_places
from .slide import Slide, slide_in

_COUNT = count(1)


def after_step(step: Step, spec: SkillSpec | None, scene: Scene) -> Scene | None:
    """The scene after the step; None if its skill is not known or does not say."""
    if spec is None or spec.effect.kind is EffectKind.UNKNOWN:
        return None
    effect, args = spec.effect, step.args
    if effect.slides:
        slide = slide_in(scene, spec, args)
        return slid(scene, slide) if slide is not None else scene
    if effect.kind is EffectKind.SET:
        return brought_to(set_by(effect, args), scene)
    thing = effect.name('object', args) if effect.takes else scene.held
    return after_effect(effect.kind, thing, scene, effect.name('target', args), effect.point(args))


def after_effect(kind: EffectKind | None, thing: str | None, scene: Scene,
                 target: str | None = None, at: Point | None = None,
                 yaw_deg: float | None = None) -> Scene:
    """The scene after the effect on a thing; of a slide see `slid`."""
    if kind is EffectKind.TAKE:
        return _changed(scene, held=thing)
    if kind in PUTS:
        return put_down(scene, thing, target, at, yaw_deg)
    if kind is EffectKind.GO_HOME:
        return _changed(scene, held=scene.held, at_home=True)
    if kind is EffectKind.RELEASE:
        return _changed(scene, at_home=scene.arm is not None and scene.arm.at_home)
    if kind is EffectKind.GIVE:
        return _changed(replace(scene, objects=scene.without([thing or ''])))
    return scene


def set_by(effect: Effect, args: Mapping[str, Any]) -> Goal:
    """What is so after an effect that sets the state of a thing, or how far it is turned."""
    thing, degrees = effect.name('object', args), effect.value('yaw', args)
    return Goal(Predicate.TURNED, thing, degrees=degrees) if isinstance(
        degrees, (int, float)) else Goal(Predicate.IS, thing, state=effect.state)


def brought_to(goal: Goal, scene: Scene) -> Scene:
    """The scene with the thing in the state, and with it what is on it, in it or part of it."""
    thing, state, turns = scene.get(goal.object or ''), goal.state, goal.degrees is not None
    if thing is None or thing.states is None or not (turns or thing.can_be(state)):
        return scene
    pose = dict(zip(thing.states.words, thing.states.poses)).get(state, thing.pose)
    there = replace(thing, pose=pose, states=replace(
        thing.states, now=state, degrees=goal.degrees))
    return _changed(scene, _with_load(there, scene, thing.states.along), scene.held)


def put_down(scene: Scene, name: str | None, target: str | None = None,
             at: Point | None = None, yaw_deg: float | None = None) -> Scene:
    """The scene with the thing on or in the target, or on the table at a point (x, y, m)."""
    held = scene.get(name or '')
    if held is None:
        return _changed(scene, held=None)
    thing, below = settled(held), scene.get(target or '') or scene.table
    x, y, z = thing.position
    if at is not None:
        x, y = at
    elif below is not None and below != scene.table:
        x, y, _ = below.position
    else:  # any free spot may be used
        x, y = next(free_places(thing, scene, fan((x, y))), (x, y))
    if below is not None:
        z = (below.bottom_z if below.is_container else below.top_z) + z - thing.bottom_z
    pose = Pose((x, y, z), thing.pose.quaternion)
    if yaw_deg is not None:
        pose = pose.turned(turn_to(thing, yaw_deg))
    return _changed(scene, _with_load(replace(thing, pose=pose), scene),
                    None if scene.held == name else scene.held)


def grasped(scene: Scene, name: str, turned: bool = False) -> Scene:
    """The scene with the object in the gripper, taken from above across its narrow sides.

    `turned`: across the other sides. The hand is placed at the object, because only their relative
    pose matters for planning.
    """
    thing = scene.get(name)
    if thing is None:
        return scene
    across = (0, 1) if thing.size[0] <= thing.size[1] else (1, 0)
    axis = across[1 if turned else 0]
    closing_yaw = thing.pose.yaw + axis * math.pi / 2
    tcp = Pose.from_rpy(*thing.position, roll=math.pi, yaw=closing_yaw + math.pi / 2)
    joints = scene.arm.joints if scene.arm else ()
    arm = ArmSnapshot(joints, tcp, thing.size[axis], False)
    return replace(_changed(scene, held=name), arm=arm)


def slid(scene: Scene, slide: Slide) -> Scene:
    """The scene after a slide over the table, with what it pushes along."""
    ends = slide.ends(scene.movable())
    along = (o for end in ends for o in _with_load(end, scene))
    return _changed(scene, [*along, *ends], scene.held)


def released_at(thing: SceneObject, scene: Scene) -> Scene:
    """The scene with the held thing where this one is, and an empty hand."""
    return _changed(scene, _with_load(thing, scene))


def standing_at(thing: SceneObject, at: Point, table: SceneObject) -> SceneObject:
    """The thing as it will stand at a point of the table."""
    z = table.top_z + thing.position[2] - thing.bottom_z
    return replace(thing, pose=Pose((*at, z), thing.pose.quaternion))


def turn_to(thing: SceneObject, yaw_deg: float | None) -> float:
    """The turn (rad) that brings it to a yaw; none without a yaw."""
    return 0.0 if yaw_deg is None else math.radians(yaw_deg) - thing.pose.yaw


def _with_load(moved: SceneObject, scene: Scene, parts: Collection[str] = ()
               ) -> list[SceneObject]:
    """The thing where it is now, and what was on it, in it or one of its parts before."""
    before = scene.get(moved.name)
    assert before is not None
    T, names = moved.pose.matrix() @ np.linalg.inv(before.pose.matrix()), {
        *parts, *(o.name for o in load(before, scene))}
    return [moved, *(replace(o, pose=Pose.from_matrix(T @ o.pose.matrix()))
                     for o in scene.objects if o.name in names)]


def _changed(scene: Scene, things: Iterable[SceneObject] = (), held: str | None = None,
             at_home: bool = False) -> Scene:
    new = {thing.name: thing for thing in things}
    arm = replace(scene.arm, at_home=at_home) if scene.arm is not None else None
    return replace(scene, scene_id=f'{scene.scene_id.split("~")[0]}~{next(_COUNT)}', arm=arm,
                   held=held, objects=tuple(new.get(o.name, o) for o in scene.objects))
