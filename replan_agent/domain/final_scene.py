"""The last scene of a task, short enough for its record: what is there, and where."""

from __future__ import annotations

from typing import Any

from .goal import is_inside, is_resting_on
from .scene import Scene, SceneObject


def final_scene(scene: Scene) -> list[dict[str, Any]]:
    """Each thing: its name, kind and colour, where it is (m, base frame), and on or in what."""
    return [{'name': thing.name, 'kind': thing.shape.value, 'colour': thing.colour,
             'position': [round(v, 4) for v in thing.position],
             'yaw': round(thing.pose.yaw, 3), **_support(thing, scene)}
            for thing in scene.objects]


def _support(thing: SceneObject, scene: Scene) -> dict[str, str]:
    if scene.held == thing.name:
        return {'in': 'gripper'}
    others = scene.without([thing.name])
    inside = next((o for o in others if is_inside(thing, o)), None)
    if inside is not None:
        return {'in': inside.name}
    below = next((o for o in others if thing.movable and is_resting_on(thing, o)), None)
    return {'on': below.name} if below is not None else {}
