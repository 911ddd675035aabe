# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""From goals to actions: A* over the scenes that the skills' effects lead to.

A node is the scene that is expected after the actions so far, and `judge` says which goals it
meets. Only movements that a goal needs are tried: bring an object where it should be, or move
aside what is in the way. A movement that helps and blocks nothing is taken without alternatives.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.orders import is_about_all
from replan_agent.domain.plan import Proof, Step
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import SkillSpec, skill_that
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.domain.things import Quantity
from replan_agent.geometry.judging import UPRIGHT, covers, judge, resting_on, shut_for
from replan_agent.geometry.relations import symmetry_deg
from replan_agent.geometry.room import free_place
from replan_agent.geometry.room.container_room import Room
from replan_agent.geometry.steps.after_step import after_effect, brought_to, released_at, turn_to
from replan_agent.geometry.support import up_alignment

from .actions import HOME, Action, bring_to, pick, place_at, place_on, put_down
from .no_room import NoRoom, can_take_off, covered, no_room_for, no_top_for, one_by_one
from .pile import belongs, dead_end, is_exact, is_set, scene_key, tops
from .wants import Want, needed_points, wants

MOST_NODES = 400
SAME_POINT_M = 0.005
SAME_YAW_DEG = 2.0
TURN_SHARES = (0.5, 0.25, 0.75)  # of a turn that is done in two grasps: the first part
LEAST_TURN_DEG = 20.0  # a smaller turn is not divided
MISSED_OFTEN = 4  # what leans on a thing and was missed so often does not keep it from being taken
LEVEL_M = 0.02  # things whose bottoms differ by less are on the same level


@dataclass(frozen=True)
class Found:
    """The actions, and the scene that they should lead to."""

    actions: tuple[Action, ...]
    scene: Scene


