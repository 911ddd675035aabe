# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where objects will be after some steps: what is certain, and the scene that is expected."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import SUPPORTED, Goal, Predicate
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import EffectKind, misfit

from ..judging import (
    AT_TOLERANCE_M,
    RESTING_GAP_M,
    is_inside,
    is_resting_on,
    judge_by,
    judge_one,
    shut_for,
)
from ..room.free_place import EDGE_M, is_on_top
from ..support import weight_off_m, weight_xy
from .after_step import after_step, brought_to, set_by, standing_at
from .slide import Slide, slide_of


@dataclass(frozen=True)
class Spot:
    """Where a step leaves an object: on or in `target`, at `position` (x, y, m), in the gripper.

    Without any of these, only a look will show where it is. `about` is where it should be then.
    """

    target: str | None = None
    position: tuple[float, float] | None = None
    held: bool = False
    about: tuple[float, float] | None = None

    def has(self, name: str, scene: Scene) -> bool:
        """Whether the object rests there."""
        thing, target = scene.get(name), scene.get(self.target or '')
        if thing is None or scene.held == name:
            return False
        if self.position is not None:
            return math.dist(thing.position[:2], self.position) <= AT_TOLERANCE_M
        return target is not None and is_resting_on(thing, target, scene)


@dataclass(frozen=True)
class Forecast:
    """The scene, and what the steps did to it.

    `lost`: the effect of some step is unknown. `hand_known`: whether `held` is certain.
    """

    scene: Scene
    held: str | None
    spots: Mapping[str, Spot] = field(default_factory=dict)
    lost: bool = False
    hand_known: bool = True
    done: tuple[tuple[Step, SkillSpec | None], ...] = ()

    @property
    def expected(self) -> Scene | None:
        """The scene after the steps if all goes well; None if a skill does not say."""
        scene: Scene | None = self.scene
        for step, spec in self.done:
            scene = after_step(step, spec, scene) if scene is not None else None
        return scene

    def after(self, step: Step, spec: SkillSpec | None) -> Forecast:
        """What is certain after one more step. `spec` is its skill's, None if unknown."""
        then = replace(self, done=(*self.done, (step, spec)))
        return then if step.is_replan else then._after(step, spec)

    def _after(self, step: Step, spec: SkillSpec | None) -> Forecast:
        if spec is None:
            return replace(self, held=None, lost=True, hand_known=False)
        effect, spot = spec.effect, placement_spot(spec, step.args)
        thing = effect.name('object', step.args)
        if effect.takes:
            taken = replace(self, held=thing, hand_known=thing is not None)
            return taken._with(thing, Spot(held=True))
        if effect.kind is EffectKind.SET:
            return replace(self, scene=brought_to(set_by(effect, step.args), self.scene))
        if effect.slides:
            return self._slid(thing, self.slide(spec, step.args))
        if effect.changes_hand:
            emptied = replace(self, held=None, hand_known=True)
            if self.held is not None:
                return emptied._with(self.held, spot or Spot())
            return replace(emptied, lost=True) if effect.puts else emptied
        return self if effect.touches_nothing else replace(self, lost=True)

    def _slid(self, name: str | None, slide: Slide | None) -> Forecast:
        """Only a look shows where the object and what it pushed along are now."""
        after = self._with(name, Spot())
        for end in slide.ends(self._all_on_table()) if slide is not None else ():
            after = after._with(end.name, Spot(about=end.position[:2]))
        return after

    def _with(self, name: str | None, spot: Spot) -> Forecast:
        if name is None:
            return replace(self, lost=True)
        return replace(self, spots={**self.spots, name: spot})

    def misuse(self, spec: SkillSpec) -> Cause | None:
        """Whether the skill needs an empty hand that is full, or the other way round."""
        if not self.hand_known or spec.needs_held in (None, self.held is not None):
            return None
        return Cause.HAND_EMPTY if spec.needs_held else Cause.HAND_FULL

    def objections(self, spec: SkillSpec, args: Mapping[str, Any]) -> Iterator[str]:
        """Why the skill cannot be called like this now: the gripper, or an unfit object."""
        misuse = self.misuse(spec)
        if misuse is not None:
            yield ('something must be in the gripper, which is empty'
                   if misuse is Cause.HAND_EMPTY else
                   f'the gripper must be empty, but it holds {self.held}')
        for argument, fit in spec.must_be.items():
            thing = self.scene.get(str(args.get(argument, '')))
            problem = misfit(thing, fit) if thing is not None else ''
            if problem:
                yield problem
        target = spec.effect.name('target', args)
        if target is not None and spec.effect.puts and target == self.held:
            yield f'{target} cannot be put on itself'
        if target is not None and target == spec.effect.name('object', args):
            yield f'{target} cannot be brought to itself'
        taken = spec.acts_on(args) if spec.effect.takes else None
        for shut in shut_for(taken, target if spec.effect.puts else None, self.scene):
            yield f'{shut.name} is not {shut.states.access if shut.states else ""}'
        if spec.effect.puts and self._is_carried_on_hand(target):
            yield f'{target} is on or in {self.held}, which is in the gripper'
        yield from self._unlike_targets(spec, args)
        yield from self._falls(spec, args)

    def _falls(self, spec: SkillSpec, args: Mapping[str, Any]) -> Iterator[str]:
        """Why the object would fall at the end of the skill: no table is below it there."""
        table, slide = self.scene.table, self.slide(spec, args)
        end = self.end(spec, args)
        if end is None or table is None:
            return
        off = (would_fall(self.scene.get(self.held or ''), end, table) if slide is None
               else would_fall(None, weight_xy(slide.moved), table))
        if off:
            yield off
        elif slide is not None:
            yield from (f'{slide.thing.name} would push {other.name} off the {table.name}'
                        for other in slide.pushed_along(self._all_on_table())
                        if not is_on_top(table, weight_xy(other), EDGE_M))

    def _unlike_targets(self, spec: SkillSpec, args: Mapping[str, Any]) -> Iterator[str]:
        """Why the object cannot slide to the target: that is below it, or not on its table."""
        thing = self._known(spec.effect.name('object', args) or '')
        target, table = self._known(spec.effect.name('target', args) or ''), self.scene.table
        if not spec.effect.slides or thing is None or target is None or thing.name == target.name:
            return
        if target.shape is Shape.TABLE or is_resting_on(thing, target, self.scene):
            yield f'{thing.name} is on or in {target.name}, so it cannot be brought closer to it'
        elif (table is not None and self._on_table(thing.name) is not None
              and (target.bottom_z < table.top_z - RESTING_GAP_M
                   or not is_on_top(table, target.position[:2], 0.0))):
            yield f'{target.name} does not stand on the {table.name}, where {thing.name} is'

    def end(self, spec: SkillSpec, args: Mapping[str, Any]) -> tuple[float, float] | None:
        """Where (x, y, m) the skill leaves an object on the table; None if that is not known."""
        if spec.effect.kind is EffectKind.PUT_AT:
            return spec.effect.point(args)
        slide = self.slide(spec, args)
        return slide.moved.position[:2] if slide is not None else None

    def slide(self, spec: SkillSpec, args: Mapping[str, Any]) -> Slide | None:
        """The slide over the table that the skill makes; None if it makes none, or unknown."""
        thing = self._on_table(spec.effect.name('object', args) or '')
        target = self._known(spec.effect.name('target', args) or '')
        return slide_of(spec, args, thing, target) if thing is not None else None

    def _is_carried_on_hand(self, name: str | None) -> bool:
        """Whether the object rests on or in the held one, in which case it moves with it."""
        thing, held = self.scene.get(name or ''), self.scene.get(self.held or '')
        if thing is None or held is None or thing is held:
            return False
        spot = self.spots.get(thing.name)
        return (spot.target == held.name if spot is not None
                else is_resting_on(thing, held, self.scene))

    def _all_on_table(self) -> list[SceneObject]:
        return [o for o in map(self._on_table, self.scene.names()) if o is not None]

    def _on_table(self, name: str) -> SceneObject | None:
        """The object where it stands on the table now; None if it does not, or unknown."""
        thing, table = self._known(name), self.scene.table
        if thing is None or table is None:
            return None
        stands = name in self.spots or is_resting_on(thing, table, self.scene)
        return thing if stands else None

    def _known(self, name: str) -> SceneObject | None:
        """The object where it is now; None if that is not known."""
        thing, table, spot = self.scene.get(name), self.scene.table, self.spots.get(name)
        if thing is None or spot is None:
            return thing
        at = spot.position or spot.about
        return standing_at(thing, at, table) if at is not None and table is not None else None

    def judge(self, goal: Goal) -> bool | None:
        """True or False if certain, else None."""
        return judge_by(goal, self.scene, self._judge_simple)

    def _judge_simple(self, goal: Goal) -> bool | None:
        if self.lost or goal.predicate is Predicate.HOME:
            return None
        if goal.predicate is Predicate.HOLDING:
            return self.held == goal.object if goal.object else self.held is not None
        if goal.predicate not in (*SUPPORTED, Predicate.AT):
            unsure = self.spots and goal.predicate is not Predicate.IS
            return None if unsure else judge_one(goal, self.scene)
        spot = self.spots.get(goal.object or '')
        if spot is None:
            return None if goal.target in self.spots else judge_one(goal, self.scene)
        if spot.held:
            return False
        return self._at(goal, spot) if goal.predicate is Predicate.AT else self._on(goal, spot)

    def _at(self, goal: Goal, spot: Spot) -> bool | None:
        where, slack = spot.position, AT_TOLERANCE_M
        below = self.scene.get(spot.target or '')
        if below is not None and below.shape is not Shape.TABLE and below.name not in self.spots:
            where, slack = below.position[:2], max(below.size[:2])
        if where is None or goal.position is None:
            return None
        off = math.dist(where, goal.position)
        if spot.position is not None and off <= AT_TOLERANCE_M:
            return True
        return False if off > AT_TOLERANCE_M + slack else None

    def _on(self, goal: Goal, spot: Spot) -> bool | None:
        if spot.target == goal.target:
            return True
        wanted, below = self.scene.get(goal.target or ''), self.scene.get(spot.target or '')
        if wanted is None or wanted.name in self.spots:
            return None
        if spot.position is not None:
            beside = math.dist(spot.position, wanted.position[:2]) > max(wanted.size[:2])
            return False if beside and wanted.shape is not Shape.TABLE else None
        if below is None or below.name in self.spots:
            return None
        nested = is_inside(below, wanted) or is_inside(wanted, below)
        return None if nested else False


