# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Options that may make a blocked step possible, each with the scene that it should lead to.

Nothing here moves or plans: geometry proposes, foresight decides what to try.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, product

from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import SUPPORTED, Goal
from replan_agent.domain.local_planning import PUT_BACK_M, LocalOption
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillSpec
from replan_agent.geometry.judging import carried_by, is_inside, load, support_below
from replan_agent.geometry.room.free_place import (
    ASIDE_EDGE_M,
    SPACING_M,
    KeepAway,
    Point,
    free_places,
    rings,
)
from replan_agent.geometry.room.hand_room import fits_between_pads
from replan_agent.geometry.steps.after_step import after_step, grasped, put_down
from replan_agent.geometry.support import footprint

from .local_skills import LocalSkills, build_step, numbered

AROUND_M = 0.30  # an object farther away than this is not a neighbour
KEEP_CLEAR_M = 0.08  # an object moved out of the way leaves this much room around what it blocked
SPOTS, APART_M = 5, 0.08  # places to consider for an object that is put aside
UNDER_THE_HAND_M = 0.05
HAND_ROOM_M = 0.10  # around an object so tall that it would touch the hand next to it
QUARTER_DEG = 90  # to close the fingers across the other sides
POINTS_DOWN = -0.95  # the hand's axis, up: more is tilted

# Kinds that gain nothing by themselves: they prepare other options, or change only the step.
HANDLES = ('put_down', 'take_again', 'regrasp')
PREPARES = (*HANDLES, 'from_home')
SLIDES_TARGET = ('push_object', 'pull_closer')  # kinds that move the blocked object itself

Check = tuple[Step, Scene]  # a step, and the scene in which it would start


@dataclass(frozen=True)
class Proposal:
    """An option, the scene that it should lead to, and the steps that must be possible for it.

    `distance_m` is how far it slides its object.
    """

    option: LocalOption
    leads_to: Scene
    checks: tuple[Check, ...] = field(default=())
    distance_m: float = 0.0

    @property
    def starts_in(self) -> Scene | None:
        """The scene in which its first step starts."""
        return self.checks[0][1] if self.checks else None


def clearing(obstacle: SceneObject, scene: Scene, keep_away: KeepAway, skills: LocalSkills,
             goals: Sequence[Goal] = ()) -> Iterator[Proposal]:
    """Take an object that is in the way and put it where a goal wants it, or somewhere else."""
    take, put_at = skills.take, skills.put_at
    if not (take and put_at) or not obstacle.is_container and carried_by(obstacle, scene):
        return
    taking = build_step(take, f'take {obstacle.name} out of the way', object=obstacle.name)
    targets = [scene.get(part.target or '') for goal in goals if not goal.negated
               for part in goal.named(scene)
               if part.object == obstacle.name and part.predicate in SUPPORTED]
    wanted = [build_step(put_on, f'put {obstacle.name} where it belongs', target=target.name)
              for target in targets if target and (put_on := skills.put_on(target))]
    asides = (build_step(put_at, f'put {obstacle.name} aside', x=x, y=y)
              for x, y in _asides(obstacle, scene, keep_away))
    for placing in chain(wanted, asides):
        steps = numbered(taking, placing)
        option = LocalOption(
            f'clear {obstacle.name}', 'clear_obstacle', steps, (
                () if placing in wanted else put_back(obstacle, scene, skills)),
            why=f'{obstacle.name} is in the way: {placing.description}', object=obstacle.name)
        then = after_step(placing, skills.skill_for(placing), replace(scene, held=obstacle.name))
        yield Proposal(option, then or scene, (
            (steps[0], scene), (steps[1], grasped(scene, obstacle.name))))


def put_back(thing: SceneObject, scene: Scene, skills: LocalSkills) -> tuple[Step, ...] | None:
    """The steps that bring an object exactly back to where it is now; None if there are none."""
    below, take = support_below(thing, scene), skills.take
    if take is None or below is None or below.is_container:
        return None
    taking = build_step(take, f'take {thing.name} back', object=thing.name)
    what, (x, y, _) = f'put {thing.name} back', thing.position
    if below.shape is Shape.TABLE:
        put_at = skills.put_at
        yaw = round(math.degrees(thing.pose.yaw), 1)
        return None if put_at is None else numbered(taking, build_step(
            put_at, what, x=round(x, 4), y=round(y, 4), yaw=yaw, snug=True))
    put_on = skills.put_on(below)
    if put_on is None or math.dist((x, y), below.position[:2]) > PUT_BACK_M:
        return None
    return numbered(taking, build_step(put_on, what, target=below.name))


def other_grasps(step: Step, skill: SkillSpec, scene: Scene,
                 tried: Sequence[Attempt]) -> Iterator[Proposal]:
    """The same step in a way that was not tried. Nothing moves before it."""
    used = [dict(attempt.args) for attempt in tried]
    grasps = [dict(attempt.evidence.get('grasp', {})) for attempt in tried]
    for kind, changes in skill.variants.items():
        args = {**step.args, **changes}
        way = skill.effect.value('grasp', changes)
        if args in used or (way and any(g.get('kind') == way for g in grasps)):
            continue
        option = LocalOption(kind.replace('_', ' '), kind, changes=changes,
                             why=f'take {skill.acts_on(step.args)} in another way',
                             object=skill.acts_on(step.args) or '')
        yield Proposal(option, scene, ((Step(step.step_number, step.skill, args), scene),))


