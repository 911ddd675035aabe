# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A blocked step to plan around: its goal in words, its score, and its options."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import FailedStage, SkillSpec
from replan_agent.domain.skill_effect import Effect
from replan_agent.geometry.judging import carried_by
from replan_agent.geometry.room.free_place import KeepAway
from replan_agent.geometry.steps.after_step import brought_to, put_down, set_by
from replan_agent.geometry.support import footprint

from . import options, pushes
from . import score as scores
from .local_skills import LocalSkills
from .options import KEEP_CLEAR_M, Proposal

PLANNED = (FailedStage.PRECONDITION, FailedStage.PLANNING)  # failed before anything moved


class BlockedStep(Protocol):
    @property
    def step(self) -> Step: ...

    @property
    def goal(self) -> str:
        """The condition to reach, in words."""

    def loss(self, scene: Scene) -> float:
        """What is missing for the goal, in points: 0 if nothing is."""

    def is_hopeless(self, scene: Scene) -> bool:
        """Whether the scene shows that the step is not possible: foresight need not be asked."""

    def done(self, scene: Scene) -> Scene:
        """The scene after the step, as far as it moves something."""

    def proposals(self, scene: Scene, ctx: Context) -> Iterator[Proposal]:
        """The options that may reach the goal from here. `ctx` is checked for every object."""

    def variations(self, scene: Scene, ctx: Context) -> Iterator[Proposal]:
        """Other ways to do the step, if it is possible but failed."""

    @property
    def needs_a_look(self) -> bool:
        """Whether only a look at what it is about, in another place, can show a way."""


@dataclass(frozen=True)
class BlockedTake:
    """Taking an object fails. `named` are the objects that the failure names.

    `later` are the places that the task needs: nothing is put there.
    """

    step: Step
    case: FailureCase
    skill: SkillSpec
    skills: LocalSkills
    named: tuple[str, ...] = ()
    later: KeepAway = ()

    @property
    def goal(self) -> str:
        return f'{self.skill.acts_on(self.step.args)} can be grasped'

    def loss(self, scene: Scene) -> float:
        thing = self._thing(scene)
        return scores.pick_loss(thing, scene) if thing else math.inf

    def is_hopeless(self, scene: Scene) -> bool:
        thing = self._thing(scene)
        return thing is None or (not thing.is_container and bool(carried_by(thing, scene)))

    def done(self, scene: Scene) -> Scene:
        return scene

    def proposals(self, scene: Scene, ctx: Context) -> Iterator[Proposal]:
        thing, held = self._thing(scene), scene.in_hand
        if thing is None or thing is held:
            return
        around = ((thing.position[:2], 2 * footprint(thing) + KEEP_CLEAR_M), *self.later)
        if held is not None:
            yield from options.putting_down(held, scene, around, self.skills)
            return
        if self.needs_a_look:
            yield from self._slides(thing, scene)
            return
        if self._is_narrowed():
            yield from options.other_grasps(self.step, self.skill, scene, (self.case.attempt,))
        close = {o.name for way in scores.blocking(thing, scene) for o in way}
        for other in options.neighbours(thing, scene, self.named):
            ctx.check()
            yield from options.clearing(other, scene, around, self.skills, self.case.goals)
            yield from pushes.sliding(other, scene, 'push_obstacle',
                                      f'{other.name} is in the way', self.skills,
                                      away_from=thing.position[:2], keep_away=self.later)
            yield from pushes.pushing_rows(other, thing.name, close, scene, self.skills,
                                           self.later)
        yield from self._slides(thing, scene)

    def variations(self, scene: Scene, ctx: Context) -> Iterator[Proposal]:
        yield from options.going_home(scene, self.skills)
        thing = self._thing(scene)
        if self.case.attempt.failed_stage not in PLANNED and thing is not None:
            tried = (*self.case.earlier, self.case.attempt)
            yield from options.other_grasps(self.step, self.skill, scene, tried)
            yield from self._slides(thing, scene)

    @property
    def needs_a_look(self) -> bool:
        """Whether it shows no grasp as it lies: from another side it may show one."""
        return 'narrowest_width' in self.case.attempt.evidence

    def _slides(self, thing: SceneObject, scene: Scene) -> Iterator[Proposal]:
        yield from pushes.pulling(thing, scene, self.skills)
        yield from pushes.sliding(thing, scene, 'push_object',
                                  f'{thing.name} cannot be grasped where it is', self.skills)

    def _thing(self, scene: Scene) -> SceneObject | None:
        return scene.get(self.skill.acts_on(self.step.args) or '')

    def _is_narrowed(self) -> bool:
        """Whether the step asks for one of several variants, so that others are left."""
        chosen = {name for changes in self.skill.variants.values() for name in changes}
        given = chosen & set(self.step.args)
        return any('enum' in self.skill.argument_schema(name) for name in given)


