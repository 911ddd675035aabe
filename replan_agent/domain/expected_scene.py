"""The expected scene after a step: a guess for planning. A forecast has only what is certain."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .plan import Step
from .pose import Pose, inward
from .scene import Scene, SceneObject
from .settling import settled
from .skill import SkillSpec
from .skill_effect import EffectKind
from .support import footprint


def expected_scene(step: Step, spec: SkillSpec, scene: Scene) -> Scene | None:
    """The scene after the step, if all goes well; None if the skill does not say."""
    effect, args = spec.effect, step.args
    if effect.kind is EffectKind.UNKNOWN:
        return None
    if effect.takes:
        return replace(scene, held=effect.name('object', args))
    if effect.puts:
        put = put_down(scene, scene.held, effect.name('target', args), effect.point(args))
        return replace(put, held=None)
    if effect.slides:
        return _slid(scene, spec, args)
    if effect.kind is EffectKind.GO_HOME and scene.arm is not None:
        return replace(scene, arm=replace(scene.arm, at_home=True))
    return replace(scene, held=None) if effect.kind is EffectKind.RELEASE else scene


def put_down(scene: Scene, name: str | None, target: str | None,
             position: tuple[float, float] | None = None) -> Scene:
    """The scene with the object on or in the target, or on the table at a position (x, y, m)."""
    held = scene.get(name or '')
    if held is None:
        return scene
    thing = settled(held)
    x, y, z = thing.position
    below = scene.get(target or '') or scene.table
    if position is not None:
        x, y = position
    elif below is not None and below != scene.table:  # on the table, any free spot may be used
        x, y, _ = below.position
    if below is not None:
        support_z = below.bottom_z if below.is_container else below.top_z
        z = support_z + thing.position[2] - thing.bottom_z
    return _with(scene, replace(thing, pose=Pose((x, y, z), thing.pose.quaternion)))


def slide_vector(spec: SkillSpec, args: Mapping[str, Any], scene: Scene
                 ) -> tuple[float, float] | None:
    """How far the skill slides its object (x, y, m, base frame); None if it slides nothing."""
    effect = spec.effect
    thing = scene.get(effect.name('object', args) or '')
    if thing is None or not effect.slides:
        return None
    asked = effect.value('distance', args)
    length = asked if isinstance(asked, (int, float)) else None
    usual = float(spec.argument_schema(effect.distance).get('default', 0.0))
    target = scene.get(effect.name('target', args) or '')
    direction = effect.heading(args)
    if effect.kind is EffectKind.BRING_CLOSER:
        dx, dy = inward(thing.position)
        direction = float(dx), float(dy)
    elif direction is None and target is not None:
        gap = [a - b for a, b in zip(target.position[:2], thing.position[:2])]
        far = math.hypot(*gap)
        direction = gap[0] / max(far, 1e-9), gap[1] / max(far, 1e-9)
        usual = max(0.0, far - footprint(thing) - footprint(target))
    if direction is None:
        return None
    length = usual if length is None else float(length)
    return length * direction[0], length * direction[1]


def _slid(scene: Scene, spec: SkillSpec, args: Mapping[str, Any]) -> Scene:
    thing = scene.get(spec.effect.name('object', args) or '')
    by = slide_vector(spec, args, scene)
    if thing is None or by is None:
        return scene
    return _with(scene, replace(thing, pose=thing.pose.moved(by[0], by[1])))


def _with(scene: Scene, thing: SceneObject) -> Scene:
    objects = tuple(thing if o.name == thing.name else o for o in scene.objects)
    return replace(scene, objects=objects)
