# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is put far away: whether the arm gets there is decided before the thing is taken."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from replan_agent.agent.ports import Foresight
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import SkillSpec, find_spec
from replan_agent.domain.task_view import RehearsalResult
from replan_agent.geometry.outlines import extents_m
from replan_agent.geometry.room.free_place import is_within_reach
from replan_agent.geometry.room.hand_room import fits_between_pads
from replan_agent.geometry.steps.after_step import grasped
from replan_agent.replan.local.path_search import held_as


class ReachRehearsal:
    """The Rehearsal port without a twin: only for places where the hand may not get.

    A thing where the hand works well is taken from above, around its middle. If it is proved that
    it cannot be put down where the plan says, whichever of its sides are taken, and no other kind
    of grasp is found with which it can, nothing moves.
    """

    def __init__(self, foresight: Foresight) -> None:
        self._foresight = foresight

    def is_due(self, plan: Plan, scene: Scene) -> bool:
        return any(self._far(plan, scene))

    def rehearse(self, plan: Plan, scene: Scene, ctx: Context) -> RehearsalResult:
        """Foresee each step that puts something far away, as if only that thing had moved."""
        started = time.perf_counter()
        for step, name, takes in self._far(plan, scene):
            leaning = (held_as(grasped(scene, name), found.evidence) for take in takes
                       if (found := self._foresight.foresee(take, scene, ctx)).success)
            if all((result := self._foresight.foresee(
                    step, grasped(scene, name, turned), ctx)).proved_impossible
                    for turned in (True, False)) and not any(
                        self._foresight.foresee(step, held, ctx).success for held in leaning):
                return RehearsalResult(False, time.perf_counter() - started, step, result)
        return RehearsalResult(True, time.perf_counter() - started)

    def _far(self, plan: Plan, scene: Scene) -> Iterator[tuple[Step, str, list[Step]]]:
        """The steps that put a thing where the hand may not get, its name, and ways to take it."""
        specs, taken, takes = self._foresight.specs(), None, list[Step]()
        for step in plan.steps:
            spec = find_spec(specs, step.skill)
            if spec is not None and spec.effect.takes:
                takes = [replace(step, args={**step.args, **of}) for of in spec.variants.values()]
                usual = {spec.effect.object, spec.effect.force, spec.effect.speed}
                taken = scene.get(spec.acts_on(step.args) or '') if (
                    step.args.keys() <= usual) else None  # a grasp of its own may get farther
            elif spec is not None and spec.effect.puts:
                if taken is not None and _is_handy(taken, scene) and _is_far(step, spec, scene):
                    yield step, taken.name, takes
                taken = None


def _is_far(step: Step, spec: SkillSpec, scene: Scene) -> bool:
    target = scene.get(spec.effect.name('target', step.args) or '')
    at = spec.effect.point(step.args) or (
        target.position[:2] if target is not None and target != scene.table else None)
    return at is not None and not is_within_reach(at, scene.hand)


def _is_handy(thing: SceneObject, scene: Scene) -> bool:
    hand = scene.hand
    return hand is not None and is_within_reach(thing.position[:2], hand) and fits_between_pads(
        extents_m(thing)[1], hand)