@dataclass(frozen=True)
class BlockedPlace:
    """Putting an object down fails. `carried` is that object, `later` as for a take."""

    step: Step
    effect: Effect
    skills: LocalSkills
    named: tuple[str, ...]
    carried: str
    later: KeepAway = ()

    @property
    def goal(self) -> str:
        point = self.effect.point(self.step.args)
        where = f'({point[0]:g}, {point[1]:g})' if point else self._target()
        return f'{self.carried} can be put down at {where}'

    needs_a_look = False

    def _target(self) -> str | None:
        return self.effect.name('target', self.step.args)

    def loss(self, scene: Scene) -> float:
        carried = scene.get(self.carried)
        return scores.place_loss(self.step, self.effect, carried, scene) if carried else math.inf

    def is_hopeless(self, scene: Scene) -> bool:
        return scene.held != self.carried

    def done(self, scene: Scene) -> Scene:
        return put_down(scene, self.carried, self._target(), self.effect.point(self.step.args))

    def proposals(self, scene: Scene, ctx: Context) -> Iterator[Proposal]:
        carried, held = scene.get(self.carried), scene.in_hand
        if carried is None:
            return
        at = scores.target_point(self.step, self.effect, scene)
        itself = ((at, 2 * footprint(carried) + KEEP_CLEAR_M),) if at else ()
        around = (*itself, *self.later)
        if held is not None and held.name != carried.name:
            yield from options.putting_down(held, scene, around, self.skills)
            return
        if held is None:
            yield from options.taking_again(carried, scene, self.skills)
        in_the_way = self._in_the_way(carried, scene)
        for other in in_the_way:
            ctx.check()
            if held is not None:
                yield from options.freeing(at, other, carried, scene, self.skills, self.later)
                continue
            yield from _moved_away(other, scene, around, self)
        if held is not None:
            if in_the_way:
                yield from options.putting_down(held, scene, around, self.skills)
            yield from options.regrasping(at, carried, scene, self.skills)

    def _in_the_way(self, carried: SceneObject, scene: Scene) -> list[SceneObject]:
        """What must be moved: what stands there, what the failure names, what rests on these."""
        standing = scores.occupants(self.step, self.effect, carried, scene)
        others = [scene.get(name) for name in self.named if name != self._target()]
        found = [*standing, *(o for o in others if o is not None and o not in standing)]
        return [o for o in scores.with_loads(found, scene, carried) if o.movable]

    def variations(self, scene: Scene, ctx: Context) -> Iterator[Proposal]:
        carried = scene.get(self.carried)
        yield from options.going_home(scene, self.skills)
        at = scores.target_point(self.step, self.effect, scene)
        if carried is not None:
            yield from options.regrasping(at, carried, scene, self.skills)


@dataclass(frozen=True)
class BlockedSet:
    """Bringing a thing to another state fails: something is where it goes, or the hand.

    `carried` is what the hand must hold for it: a tool.
    """

    step: Step
    effect: Effect
    skills: LocalSkills
    named: tuple[str, ...]
    before: Scene
    later: KeepAway = ()
    carried: str | None = None

    @property
    def goal(self) -> str:
        return f'{self.effect.name("object", self.step.args)} can be {self.effect.state}'

    needs_a_look = False

    def loss(self, scene: Scene) -> float:
        there = [(self.before.get(name), scene.get(name)) for name in self.named]
        return float(sum(b is not None and a is not None and math.dist(
            b.position, a.position) < KEEP_CLEAR_M for b, a in there))

    def is_hopeless(self, scene: Scene) -> bool:
        return scene.held != self.carried

    def done(self, scene: Scene) -> Scene:
        return brought_to(set_by(self.effect, self.step.args), scene)

    def proposals(self, scene: Scene, ctx: Context) -> Iterator[Proposal]:
        name, held = self.effect.name('object', self.step.args) or '', scene.in_hand
        ways = [thing for thing in (scene.get(name), self.done(scene).get(name)) if thing]
        around = (*((o.position[:2], footprint(o) + KEEP_CLEAR_M) for o in ways), *self.later)
        tool = scene.get(self.carried or '')
        if held is not None and held != tool:
            yield from options.putting_down(held, scene, around, self.skills)
            return
        if held is None and tool is not None:
            yield from options.taking_again(tool, scene, self.skills)
        for other in (o for o in scene.movable() if o.name in self.named):
            ctx.check()
            if held is not None:
                yield from options.freeing(None, other, held, scene, self.skills, around)
                continue
            yield from _moved_away(other, scene, around, self)
            yield from pushes.pulling(other, scene, self.skills)

    def variations(self, scene: Scene, ctx: Context) -> Iterator[Proposal]:
        yield from options.going_home(scene, self.skills)


def _moved_away(other: SceneObject, scene: Scene, around: KeepAway,
                blocked: BlockedPlace | BlockedSet) -> Iterator[Proposal]:
    """What is in the way, taken or pushed aside."""
    yield from options.clearing(other, scene, around, blocked.skills)
    yield from pushes.sliding(other, scene, 'push_obstacle', f'{other.name} is in the way',
                              blocked.skills, keep_away=blocked.later)
