"""Which completed steps the scene contradicts: an object fell, slipped out, or was moved away."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import CompletedStep
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import FailedStage, SkillSpec, find_spec
from replan_agent.domain.skill_effect import Effect

from ..judging import judge
from ..support import footprint

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
    by_arm = {name for name, _ in tried}
    moved = {name for name, stage in tried
             if stage not in (FailedStage.PRECONDITION, FailedStage.PLANNING)}
    _, undone = split_undone(completed, scene, skills)
    reached = [o for name in moved if (o := scene.get(name)) is not None]
    things = dict.fromkeys(handled_by(done, skills) for done in undone
                           if effect_of(done, skills).puts
                           and not _is_over(reached, _container(done, skills, scene)))
    return '; '.join(BY_ANOTHER.format(thing=thing) for thing in things
                     if thing is not None and thing not in by_arm)


def _container(done: CompletedStep, skills: Sequence[SkillSpec], scene: Scene
               ) -> SceneObject | None:
    """The container that the step put something into; None if it did not."""
    around = scene.get(effect_of(done, skills).name('target', done.step.args) or '')
    return around if around is not None and around.is_container else None


def _is_over(things: Iterable[SceneObject], container: SceneObject | None) -> bool:
    return container is not None and any(thing is not container and math.dist(
        thing.position[:2], container.position[:2]) < footprint(container) for thing in things)


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
        return judge(Goal(Predicate.IS, thing, state=effect.state), scene) is False
    target, point = effect.name('target', args), effect.point(args)
    if not effect.puts or thing not in scene.names():
        return False
    if target is not None:
        return judge(Goal(Predicate.ON, thing, target), scene) is False
    return point is not None and judge(Goal(Predicate.AT, thing, position=point), scene) is False
