"""A blocked step as something to plan around: its goal in words, its score, its ways out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from replan_agent.domain.plan import Step
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import FailedStage
from replan_agent.domain.support import footprint

from . import options
from .imagination import Point
from .options import KEEP_CLEAR_M, Proposal
from .score import occupants, pick_score, place_score

PLANNED = (FailedStage.PRECONDITION, FailedStage.PLANNING)  # failed before anything moved


class BlockedStep(Protocol):
    @property
    def step(self) -> Step: ...

    @property
    def goal(self) -> str:
        """The condition to bring about, in words."""

    def score(self, scene: Scene) -> float:
        """How close the geometry of the scene is to it, 0 to 9."""

    def proposals(self, scene: Scene) -> Iterator[Proposal]:
        """What may bring it about from here."""

    def variations(self, scene: Scene) -> Iterator[Proposal]:
        """Other ways to do the step where it can be done and yet failed."""


@dataclass(frozen=True)
class BlockedPick:
    """A pick that fails; `named` are the things that its failure names."""

    step: Step
    case: FailureCase
    named: tuple[str, ...] = ()

    @property
    def goal(self) -> str:
        return f'{self.step.args["object"]} can be grasped'

    def score(self, scene: Scene) -> float:
        thing = self._thing(scene)
        return pick_score(thing, scene) if thing else 0.0

    def proposals(self, scene: Scene) -> Iterator[Proposal]:
        thing, held = self._thing(scene), scene.get(scene.held or '')
        if thing is None or thing is held:
            return
        around = ((_at(thing), 2 * footprint(thing) + KEEP_CLEAR_M),)
        if held is not None:
            yield from options.putting_down(held, scene, around)
            return
        if 'grasp' in self.step.args:
            yield from options.other_grasps(self.step, scene, (self.case.attempt,))
        for other in options.neighbours(thing, scene, self.named):
            yield from options.clearing(other, scene, around)
            yield from options.sliding(other, scene, 'push_obstacle',
                                       f'{other.name} is in the way', away_from=thing)
        yield from options.pulling(thing, scene)
        yield from options.sliding(thing, scene, 'push_object',
                                   f'{thing.name} cannot be grasped where it is')

    def variations(self, scene: Scene) -> Iterator[Proposal]:
        yield from options.going_home(scene)
        if self.case.attempt.failed_stage not in PLANNED:
            tried = (*self.case.earlier, self.case.attempt)
            yield from options.other_grasps(self.step, scene, tried)

    def _thing(self, scene: Scene) -> SceneObject | None:
        return scene.get(str(self.step.args['object']))


@dataclass(frozen=True)
class BlockedPlace:
    """A placing that fails; `carried` is what it was to put down."""

    step: Step
    case: FailureCase
    named: tuple[str, ...]
    carried: str

    @property
    def goal(self) -> str:
        where = self.step.args.get('target') or '({x:g}, {y:g})'.format(**self.step.args)
        return f'{self.carried} can be put down at {where}'

    def score(self, scene: Scene) -> float:
        carried = scene.get(self.carried)
        return place_score(self.step, carried, scene) if carried else 0.0

    def proposals(self, scene: Scene) -> Iterator[Proposal]:
        carried, held = scene.get(self.carried), scene.get(scene.held or '')
        if carried is None:
            return
        if held is None:
            yield from options.taking_again(carried, scene)
            return
        if held.name != carried.name:
            yield from options.putting_down(held, scene, ())
            return
        standing = occupants(self.step, carried, scene)
        others = [scene.get(name) for name in self.named if name != self.step.args.get('target')]
        for other in [*standing, *(o for o in others if o is not None and o not in standing)]:
            if other.movable:
                yield from options.freeing(self.step, other, carried, scene)
        yield from options.regrasping(self.step, carried, scene)

    def variations(self, scene: Scene) -> Iterator[Proposal]:
        carried = scene.get(self.carried)
        yield from options.going_home(scene)
        if carried is not None:
            yield from options.regrasping(self.step, carried, scene)


def _at(thing: SceneObject) -> Point:
    return thing.position[:2]
