# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""SKIP: the steps of a running plan whose result the scene shows meanwhile."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, takewhile

from replan_agent.domain import event as events
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillSpec
from replan_agent.geometry.judging import is_inside, is_resting_on, judge
from replan_agent.geometry.steps.forecast import Forecast, Spot, placement_spot
from replan_agent.geometry.support import footprint

from .episode import Episode
from .looking import look

NOT_NEEDED = 'not needed any more: the scene shows its result already'
CLEAR_M = 0.02  # the fingers reach a little below the point between them
HAND_M = 0.10


class Skipping:
    """Which steps of one plan are skipped. Only a look since the last motion shows that."""

    def __init__(self, ep: Episode, plan: Plan) -> None:
        self._ep, self._plan = ep, plan
        self._begun = ep.scene
        self.skipped: set[int] = set()

    def skips(self, index: int, held: str | None = None) -> bool:
        """Whether the step at `index` is skipped; that is recorded.

        `held` is what the hand held before it, if the step was tried and failed.
        """
        if index not in self.skipped:
            self.skipped |= self._needless_by_two_looks(index, held)
        if index not in self.skipped:
            return False
        step = self._plan.steps[index]
        self._ep.record(events.StepSkipped(index, self._plan.version, step, NOT_NEEDED))
        return True

    def _needless_by_two_looks(self, index: int, held: str | None) -> set[int]:
        """The indices from this one on, without a gap. One look may be wrong, so it looks again.

        A perception that asks a model is not asked again: then nothing is skipped.
        """
        if self._ep.ports.perception.uses_model:
            return set()
        found = self._needless(index, held)
        if found:
            look(self._ep)
            found &= self._needless(index, held)
        return set(takewhile(found.__contains__, count(index)))

    def _needless(self, index: int, held: str | None) -> set[int]:
        """The indices, from this one on, whose results the last look shows."""
        ep, rest = self._ep, self._plan.steps[index:]
        now, specs = ep.scene, ep.specs
        if not ep.sight.just_looked:
            return set()
        found = {index + i for i in needless_steps(rest, self._begun, now, specs, ep.goals.all,
                                                   ep.sight.parts)}
        found = found if index in found else set()
        if is_done(rest[0], held, now, ep.spec_of(rest[0]), ep.goals.all):
            found.add(index)
        return found


@dataclass(frozen=True)
class _Move:
    """The steps at `indices` take `thing` and put it to `spot`."""

    thing: str
    spot: Spot
    indices: tuple[int, ...]


def needless_steps(rest: Sequence[Step], begun: Scene, now: Scene, skills: Sequence[SkillSpec],
                   goals: Sequence[Goal], parts: Collection[str] = ()) -> frozenset[int]:
    """The indices in `rest` of the steps that only do what the scene shows already, or move one of
    `parts`, which were no things.

    `begun` is the scene in which the plan began: what was so then is so on purpose. A step is
    left out only if the others still work without it, and reach the same goals.
    """
    if begun.stale or now.stale or not goals:
        return frozenset()
    specs = {spec.name: spec for spec in skills}
    drop: frozenset[int] = frozenset()
    moves = list(_moves(rest, now, specs))
    for thing in dict.fromkeys(move.thing for move in moves):
        own = [move for move in moves if move.thing == thing]
        spot = own[-1].spot
        if thing not in parts and (not spot.has(thing, now) or spot.has(thing, begun)):
            continue
        wanted = drop | {index for move in own for index in move.indices}
        if thing in parts or not _is_in_the_way(thing, rest, wanted, now, specs) \
                and _as_good(rest, wanted, drop, now, specs, goals):
            drop = wanted
    return drop


def is_done(step: Step, thing: str | None, now: Scene, spec: SkillSpec | None,
            goals: Sequence[Goal]) -> bool:
    """Whether a step that failed put the thing down where it belongs all the same.

    The goals about it must show that, and the hand must be clear of it.
    """
    spot = placement_spot(spec, step.args) if spec is not None else None
    if spot is None or thing is None or now.stale or now.held is not None:
        return False
    about = [goal for goal in goals if goal.object == thing]
    return (bool(about) and spot.has(thing, now) and all(judge(g, now) for g in about)
            and _is_clear(thing, now))


def _is_clear(name: str, scene: Scene) -> bool:
    """Whether the hand is away from the object: above it, or beside it."""
    thing, arm = scene.get(name), scene.arm
    if thing is None or arm is None:
        return False
    x, y, z = arm.tcp.position
    beside = math.dist((x, y), thing.position[:2]) - footprint(thing)
    return z > thing.top_z + CLEAR_M or beside > HAND_M


def _moves(rest: Sequence[Step], now: Scene, specs: Mapping[str, SkillSpec]) -> Iterator[_Move]:
    """Each object that is taken and put down by `rest`, with nothing else in between."""
    taken: tuple[str, int] | None = None
    for index, step in enumerate(rest):
        spec = specs.get(step.skill)
        if spec is None:
            return
        thing, spot = spec.effect.name('object', step.args), placement_spot(spec, step.args)
        if spec.effect.takes and thing is not None:
            taken = (thing, index)
        elif spot is not None and taken is not None:
            yield _Move(taken[0], spot, (taken[1], index))
            taken = None
        elif not spec.effect.touches_nothing:
            taken = None


def _is_in_the_way(name: str, rest: Sequence[Step], wanted: frozenset[int], now: Scene,
                   specs: Mapping[str, SkillSpec]) -> bool:
    """Whether one of the other steps moves what the object is on or in."""
    thing = now.get(name)
    moved = (specs[step.skill].moves(step.args) for i, step in enumerate(rest)
             if i not in wanted and step.skill in specs)
    below = [o for o in map(now.get, filter(None, moved)) if o is not None]
    return thing is None or any(is_resting_on(thing, o, now) or is_inside(thing, o) for o in below)


def _as_good(rest: Sequence[Step], wanted: frozenset[int], drop: frozenset[int], now: Scene,
             specs: Mapping[str, SkillSpec], goals: Sequence[Goal]) -> bool:
    """Whether the rest without `wanted` can run, and is no worse for any goal."""
    before, after = (Forecast(now, now.held) for _ in range(2))
    for index, step in enumerate(rest):
        spec = specs.get(step.skill)
        if index not in drop:
            before = before.after(step, spec)
        if index in wanted:
            continue
        if spec is not None and not step.is_replan and any(after.objections(spec, step.args)):
            return False
        after = after.after(step, spec)
    return not any(after.judge(g) is False and before.judge(g) is not False for g in goals)
