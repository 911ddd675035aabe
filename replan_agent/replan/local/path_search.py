# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Looks several actions ahead over imagined scenes, best first.

A node is a scene that a few options should lead to. Whether an option is possible is foreseen only
when it is its turn, because foresight is what takes the time.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, starmap, takewhile
from typing import Any

from replan_agent.agent.ports import Foresight
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene

from .options import HANDLES, PREPARES, SLIDES_TARGET, Check, Proposal

MOST_ACTIONS = 10  # on one path
ACTION = 1.0  # points that an option costs: fewer actions are better

Path = tuple[Proposal, ...]
Poses = dict[str, Pose]


@dataclass(frozen=True)
class OptionLimits:
    """When a search ends: after so many foresights, or so many seconds."""

    foresights: int
    seconds: float


LIMITS = OptionLimits(foresights=150, seconds=30.0)


@dataclass
class Foreseeing:
    """Foresight with a count: whether a step is possible, and what was named as in the way.

    A step that failed is not foreseen again while its object and all that blocked it are where
    they were.
    """

    foresight: Foresight
    ctx: Context
    limits: OptionLimits = LIMITS
    asked: int = 0
    blockers: set[str] = field(default_factory=set)
    failures: dict[str, list[Poses]] = field(default_factory=dict)
    found: Mapping[str, Any] = field(default_factory=dict)  # the evidence of the last one

    def __post_init__(self) -> None:
        self._ends = self.ctx.now() + self.limits.seconds

    def can(self, step: Step, scene: Scene) -> bool:
        """Whether the step is possible in that scene. Raises if cancelled."""
        self.ctx.check()
        call = f'{step.call} with {scene.held}'
        if any(all((thing := scene.get(name)) is not None and thing.pose == pose
                   for name, pose in poses.items()) for poses in self.failures.get(call, ())):
            return False  # all is where it was
        self.asked += 1
        result = self.foresight.foresee(step, scene, self.ctx)
        self.found = result.evidence
        if not result.success and result.blockers:
            self.blockers |= set(result.blockers)
            names = [*result.blockers, *map(str, step.args.values()), scene.held or '']
            self.failures.setdefault(call, []).append(
                {o.name: o.pose for o in map(scene.get, names) if o is not None})
        return result.success

    @property
    def spent(self) -> bool:
        return self.asked >= self.limits.foresights or self.ctx.now() >= self._ends


def held_as(then: Scene, found: Mapping[str, Any]) -> Scene:
    """With the hand at the thing as a take was foreseen, if `found` is the evidence of one."""
    arm, at = then.arm, tuple(found.get('tcp', ()))
    return then if arm is None or not at else replace(then, arm=replace(
        arm, tcp=Pose(at[:3], at[3:]), gripper_width=found['width']))


@dataclass(frozen=True)
class FoundOptions:
    """The path to a scene in which the goal is met; without one, the best first action.

    `complete`: all imagined scenes were looked at, so that there is no path.
    """

    path: Path = ()
    best: Proposal | None = None
    complete: bool = False


@dataclass(order=True)
class _Turn:
    """An option whose turn comes: several ways to do the same, from the end of a path."""

    points: float
    number: int
    ways: Sequence[Proposal] = field(compare=False)
    path: Path = field(compare=False)
    cost: float = field(compare=False)


class OptionSearch:
    """A search for options that lead to a goal.

    `proposals` gives the options in a scene, `loss` the points that are missing there, `price`
    those that an option costs beyond its action, `is_met` judges a scene by foresight.
    """

    def __init__(self, proposals: Callable[[Scene], Iterable[Proposal]],
                 loss: Callable[[Scene], float], price: Callable[[Proposal], float],
                 is_met: Callable[[Scene], bool], foreseeing: Foreseeing) -> None:
        self._proposals, self._loss, self._price = proposals, loss, price
        self._is_met, self._foreseeing = is_met, foreseeing
        self._turns: list[_Turn] = []
        self._put_off: list[_Turn] = []
        self._numbers = count()
        self._seen: set[tuple[str, ...]] = set()
        self._impossible: dict[tuple[str, ...], float] = {}  # ways, from which distance on

    def find(self, start: Scene, least_gain: float) -> FoundOptions:
        """A path from here. The best first action must gain more points than `least_gain`."""
        now, best, best_gain = self._loss(start), None, least_gain
        self._expand(start, (), 0.0)
        while self._has_turns() and not self._foreseeing.spent:
            turn = heapq.heappop(self._turns)
            before, option = [p.option.name for p in turn.path], turn.ways[0].option
            key, way = tuple(sorted([*before, option.name])), (*before, option.way)
            far = turn.ways[0].distance_m
            if key in self._seen or far >= self._impossible.get(way, math.inf):
                continue
            proposal = self._possible(turn.ways)
            if proposal is None:
                self._impossible[way] = far  # a shorter one may be possible
                continue
            self._seen.add(key)  # the same actions in another order lead to the same scene
            path, then = (*turn.path, proposal), proposal.leads_to
            if proposal.option.changes or self._is_met(then):
                return FoundOptions(path)
            gain = now - self._loss(then)
            if len(path) == 1 and gain > best_gain:
                best, best_gain = proposal, gain
            if len(path) < MOST_ACTIONS:
                self._expand(then, path, turn.cost)
        return FoundOptions((), best, complete=not self._has_turns())

    def _has_turns(self) -> bool:
        """Whether an option is left. When no other is, those whose objects were named since, and
        those that slide the blocked object itself: what is in its way may have to stay."""
        if not self._turns:
            named = [turn for turn in self._put_off if self._is_named(turn.ways[0])
                     or turn.ways[0].option.kind in SLIDES_TARGET and not turn.path]
            self._put_off = [turn for turn in self._put_off if turn not in named]
            self._turns = sorted(named)  # which is a heap
        return bool(self._turns)

    def _expand(self, scene: Scene, path: Path, cost: float) -> None:
        """Add the options in a scene. Ways to do the same thing are one option.

        One that gains nothing is put off until foresight names its object as in the way.
        """
        now = self._loss(scene)
        found: dict[str, list[Proposal]] = {}
        moved = {(p.option.kind, p.option.object) for p in path if p.option.steps}
        for proposal in self._proposals(scene):
            if (proposal.option.kind, proposal.option.object) in moved or (
                    path and path[-1].option.object == proposal.option.object
                    and {path[-1].option.kind, proposal.option.kind} <= set(HANDLES)):
                continue  # it would only move it to and fro
            found.setdefault(proposal.option.name, []).append(proposal)
        for ways in found.values():
            own, option = cost + ACTION + self._price(ways[0]), ways[0].option
            loss = self._loss(ways[0].leads_to)
            turn = _Turn(own + loss, next(self._numbers), ways, path, own)
            if (loss < now or option.changes or option.kind in PREPARES
                    or self._is_named(ways[0])):
                heapq.heappush(self._turns, turn)
            else:
                self._put_off.append(turn)

    def _is_named(self, proposal: Proposal) -> bool:
        return proposal.option.object in self._foreseeing.blockers

    def _possible(self, ways: Sequence[Proposal]) -> Proposal | None:
        """The first way whose own steps are possible. A first step is not tried again."""
        failed: list[tuple[Check, ...]] = []
        for proposal in (way for way in ways if way.checks[:1] not in failed):
            possible = [*takewhile(bool, starmap(self._foreseeing.can, proposal.checks))]
            if len(possible) == len(proposal.checks):
                return replace(proposal, leads_to=held_as(
                    proposal.leads_to, self._foreseeing.found))
            failed += [] if possible else [proposal.checks[:1]]
        return None
