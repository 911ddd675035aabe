"""The last scene of a task, short enough for its record: what is there, and where."""

from __future__ import annotations

from typing import Any

from .goal import support_below
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
    below = support_below(thing, scene)
    if below is None or not (below.is_container or thing.movable):
        return {}
    return {'in' if below.is_container else 'on': below.name}
