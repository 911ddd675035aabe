# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is known of the scene: the last look, and what earlier looks of the task showed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from replan_agent.domain.goal import Goal
from replan_agent.domain.scene import UNSEEN, Scene, SceneObject, was_felt
from replan_agent.geometry.judging import judge
from replan_agent.geometry.out_of_sight import became_one, not_seen_again, seen_as_others, unseen
from replan_agent.geometry.support import explains_m, felt_plate, is_near

SOON_S = 30.0  # what is gone later may only be forgotten: perception keeps what is hidden longer
BESIDE_M = 0.025  # what the hand does not come for explains a contact this close, too
MOST_FELT = 6


@dataclass
class SeenScenes:
    """What the looks of one task showed. PERCEIVE changes it.

    `just_looked`: nothing has moved since the last look. `scenes` are the first one and one after
    each step, `last_seen` has the latest with each thing, `first_seen` the first.
    `parts` were seen as things, but are parts of one; `doubtful` may be: they are hidden since
    that one was moved. `felt` is what the arm touched and no look shows: it is in every scene.
    `recaptures` are the looks after the first.
    """

    latest: Scene | None = None
    just_looked: bool = False
    recaptures: int = 0
    scenes: list[Scene] = field(default_factory=list)
    last_seen: dict[str, Scene] = field(default_factory=dict)
    first_seen: dict[str, Scene] = field(default_factory=dict)
    parts: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    felt: list[SceneObject] = field(default_factory=list)
    doubted: bool = False

    @property
    def now(self) -> Scene:
        if self.latest is None:
            raise RuntimeError('no scene yet: the loop perceives before anything else')
        return self.latest

    def take(self, scene: Scene) -> None:
        """A look shows this."""
        scene = replace(scene, objects=(*scene.objects, *self.felt))
        before, self.latest = self.latest, scene
        self.recaptures += before is not None
        self.just_looked = True
        self.scenes = self.scenes or [scene]
        if not scene.stale:
            hid = {o.name for o in unseen(scene)}
            shown = replace(scene, objects=scene.without(hid))
            lost = {name for name in self.last_seen if shown.get(name) is None}
            for last in {id(s): s for n, s in self.last_seen.items() if n in lost}.values():
                at_once = before is not None and last.stamp == before.stamp
                hidden = [o for n, s in self.last_seen.items() if n not in lost | self.parts
                          and last.get(n) is None and (o := s.get(n)) is not None]
                before_it = replace(last, objects=(*last.objects, *hidden))
                self.doubtful |= became_one(before_it, shown, at_once) & lost
            self.doubtful = {n for n in self.doubtful - set(shown.names()) if (
                thing := self.last_seen[n].get(n)) and scene.stamp - thing.seen_at <= SOON_S}
            self.parts = (self.parts | self.doubtful) - set(scene.names())
            self.last_seen |= dict.fromkeys(scene.names(), scene)
            self.first_seen = dict.fromkeys(scene.names(), scene) | self.first_seen

    def others(self, sure: bool = False) -> dict[str, str]:
        """What was seen and has a new name now; '': it is a part of another thing, or may be."""
        others = seen_as_others(self.last_seen, self.first_seen, self.now)
        others |= dict.fromkeys(self.parts, '')
        return {old: new for old, new in others.items() if new or not sure or old in self.parts}

    def lost(self, goals: Iterable[Goal]) -> list[SceneObject]:
        """What the goals are about, also if they are unknown without it, and no look shows any
        more; see `not_seen_again`."""
        others, goals = self.others(), tuple(goals)
        seen = {n: last for n, last in self.last_seen.items() if n not in others}
        unknown = {n for goal in goals if judge(goal, self.now) is None for n in goal.names}
        found = {o.name: o for o in not_seen_again(goals, seen, self.now)}
        return [o for name, last in seen.items() if (o := found.get(name) or (
            last.get(name) if name in self.missing(unknown) else None))]

    def feel(self, at: Sequence[float], pushed: Sequence[float], handled: str | None = None,
             sure: bool = True, tool: Sequence[float] = ()) -> bool:
        """Remember what pushed the arm back. Whether no thing seen there, or earlier at the tool,
        explains it."""
        plate = replace(felt_plate(f'{UNSEEN}{len(self.felt) + 1}', at, pushed),
                        confidence=1.0 if sure else 0.5)
        beside = {o.name for o in self.now.movable()} - {handled, self.now.held}
        known = any(is_near(thing, at, BESIDE_M if thing.name in beside else explains_m(thing))
                    for thing in self.now.objects) or bool(tool) and any(
            is_near(o, tool, BESIDE_M) for n, s in self.last_seen.items()
            if self.now.get(n) is None and not was_felt(n) and (o := s.get(n)))
        if known or self.doubted and not self.felt or len(self.felt) >= MOST_FELT:
            return False
        self.felt.append(plate)
        self.latest = replace(self.now, objects=(*self.now.objects, plate))
        return True

    def forget_felt(self) -> bool:
        """Forget what was felt last, once, as a guess; an only one for good. Whether it did."""
        if not self.felt or self.doubted:
            return False
        self.latest = replace(self.now, objects=self.now.without([self.felt.pop().name]))
        self.doubted = True
        return True

    def keep(self) -> None:
        """Keep the scene as the one after a step."""
        self.scenes.append(self.now)

    def missing(self, names: Iterable[str]) -> set[str]:
        """Those of the names that were seen earlier in the task and are not seen now."""
        return {n for n in names if n in self.last_seen} - set(self.now.names()) - self.parts
