# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a plan leads the gripper, roughly: straight from one place of work to the next.

The real paths are found later, around what is in the way; this is for rules about nearness only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.geometry.steps.slide import slide_in

SPACING_M = 0.02
TABLE_SPACING_M = 0.05


def gripper_paths(plan: Plan, scene: Scene, skills: Iterable[SkillSpec],
                  home_tcp: Sequence[float]) -> list[tuple[Step, FloatArray | None]]:
    """Each step that moves, with points (n, 3) on the way to and through it, in the base frame.

    `home_tcp` is where the tool is at home (m). None instead of points: nobody knows where this
    step leads, so it may lead anywhere.
    """
    at = None if scene.arm is None else np.asarray(scene.arm.tcp.position)
    ways: list[tuple[Step, FloatArray | None]] = []
    known = {spec.name: spec for spec in skills}
    for step in plan.steps:
        spec = known.get(step.skill)
        if not step.is_replan and (spec is None or spec.moves_arm):
            way, at = _way(step, scene, spec, at, np.array(home_tcp))
            ways.append((step, way))
    return ways


def _way(step: Step, scene: Scene, spec: SkillSpec | None, at: FloatArray | None,
         home: FloatArray) -> tuple[FloatArray | None, FloatArray | None]:
    """The points of one step that starts at `at`, and where the gripper is after it.

    A step that may work anywhere on the table has points all over it.
    """
    if spec is None or (spec.effect.kind is EffectKind.UNKNOWN and not spec.effect.roles()):
        return None, None
    points, table = _places(step, scene, spec, home), scene.table
    if points:
        return _sampled(points if at is None else [at, *points]), points[-1]
    if table is not None and table in named_objects(step, scene, spec):
        return _all_over(table), at
    if spec.effect.kind is EffectKind.RELEASE and at is not None:
        return at[None], at  # the hand opens where it is
    return None, None


def nearest(zone: SceneObject, points: FloatArray) -> float:
    """Distance (m) from an upright box to the closest of the points; 0 inside it."""
    outside = np.abs(points - np.asarray(zone.position)) - np.asarray(zone.size) / 2
    return float(np.linalg.norm(np.maximum(outside, 0.0), axis=1).min())


def named_objects(step: Step, scene: Scene, spec: SkillSpec | None) -> list[SceneObject]:
    """The objects that the step names in its arguments."""
    names = [step.args.get(argument) for argument in spec.object_arguments] if spec else []
    found = [scene.get(name) for name in names if isinstance(name, str)]
    return [thing for thing in found if thing is not None]


def _places(step: Step, scene: Scene, spec: SkillSpec, home: FloatArray) -> list[FloatArray]:
    """Where the step works: at what it names, where it puts it, how far it slides it; home."""
    if spec.effect.kind is EffectKind.GO_HOME:
        return [home]
    found = [np.asarray(thing.position, dtype=float)
             for thing in named_objects(step, scene, spec) if thing.shape is not Shape.TABLE]
    point, slide = spec.effect.point(step.args), slide_in(scene, spec, step.args)
    if point is not None:
        found.append(np.array([*point, scene.table.top_z if scene.table else 0.0]))
    if slide is not None and found:
        ends = slide.ends(scene.movable())  # the gripper itself ends at the first of them
        found += [np.asarray(end.position) for end in reversed(ends)]
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
