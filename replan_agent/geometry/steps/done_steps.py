# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What completed steps did: which orders of a task, and what of it the scene contradicts.

An object fell, slipped out, or was moved away: that step is undone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import SUPPORTED, Goal, Predicate
from replan_agent.domain.orders import Movement, Order
from replan_agent.domain.plan import CompletedStep
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import FailedStage, SkillSpec, find_spec
from replan_agent.domain.skill_effect import PUTS, Effect, EffectKind

from ..judging import judge
from ..support import footprint
from .after_step import set_by

# Who undid a step, as planners and people are told it.
BY_ANOTHER = 'no step of the arm moved the {thing} since: another agent did, or it moved by itself'


def split_undone(completed: Sequence[CompletedStep], scene: Scene, skills: Iterable[SkillSpec]
                 ) -> tuple[tuple[CompletedStep, ...], tuple[CompletedStep, ...]]:
    """The steps that still stand, and those that were undone since, each in order.

    For each object its last step counts, and the grasp right before it. What the scene does not
    show still stands.
    """
    if scene.stale:
        return tuple(completed), ()
    specs = tuple(skills)
    of_object: dict[str, list[int]] = {}
    for index, done in enumerate(completed):
        thing = handled_by(done, specs)
        if thing is not None:
            of_object.setdefault(thing, []).append(index)
    undone: set[int] = set()
    for thing, indices in of_object.items():
        last = completed[indices[-1]]
        if _is_undone(thing, last, effect_of(last, specs), scene):
            before = indices[-2] if len(indices) > 1 else None
            grasp = before is not None and effect_of(completed[before], specs).takes
            undone |= {indices[-1], *([before] if grasp and before is not None else [])}
    return (tuple(done for i, done in enumerate(completed) if i not in undone),
            tuple(done for i, done in enumerate(completed) if i in undone))


def undone_by_another(completed: Sequence[CompletedStep], scene: Scene,
                      skills: Sequence[SkillSpec], attempts: Sequence[Attempt]) -> str:
    """Which objects another agent moved away after a step, in a sentence; '' if none.

    If a step of the arm failed on an object, or on another one in or over its container, it may
    have been the arm. What only the hand lost has slipped.
    """
    tried = [(name, a.failed_stage) for a in attempts
             for name in a.objects(find_spec(skills, a.skill))]
    moved = {name for name, stage in tried
             if stage not in (FailedStage.PRECONDITION, FailedStage.PLANNING)}
    _, undone = split_undone(completed, scene, skills)
    reached = [o for name in moved if (o := scene.get(name)) is not None]
    things = dict.fromkeys(handled_by(done, skills) for done in undone
                           if effect_of(done, skills).puts
                           and not _is_reached(reached, done, skills, scene))
    return '; '.join(f'{BY_ANOTHER.format(thing=o.name)}; it is at ({o.position[0]:.2f}, '
                     f'{o.position[1]:.2f}, {o.position[2]:.2f}) m' for o in filter(
                         None, map(scene.get, filter(None, things))) if o.name not in dict(tried))


def _is_reached(things: Iterable[SceneObject], done: CompletedStep, skills: Sequence[SkillSpec],
                scene: Scene) -> bool:
    """Whether one of the things is over the container that the step put something into."""
    box = scene.get(effect_of(done, skills).name('target', done.step.args) or '')
    return box is not None and box.is_container and any(thing is not box and math.dist(
        thing.position[:2], box.position[:2]) < footprint(box) for thing in things)


def effect_of(done: CompletedStep, specs: Iterable[SkillSpec]) -> Effect:
    """What the step does; nothing if its skill is not known."""
    spec = find_spec(specs, done.step.skill)
    return spec.effect if spec is not None else Effect()


def handled_by(done: CompletedStep, specs: Iterable[SkillSpec]) -> str | None:
    """The object that the step took, moved or put down; None if it handled none."""
    effect = effect_of(done, specs)
    return effect.name('object', done.step.args) or (None if effect.touches_nothing else done.held)


def _is_undone(thing: str, done: CompletedStep, effect: Effect, scene: Scene) -> bool:
    args = done.step.args
    if effect.takes:
        return scene.held != thing
    if effect.state:
        return judge(replace(set_by(effect, args), object=thing), scene) is False
    target, point = effect.name('target', args), effect.point(args)
    if not effect.puts or thing not in scene.names():
        return False
    if target is not None:
        return judge(Goal(Predicate.ON, thing, target), scene) is False
    return point is not None and judge(Goal(Predicate.AT, thing, position=point), scene) is False


@dataclass
class OrderProgress:
    """Each order claims the steps that did it; later orders look only at those after them."""

    completed: tuple[CompletedStep, ...]
    skills: Sequence[SkillSpec]
    _read: int = 0
    _read_before: int = 0  # without the last order

    @property
    def rest(self) -> tuple[CompletedStep, ...]:
        return self.completed[self._read:]

    def held_at_first(self, scene: Scene) -> tuple[str, ...]:
        """What the gripper held when the task began: the meaning of "it" at the start."""
        held = self.completed[0].held if self.completed else scene.held
        return (held,) if held is not None and held in scene.names() else ()

    def claim(self, order: Order, scene: Scene, redo: bool = False) -> bool:
        """Whether the completed steps did the order. `redo`: the last one is part of this one."""
        if redo:
            self._read = self._read_before
        self._read_before = self._read
        wanted = [order.movement] if order.movement is not None else [
            part for goal in order.goals for part in goal.named(scene)]
        found = [at for one in wanted if (at := next((
            i for i, done in enumerate(self.rest) if self._does(done, one)), None)) is not None]
        if not wanted or len(found) < len(wanted):
            return False
        self._read += max(found) + 1
        return True

    def _does(self, done: CompletedStep, wanted: Goal | Movement) -> bool:
        """Whether the step's effect is what is wanted."""
        effect, args = effect_of(done, self.skills), done.step.args
        handled = handled_by(done, self.skills)
        if isinstance(wanted, Movement):
            same = wanted.thing in (None, handled) or wanted.kind is EffectKind.RELEASE
            return (effect.kind is wanted.kind and same and wanted.kind is not None
                    and effect.value('direction', args) == wanted.direction
                    and effect.name('target', args) == wanted.target)
        if wanted.predicate is Predicate.HOME:
            return effect.kind is EffectKind.GO_HOME
        if handled != wanted.object:
            return False
        if effect.kind is EffectKind.SET or wanted.predicate is Predicate.IS:
            return (effect.state == (wanted.state or wanted.predicate.value)
                    and effect.value('yaw', args) == wanted.degrees)
        if wanted.predicate is Predicate.HOLDING:
            return effect.takes
        if wanted.predicate in SUPPORTED and not wanted.negated:
            return effect.puts and effect.name('target', args) == wanted.target
        if wanted.predicate is Predicate.AT:
            return effect.puts and effect.point(args) == wanted.position
        return effect.kind in PUTS
