"""The expected scene after a step: a guess for planning. A forecast has only what is certain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .plan import Step
from .pose import Pose
from .scene import Scene, SceneObject
from .settling import settled
from .skill import SkillSpec
from .skill_effect import EffectKind
from .slide import slide_in


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


def _slid(scene: Scene, spec: SkillSpec, args: Mapping[str, Any]) -> Scene:
    slide = slide_in(scene, spec, args)
    return scene if slide is None else _with(scene, *slide.ends(scene.movable()))


def _with(scene: Scene, *things: SceneObject) -> Scene:
    new = {thing.name: thing for thing in things}
    return replace(scene, objects=tuple(new.get(o.name, o) for o in scene.objects))
