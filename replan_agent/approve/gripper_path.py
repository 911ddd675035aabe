"""Where a plan leads the gripper, roughly: straight from one place of work to the next.

The real paths are found later, around what is in the way; this is for rules about nearness only.
"""

from __future__ import annotations

import numpy as np

from replan_agent.domain.franka import HOME_TCP
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.pose import FloatArray, inward
from replan_agent.domain.scene import Scene, SceneObject, Shape

SPACING_M = 0.02
TABLE_SPACING_M = 0.05
DIRECTIONS: dict[str, tuple[float, float]] = {
    'forward': (1, 0), 'back': (-1, 0), 'left': (0, 1), 'right': (0, -1)}
USUAL_PUSH_M = 0.08
HOME_AT = np.array(HOME_TCP)


def gripper_paths(plan: Plan, scene: Scene) -> list[tuple[Step, FloatArray]]:
    """Each step with points (n, 3) on the way to and through it, in the base frame.

    A step that may work anywhere on the table is taken to: nobody knows yet where.
    """
    at = None if scene.arm is None else np.asarray(scene.arm.tcp.position)
    ways = []
    for step in plan.steps:
        points = [HOME_AT] if step.skill == 'home' else _places(step, scene)
        if not points and scene.table is not None and scene.table.name in step.args.values():
            ways.append((step, _all_over(scene.table)))
        elif not points and at is not None and step.skill != 'look':
            ways.append((step, at[None]))
        elif points:
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
    if step.skill == 'pull' and found:
        x, y = inward(found[-1])
        direction = x, y
    if direction and found:
        length = step.args.get('distance', USUAL_PUSH_M)
        length = length if isinstance(length, (int, float)) else USUAL_PUSH_M
        found.append(found[-1] + length * np.array([*direction, 0.0]))
    return found


def _all_over(table: SceneObject) -> FloatArray:
    """Points on the whole top of a table."""
    half = table.half_extents_in_base()
    x, y = (np.linspace(c - h, c + h, 2 + int(2 * h / TABLE_SPACING_M))
            for c, h in zip(table.position[:2], half[:2]))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    return np.column_stack([grid, np.full(len(grid), table.top_z)])


def _sampled(stops: list[FloatArray]) -> FloatArray:
    parts = [stops[0][None]]
    for start, end in zip(stops, stops[1:]):
        n = 1 + int(np.linalg.norm(end - start) / SPACING_M)
        parts.append(start + np.linspace(0, 1, n + 1)[1:, None] * (end - start))
    return np.concatenate(parts)
