"""Where a plan leads the gripper, roughly: straight from one place of work to the next.

The real paths are found later, around what is in the way; this is for rules about nearness only.
"""

from __future__ import annotations

import numpy as np

from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import Scene, SceneObject, Shape

SPACING_M = 0.02
DIRECTIONS = {'forward': (1, 0), 'back': (-1, 0), 'left': (0, 1), 'right': (0, -1)}
USUAL_PUSH_M = 0.08


def ways_of(plan: Plan, scene: Scene) -> list[tuple[Step, FloatArray]]:
    """Each step that has a place, with points (n, 3) on the way to and through it, base frame."""
    at = None if scene.arm is None else np.asarray(scene.arm.tcp.position)
    ways = []
    for step in plan.steps:
        points = _places(step, scene)
        if points:
            stops = points if at is None else [at, *points]
            ways.append((step, _sampled(stops)))
            at = points[-1]
    return ways


def nearest(zone: SceneObject, points: FloatArray) -> float:
    """Distance (m) from an upright box to the closest of the points; 0 inside it."""
    outside = np.abs(points - np.asarray(zone.position)) - np.asarray(zone.size) / 2
    return float(np.linalg.norm(np.maximum(outside, 0.0), axis=1).min())


def _places(step: Step, scene: Scene) -> list[FloatArray]:
    """Where the step works: at what it names, where it puts it, how far it pushes it."""
    found: list[FloatArray] = []
    for value in step.args.values():
        thing = scene.get(value) if isinstance(value, str) else None
        if thing is not None and thing.shape is not Shape.TABLE:
            found.append(np.asarray(thing.position, dtype=float))
    x, y = step.args.get('x'), step.args.get('y')
    if isinstance(x, (int, float)) and isinstance(y, (int, float)):
        found.append(np.array([x, y, scene.table.top_z if scene.table else 0.0]))
    direction = DIRECTIONS.get(str(step.args.get('direction')))
    if direction and found:
        length = step.args.get('distance', USUAL_PUSH_M)
        length = length if isinstance(length, (int, float)) else USUAL_PUSH_M
        found.append(found[-1] + length * np.array([*direction, 0.0]))
    return found


def _sampled(stops: list[FloatArray]) -> FloatArray:
    parts = [stops[0][None]]
    for start, end in zip(stops, stops[1:]):
        n = 1 + int(np.linalg.norm(end - start) / SPACING_M)
        parts.append(start + np.linspace(0, 1, n + 1)[1:, None] * (end - start))
    return np.concatenate(parts)