@dataclass
class Search:
    """Finds actions with these skills.

    `proof_against` says why a step is hopeless with that thing. `tried` are points where something
    could not be put, `not_taken` things that could not be taken, once for each time: others come
    first. `check` is called often and raises if the search should end.
    """

    skills: Sequence[SkillSpec]
    proof_against: Callable[[Step, str | None], Proof | None] = lambda step, thing: None
    tried: Sequence[tuple[float, float]] = ()
    not_taken: Sequence[str] = ()
    not_turned: Collection[float] = ()  # yaws (degrees) that the wrist could not turn to
    check: Callable[[], None] = lambda: None
    refused: list[Proof] = field(default_factory=list)  # proofs against steps that were needed
    no_room: dict[tuple[str | None, str | None], NoRoom] = field(default_factory=dict)
    lacking: str = ''  # what no skill does
    untouched: frozenset[str] = frozenset()  # what must stay where it is
    wanted: frozenset[str | None] = frozenset()  # what is where another order wants it
    dead_ends: dict[str, None] = field(default_factory=dict)  # why movements were not possible
    _proved: set[str | None] = field(default_factory=set)  # things of such steps
    _known: dict[tuple[object, ...], Found | None] = field(default_factory=dict)
    _yaws: dict[str | None, float | None] = field(default_factory=dict)  # wanted, degrees

    def find(self, goals: Sequence[Goal], scene: Scene) -> Found | None:
        """Few actions after which the scene should show all goals, or None."""
        key = (tuple(goals), self.untouched, self.wanted, scene_key(scene))
        if key not in self._known:
            found, hopeless = self._find(goals, scene), 0
            while found is None and len(self.no_room) + len(self._proved) > hopeless and any(
                    g.things is not None and g.things.quantity is not Quantity.ALL for g in goals):
                hopeless = len(self.no_room) + len(self._proved)
                found = self._find(goals, scene)  # with a free choice, others may fit
            self._known[key] = found
        return self._known[key]

    def find_what_fits(self, goals: Sequence[Goal], scene: Scene) -> Found | None:
        """Actions for as many of the things as are seen and can be moved; None if there are none.

        What was proved impossible is left out. A held thing without a place is put on the table.
        """
        parts, node = one_by_one(goals, scene), Found((), scene)
        whole = [p for p in parts if p in goals and (p.object, p.target) not in self.no_room]
        kept = [p for p in whole if not self.refused or self.find((p,), scene) is not None]
        if len(kept) < len(whole):
            node = self.find(kept, scene) or node
        for part in sorted((p for p in parts if p not in goals), key=lambda p: (
                judge(p, scene) is not True, *self._turn_of(Want(p.object or ''), scene))):
            more = self.find((part, *kept), node.scene)
            if more is not None:
                kept, node = [*kept, part], Found((*node.actions, *more.actions), more.scene)
        if node.actions or scene.in_hand is None:
            return node if node.actions else None
        return self._aside(scene.in_hand, node, ())

    def _find(self, goals: Sequence[Goal], scene: Scene) -> Found | None:
        self._yaws = {g.object: g.degrees for g in goals
                      if g.predicate is Predicate.TURNED and not g.negated}
        tie = itertools.count()
        start = Found((), replace(scene, objects=tuple(  # what nobody sees cannot be moved
            replace(o, inside_hidden=False) if o.inside_hidden else o for o in scene.objects)))
        queue = [(0.0, 0, next(tie), start)]
        seen = set()
        for _ in range(MOST_NODES):
            if not queue:
                break
            self.check()
            _, _, _, node = heapq.heappop(queue)
            key = scene_key(node.scene)
            if key in seen:
                continue
            seen.add(key)
            unmet = [g for g in goals if judge(g, node.scene) is not True]
            if not unmet:
                return node
            for found in self._next(unmet, goals, node):
                cost = len(found.actions)
                left = sum(judge(g, found.scene) is not True for g in goals)
                heapq.heappush(queue, (cost + 2.0 * left, -cost, next(tie), found))
        return None

    def _next(self, unmet: Sequence[Goal], goals: Sequence[Goal], node: Found) -> list[Found]:
        """The nodes after one movement: the first safe one, or all that may help."""
        placing = [g for g in unmet if g.predicate not in (Predicate.HOME, Predicate.HOLDING)]
        if not placing:
            return self._ending(unmet, node)
        setting = [g for g in placing if is_set(g, node.scene)]
        if setting == placing:
            states = [p for g in setting for p in g.named(node.scene) if not g.negated]
            return [n for p in states if (n := self._set(p, node)) is not None]
        placing = [g for g in placing if g not in setting]
        fixed = {g.object for g in goals if g.predicate is Predicate.AT}  # their places decide
        placing = [g for g in placing if g.predicate is not Predicate.NEAR
                   or g.object not in fixed] or placing
        busy = {*self.wanted, *(
            part.object for goal in goals if goal not in unmet or is_about_all(goal)
            for part in goal.named(node.scene) if judge(part, node.scene))}
        open_wants: list[Want] = []
        for goal in placing:
            found = wants(goal, node.scene, busy, self.no_room, {*self.not_taken, *self._proved})
            if found is None:
                why = dead_end(goal, node.scene)
                self.dead_ends[why] = None
                if is_exact(goal):
                    self.no_room[goal.object, goal.target] = NoRoom(Cause.NO_FREE_SPOT, why)
                return []
            open_wants += found
        moving = {n for w in open_wants for n in (w.thing, *tops(w.thing, node.scene))}
        open_wants.sort(key=lambda w: (not w.beside.isdisjoint(moving),  # first the landmarks
                                       *self._turn_of(w, node.scene)))
        nodes: list[Found] = []
        for want in open_wants:
            blockers = self._blockers(want, node.scene, goals)
            if want.target not in moving and all(
                    self.not_taken.count(b) >= MISSED_OFTEN for b in blockers):
                done = self._moved(want, node, open_wants)
                if done is not None:
                    return [done]
            nodes += [n for b in blockers
                      if (n := self._moved(Want(b), node, open_wants)) is not None]
        return nodes

    def _turn_of(self, want: Want, scene: Scene) -> tuple[bool, int, int]:
        """What is held comes first, then a pile from its top, what was missed most often last."""
        thing = scene.get(want.thing)
        level = round(thing.bottom_z / LEVEL_M) if thing is not None else 0
        return want.thing != scene.held, self.not_taken.count(want.thing), -level

    def _ending(self, unmet: Sequence[Goal], node: Found) -> list[Found]:
        """What is held and where the arm is: last, because every movement changes it."""
        holding = next((g for g in unmet if g.predicate is Predicate.HOLDING), None)
        if holding is None:
            able = self._can(HOME, node.scene) and node.scene.arm is not None
            return [_reached(HOME, node)] if able else []
        thing = node.scene.get(holding.object or '')
        if holding.negated:
            held = node.scene.held
            done = self._moved(Want(held), node, ()) if held else None
            return [done] if done else []
        if thing is None or not thing.movable:
            self.dead_ends[f'{holding.object} cannot be picked up'] = None
            return []
        shut = shut_for(thing.name, None, node.scene)
        above = [top for top in tops(thing.name, node.scene) if top != thing.name]
        if above and not shut:
            return [n for b in above if (n := self._moved(Want(b), node, ())) is not None]
        found = self._opened(shut[0], node) if shut else self._taken(thing.name, node)
        return [found] if found is not None else []

    def _blockers(self, want: Want, scene: Scene, goals: Sequence[Goal]) -> list[str]:
        """What must be moved first: what is on or in the object, or where it should go."""
        thing, target = scene.get(want.thing), scene.get(want.target or '')
        assert thing is not None
        found = resting_on(thing, scene)
        if target is not None and target.is_container:  # what covers it
            found += [o for o in covers(target, scene) if not belongs(o, target, goals, scene)
                      and can_take_off(o, scene)]
        elif (target is not None and target != scene.table
              and next(free_place.free_tops(thing, target, scene), None) is None):
            there = resting_on(target, scene)
            found += [o for o in there if not belongs(o, target, goals, scene)]
            found += [target] if not there else []  # what stands beside it is as high: move it
        if want.points and scene.table is not None:
            z, turn = scene.table.top_z, turn_to(thing, self._yaws.get(want.thing))
            taken = [free_place.occupants(thing, (*p, z), scene, scene.table.name, turn)
                     for p in want.points]
            fewest = min(map(len, taken))
            found += next(t for t in taken if len(t) == fewest)
        names = [o.name for o in found if o.movable and o.name not in (
            scene.held, want.thing, *want.beside)]
        return list(dict.fromkeys(top for name in names for top in tops(name, scene)))

    def _moved(self, want: Want, node: Found, open_wants: Sequence[Want]) -> Found | None:
        """The node after the object was brought where it should go; None if that cannot be."""
        for shut in shut_for(want.thing, want.target, node.scene):
            return self._opened(shut, node)
        taken = self._taken(want.thing, node)
        if taken is None:
            return None
        thing = taken.scene.get(want.thing)
        assert thing is not None
        table = taken.scene.table
        if want.points:
            return self._at_a_point(want, thing, taken)
        target = taken.scene.get(want.target or '')
        if target is not None and target.is_container:
            return self._inside(want, thing, target, taken)
        if want.target is None or table is not None and want.target == table.name:
            return self._aside(thing, taken, open_wants, wanted=want.target is not None)
        return self._on_top(want, thing, target, taken, open_wants) if target else None

    def _on_top(self, want: Want, thing: SceneObject, target: SceneObject, node: Found,
                open_wants: Sequence[Want]) -> Found | None:
        """The node with the thing in the middle of another one; at its rim, if more follow."""
        others = [w for w in open_wants if w.target == target.name and w.thing != want.thing]
        if others or resting_on(target, node.scene):
            at = free_place.packed_top(thing, target, node.scene)
            said = (round(at[0], 4), round(at[1], 4)) if at is not None else None
        else:
            at, said = next(free_place.free_tops(thing, target, node.scene), None), None
        if at is None:
            self.no_room[thing.name, target.name] = no_top_for(thing, target, node.scene)
            return None
        action = place_on(want.thing, target.name, want.predicate, said)
        return self._with(action, node, at)

    def _at_a_point(self, want: Want, thing: SceneObject, node: Found) -> Found | None:
        """The node with the thing at the best of the points that were not proved hopeless."""
        table = node.scene.table
        z, name = (table.top_z, table.name) if table is not None else (0.0, '')
        yaw_deg = self._yaws.get(want.thing)
        stuck = yaw_deg is not None and self._is_stuck(yaw_deg)
        turn = turn_to(thing, yaw_deg)

        def badness(point: tuple[float, float]) -> tuple[bool, bool]:
            return (any(math.dist(point, t) < SAME_POINT_M for t in self.tried) and not stuck,
                    not free_place.has_room(thing, (*point, z), node.scene, name, turn))

        for point in sorted(want.points, key=badness):
            if stuck and (found := self._in_two_turns(want, thing, point, node)) is not None:
                return found
            action = place_at(want.thing, point, yaw_deg, want.why)
            found = self._with(action, node, point, yaw_deg)
            if found is not None:
                return found
        return None

    def _is_stuck(self, yaw_deg: float) -> bool:
        return any(abs(math.remainder(yaw_deg - y, 360)) < SAME_YAW_DEG for y in self.not_turned)

    def _in_two_turns(self, want: Want, thing: SceneObject, point: tuple[float, float],
                      node: Found) -> Found | None:
        """The node after a part of a turn, a new grasp, and the rest of the turn."""
        yaw_deg, here = self._yaws[want.thing], math.degrees(thing.pose.yaw)
        assert yaw_deg is not None
        whole = math.remainder(yaw_deg - here, symmetry_deg(thing) or 360.0)
        parts = [round(math.remainder(here + share * whole, 360.0), 1) for share in TURN_SHARES]
        part_deg = next((p for p in parts if not self._is_stuck(p)), None)
        if part_deg is None or abs(whole) < LEAST_TURN_DEG:
            return None
        first = self._with(place_at(want.thing, point, part_deg, ', a part of the turn'), node,
                           point, part_deg)
        again = self._taken(want.thing, first) if first is not None else None
        if again is None:
            return None
        action = place_at(want.thing, point, yaw_deg, want.why)
        return _reached(action, again, point, yaw_deg)

    def _inside(self, want: Want, thing: SceneObject, container: SceneObject, node: Found
                ) -> Found | None:
        """The node with the thing in a container; None if it has no place there."""
        action = place_on(want.thing, container.name, Predicate.IN)
        if up_alignment(container) < UPRIGHT:
            self.dead_ends[f'{container.name} does not stand upright'] = None
            return None
        if (lid := covered(container, node.scene)) is not None:
            self.no_room[thing.name, container.name] = lid
            return None
        done = self._with(action, node, None)
        skill = action.skill(node.scene, self.skills)
        if skill is not None and skill.effect.state:  # it knows what fits
            return done
        place = Room(container, node.scene, [thing.name]).place(thing)
        if place is None:
            self.no_room[thing.name, container.name] = no_room_for(thing, container, node.scene)
        return replace(done, scene=released_at(place.of(thing), node.scene)) if (
            done and place) else None

    def _aside(self, thing: SceneObject, node: Found, open_wants: Sequence[Want],
               wanted: bool = False) -> Found | None:
        """The node after the object was put on the table, away from points that are needed."""
        table = node.scene.table
        if table is None:
            return None
        needed = needed_points(open_wants, thing, node.scene)
        points = free_place.fan(thing.position[:2])
        point = next(free_place.free_places(thing, node.scene, points, needed), None)
        if point is None:
            self.dead_ends[f'the table has no free spot for {thing.name}'] = None
            return None
        aside = place_on(thing.name, table.name, Predicate.ON) if wanted else put_down(
            thing.name, table.name)
        yaw_deg = self._yaws.get(thing.name)
        exact = bool(needed) or yaw_deg is not None
        if exact and skill_that(self.skills, EffectKind.PUT_AT) is not None:
            aside = place_at(thing.name, point, yaw_deg, '' if wanted else ', out of the way')
        return self._with(aside, node, point, yaw_deg)

    def _taken(self, name: str, node: Found) -> Found | None:
        """The node with the object in the gripper; something else is put down before."""
        if node.scene.held == name:
            return node
        free = self._free(node)
        return self._with(pick(name), free, None) if free is not None else None

    def _opened(self, shut: SceneObject, node: Found) -> Found | None:
        return self._set(Goal(Predicate.IS, shut.name,
                              state=shut.states.access if shut.states else ''), node)

    def _set(self, goal: Goal, node: Found) -> Found | None:
        """The node with the thing in that state.

        It takes an empty hand; or what the skill needs in it: the thing, or a tool if it is fixed.
        """
        action, thing = bring_to(goal), node.scene.get(goal.object or '')
        skill = action.skill(node.scene, self.skills)
        if skill is None or thing is None or not skill.needs_held:
            free = self._free(node)
            return self._with(action, free, None) if free is not None else None
        tools = [thing.name] if thing.movable else sorted(
            (o.name for o in node.scene.movable() if skill.allows(skill.effect.target, o.name)),
            key=lambda name: name != node.scene.held)
        for tool in tools:
            taken = self._taken(tool, node)
            if taken is not None:
                done = action if thing.movable else replace(action, target=tool)
                return self._with(done, taken, None)
        return None

    def _free(self, node: Found) -> Found | None:
        """The node with an empty hand."""
        held = node.scene.in_hand
        return node if node.scene.held is None else (
            self._aside(held, node, ()) if held is not None else None)

    def _with(self, action: Action, node: Found, point: tuple[float, float] | None,
              yaw_deg: float | None = None) -> Found | None:
        """The node after the action, or None if no skill does it or it was proved hopeless."""
        if not self._can(action, node.scene):
            return None
        return _reached(action, node, point, yaw_deg)

    def _can(self, action: Action, scene: Scene) -> bool:
        if action.thing in self.untouched:
            self.dead_ends[f'{action.thing} is in the way, and it should stay where it is'] = None
            return False
        if action.skill(scene, self.skills) is None:
            self.lacking = action.description
            return False
        proof = self.proof_against(action.step(1, scene, self.skills), action.thing)
        if proof is not None:
            self.refused.append(proof)
            self._proved.add(action.thing)
        return proof is None


def _reached(action: Action, node: Found, point: tuple[float, float] | None = None,
             yaw_deg: float | None = None) -> Found:
    """The node after the action."""
    scene = brought_to(action.sets, node.scene) if action.sets else after_effect(
        action.kind, action.thing, node.scene, action.target, point, yaw_deg)
    return Found((*node.actions, action), scene)
