"""The scenes of a search: what an action leads to, and what stands on what in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from replan_agent.domain.expected_scene import put_down as imagined
from replan_agent.domain.goal import Goal, Predicate, resting_on
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill_effect import EffectKind

from .actions import Action
from .wants import turn_to


def scene_after(action: Action, scene: Scene, point: tuple[float, float] | None,
                yaw_deg: float | None) -> Scene:
    """The scene that is expected after the action."""
    if action.kind is EffectKind.TAKE:
        scene = replace(scene, held=action.thing)
    else:
        scene = replace(imagined(scene, action.thing, action.target, point), held=None)
        if yaw_deg is not None and action.thing is not None:
            scene = _turned(scene, action.thing, yaw_deg)
    if scene.arm is not None:
        scene = replace(scene, arm=replace(scene.arm, at_home=False))
    return scene


def dead_end(goal: Goal, scene: Scene) -> str:
    """Why no movement makes the goal true."""
    thing = scene.get(goal.object or '')
    if goal.predicate is Predicate.TURNED and thing is not None and thing.turn_unknown:
        return f'how {thing.name} is turned now cannot be told from what is seen of it'
    return f'no spot or movement makes {goal} true'


def tops(name: str, scene: Scene, below: tuple[str, ...] = ()) -> list[str]:
    """What can be lifted of a pile: the things above that carry nothing, or the thing itself."""
    thing = scene.get(name)
    above = resting_on(thing, scene) if thing is not None else []
    return [top for o in above if o.name not in (name, *below)
            for top in tops(o.name, scene, (name, *below))] or [name]


def belongs(thing: SceneObject, target: SceneObject, goals: Sequence[Goal], scene: Scene) -> bool:
    """Whether a goal wants the thing on the target."""
    return any(part.object == thing.name and part.target == target.name and not goal.negated
               for goal in goals for part in goal.named(scene))


def _turned(scene: Scene, name: str, yaw_deg: float) -> Scene:
    thing = scene.get(name)
    if thing is None:
        return scene
    return with_object(scene, replace(thing, pose=thing.pose.turned(turn_to(thing, yaw_deg))))


def with_object(scene: Scene, thing: SceneObject) -> Scene:
    return replace(scene, objects=tuple(thing if o.name == thing.name else o
                                        for o in scene.objects))


def scene_key(scene: Scene) -> tuple[object, ...]:
    arm_home = scene.arm.at_home if scene.arm else None
    return (scene.held, arm_home, *((o.name, *(round(v, 3) for v in o.position),
                                     round(o.pose.yaw, 2)) for o in scene.objects))