def would_fall(thing: SceneObject | None, at: tuple[float, float], table: SceneObject) -> str:
    """Why it would fall with its middle there, however it is turned; '' if it would not.

    Without a thing, `at` is below its weight.
    """
    edge_m = EDGE_M + (weight_off_m(thing) if thing is not None else 0.0)
    if is_on_top(table, at, edge_m):
        return ''
    spans = ', '.join(f'{axis} {c - h:.2f} to {c + h:.2f}' for axis, c, h in
                      zip('xy', table.position, table.half_extents_in_base()))
    return (f'it would fall: ({at[0]:.2f}, {at[1]:.2f}) is not over the {table.name} and '
            f'{edge_m * 1000:.0f} mm from its edge; it spans {spans} m')


def placement_spot(spec: SkillSpec, args: Mapping[str, Any]) -> Spot | None:
    """Where the skill puts the held object; None if it puts nothing down."""
    effect, point = spec.effect, spec.effect.point(args)
    if not effect.puts:
        return None
    if effect.kind is EffectKind.PUT_AT:
        return Spot(position=point) if point is not None else None
    target = effect.name('target', args)
    return Spot(target) if target is not None else None


def forecast(steps: Iterable[Step], scene: Scene, specs: Iterable[SkillSpec]) -> Forecast:
    """What is certain after the steps, which start in the scene."""
    known = {spec.name: spec for spec in specs}
    coming = Forecast(scene, scene.held)
    for step in steps:
        coming = coming.after(step, known.get(step.skill))
    return coming