def freeing(target: Point | None, occupant: SceneObject, carried: SceneObject, scene: Scene,
            skills: LocalSkills, keep_away: KeepAway = ()) -> Iterator[Proposal]:
    """Put the held object down, move the one that is in its place, and take it again."""
    take, put_at = skills.take, skills.put_at
    if take is None or put_at is None or carried_by(occupant, scene):
        return
    away = keep_away + (((target, footprint(occupant) + footprint(carried) + KEEP_CLEAR_M),)
                        if target else ())
    for aside in _asides(carried, scene, away):
        put = put_down(scene, carried.name, at=aside)
        for spot in _asides(occupant, put, away, 1):
            cleared = put_down(put, occupant.name, at=spot)
            down, fetch, place, again = steps = numbered(
                build_step(put_at, f'put {carried.name} down', x=aside[0], y=aside[1]),
                build_step(take, f'take {occupant.name} away', object=occupant.name),
                build_step(put_at, f'put {occupant.name} aside', x=spot[0], y=spot[1]),
                build_step(take, f'take {carried.name} again', object=carried.name))
            back = put_back(occupant, scene, skills)
            option = LocalOption(
                f'free the place of {occupant.name}', 'free_target', steps,
                None if back is None else numbered(down, *back, again),
                why=f'{occupant.name} stands where {carried.name} should go',
                object=occupant.name)
            yield Proposal(option, grasped(cleared, carried.name),
                           ((down, scene), (fetch, put), (place, grasped(put, occupant.name)),
                            (again, cleared)))


def regrasping(target: Point | None, carried: SceneObject, scene: Scene,
               skills: LocalSkills) -> Iterator[Proposal]:
    """Put the held object down and take it with another lean, or across its other sides."""
    take, put_at = skills.take, skills.put_at
    if take is None or put_at is None:
        return
    leans = scene.arm is not None and scene.arm.tcp.matrix()[2, 2] > POINTS_DOWN
    kinds = [name for name, way in take.variants.items() if take.effect.value('grasp', way)]
    ways = {name: take.variants[name] for name in kinds[not leans:]}  # the first: from above
    if take.effect.turn and (carried.pieces or scene.hand is None or fits_between_pads(
            max(carried.size[:2]), scene.hand)):  # pads may close on any part of some shapes
        across = {'across': {take.effect.turn: QUARTER_DEG}}
        ways = ways | across if leans else across | ways
    away = ((target, 2 * footprint(carried) + KEEP_CLEAR_M),) if target else ()
    for (name, changes), spot in product(ways.items(), list(_asides(carried, scene, away))):
        taking = build_step(take, f'take {carried.name} in another way', object=carried.name)
        down, again = steps = numbered(
            build_step(put_at, f'put {carried.name} down', x=spot[0], y=spot[1]),
            replace(taking, args={**taking.args, **changes}))
        put = put_down(scene, carried.name, at=spot)
        option = LocalOption(f'regrasp {carried.name}: {name.replace("_", " ")}', 'regrasp', steps,
                             (), why=f'{carried.name} cannot be put there as it is held',
                             object=carried.name)
        yield Proposal(option, grasped(put, carried.name, name == 'across'),
                       ((down, scene), (again, put)))


def putting_down(held: SceneObject, scene: Scene, keep_away: KeepAway,
                 skills: LocalSkills) -> Iterator[Proposal]:
    """Empty the hand."""
    put_at = skills.put_at
    if put_at is None:
        return
    for x, y in _asides(held, scene, keep_away):
        down = build_step(put_at, f'put {held.name} down', x=x, y=y)
        option = LocalOption(f'put {held.name} down', 'put_down', (down,), (),
                             why=f'the hand holds {held.name}', object=held.name)
        yield Proposal(option, put_down(scene, held.name, at=(x, y)), ((down, scene),))


def taking_again(carried: SceneObject, scene: Scene, skills: LocalSkills) -> Iterator[Proposal]:
    """Take back what was put down or lost."""
    take = skills.take
    if take is None:
        return
    again = build_step(take, f'take {carried.name} again', object=carried.name)
    option = LocalOption(f'take {carried.name} again', 'take_again', (again,), (),
                         why=f'{carried.name} is no longer in the hand', object=carried.name)
    yield Proposal(option, grasped(scene, carried.name), ((again, scene),))


def going_home(scene: Scene, skills: LocalSkills) -> Iterator[Proposal]:
    """Start from home, from where every motion is planned."""
    go_home = skills.go_home
    if go_home is None or scene.arm is None or scene.arm.at_home:
        return
    home = build_step(go_home, 'start again from home')
    yield Proposal(LocalOption('go home first', 'from_home', (home,), (),
                               why='from home the way is free'), scene, ((home, scene),))


def neighbours(thing: SceneObject, scene: Scene, named: tuple[str, ...]) -> list[SceneObject]:
    """Movable objects that may be in the way: those around it and those that were named.

    What it lies in is not: it would be moved along.
    """
    near = [o for o in scene.movable() if o.name not in (thing.name, scene.held)
            and not is_inside(thing, o)
            and (math.dist(o.position[:2], thing.position[:2]) < AROUND_M or o.name in named)]
    return sorted(near, key=lambda o: (math.dist(o.position[:2], thing.position[:2]), o.name))


def _asides(thing: SceneObject, scene: Scene, keep_away: KeepAway, count: int = SPOTS
            ) -> Iterator[Point]:
    """Places on the table for an object that is put aside, the nearest first, then others."""
    bare = replace(scene, objects=tuple(scene.without([o.name for o in load(thing, scene)])))
    tall = thing.top_z - thing.bottom_z > UNDER_THE_HAND_M
    found = (at for spacing_m in ((HAND_ROOM_M, SPACING_M) if tall else (SPACING_M,))
             for at in free_places(thing, bare, rings(thing.position[:2]), keep_away, spacing_m,
                                   ASIDE_EDGE_M))
    given: list[Point] = []
    for at in found:
        if len(given) == count:
            return
        if all(math.dist(at, other) > APART_M for other in given):
            given.append(at)
            yield at
