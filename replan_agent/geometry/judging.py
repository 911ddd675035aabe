# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether goals are met in a scene, and what rests on what.

Every judgement has three values: None means that the scene does not show it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

from replan_agent.domain.goal import SUPPORTED, Goal, Predicate
from replan_agent.domain.scene import Scene, SceneObject, Shape, was_felt
from replan_agent.domain.shape import CONTAINER_FLOOR_M
from replan_agent.domain.suggested_plan import SuggestedPlan
from replan_agent.domain.things import LIMITS, Quantity

from . import support
from .outlines import bears, extents_m, is_across, over_rim_m
from .relations import is_beside, is_between, is_near, is_turned, is_upright, side

RESTING_GAP_M = 0.012  # undersides are guesses: what carries a thing is at most so far off
LEVEL_M = 0.001  # surfaces that differ by less are as high
AT_TOLERANCE_M = 0.02
RIM_MARGIN_M = 0.005  # a camera may see heights and lengths this much wrong
MOST_OVER = 0.25  # share of the length of what is on a heap in a container: over its rim
LOW = {False: 0.5, True: 0.25}  # sticks out: share of a container's depth for its lowest point
UPRIGHT = math.cos(math.radians(45))  # a container tipped further holds nothing
WEDGED = math.cos(math.radians(15))  # a container that leans more is stuck, or about to fall
ALIKE = 1.1  # two areas that measure alike


def judge(goal: Goal, scene: Scene) -> bool | None:
    """True, False, or None if the scene does not show it."""
    return judge_by(goal, scene, lambda simple: judge_one(simple, scene))


def judge_by(goal: Goal, scene: Scene, verdict_of: Callable[[Goal], bool | None]) -> bool | None:
    """The verdict from those of its parts, which have one object and one target.

    A part is negated if the goal denies it; its verdict is that of the same without negation.
    """
    parts = goal.named(scene)
    if goal.targets is not None:
        verdicts = _each_its_own(parts, goal.targets.names(scene), verdict_of)
    else:
        denied = goal.negated or goal.things is not None and (
            goal.things.quantity is not Quantity.ALL and not goal.things.count)
        verdicts = [verdict_of(replace(part, negated=denied)) for part in parts]
        around, things = scene.get(goal.target or ''), goal.things
        if around and around.inside_hidden and things and things.words and (
                things.quantity in LIMITS):
            verdicts.append(None)  # of what is not seen in it
    verdict = goal.things.verdict(verdicts) if goal.things is not None else verdicts[0]
    return verdict if verdict is None or not goal.negated else not verdict


def _each_its_own(parts: Iterable[Goal], targets: Iterable[str],
                  verdict_of: Callable[[Goal], bool | None]) -> list[bool | None]:
    """Whether each object has a target, and one that no object before it has."""
    free, verdicts = list(targets), []
    for part in parts:
        found = {t: verdict_of(replace(part, target=t, targets=None, negated=False)) for t in free}
        own = next((t for t, verdict in found.items() if verdict), None)
        verdicts.append(True if own else None if None in found.values() else False)
        free = [t for t in free if t != own]
    return verdicts


def judge_one(goal: Goal, scene: Scene) -> bool | None:
    """For one object and one target, as if it were not negated.

    Of what should not be in a container, its rim and what is in it carry nothing either.
    """
    if goal.predicate is Predicate.HOME:
        return scene.arm.at_home if scene.arm else None
    if goal.predicate is Predicate.HOLDING:
        return _judge_holding(goal, scene)
    thing = scene.get(goal.object or '')
    if thing is None:
        return None
    if goal.predicate is Predicate.CLEAR:
        return False if resting_on(thing, scene) else None if thing.inside_hidden else True
    if goal.predicate is Predicate.IS:
        return None if thing.states is None else thing.states.now == goal.state
    if scene.held == thing.name:
        return False  # still in the gripper, so it rests on nothing
    if goal.predicate is Predicate.AT:
        if goal.position is None:
            return None
        near = math.dist(thing.position[:2], goal.position) <= AT_TOLERANCE_M and not _leans(thing)
        return _rests(thing, scene) if near else False
    if goal.predicate is Predicate.TURNED:
        return None if goal.degrees is None else is_turned(thing, goal.degrees)
    if goal.predicate is Predicate.UPRIGHT:
        return is_upright(thing)
    target = scene.get(goal.target or '')
    if target is None:
        return None
    if _leans(thing):  # neither on it nor off it: it may lean on just that
        return None if support.may_be_near(thing, thing.position, target, 0.0) else False
    spare_m = RIM_MARGIN_M if scene.may_hide and not goal.negated else 0.0
    if goal.predicate is Predicate.IN:
        return is_inside(thing, target, spare_m) or goal.negated and thing in load(target, scene)
    if goal.predicate not in SUPPORTED:
        return _judge_relation(goal, thing, target, scene)
    return is_resting_on(thing, target, scene) and (  # on a container means in it
        not target.is_container or goal.negated or is_inside(thing, target, spare_m))


def _leans(thing: SceneObject) -> bool:
    """Whether it is a bowl or bin that leans on something: it does not stand there."""
    return thing.is_container and abs(support.up_alignment(thing)) < WEDGED


def _judge_relation(goal: Goal, thing: SceneObject, target: SceneObject, scene: Scene
                    ) -> bool | None:
    second = scene.get(goal.second or '')
    if goal.predicate is Predicate.BETWEEN and second is None:
        return None
    if goal.predicate is Predicate.BETWEEN and second is not None:
        there = is_between(thing, target, second)
    elif goal.predicate is Predicate.NEAR:
        there = is_near(thing, target, distance_m=goal.distance)
    else:
        there = is_beside(thing, target, side(goal.predicate.value, goal.viewpoint), goal.distance)
    if not there or any(is_resting_on(thing, o, scene) for o in (target, second) if o):
        return False
    return _rests(thing, scene)


def resting_on(below: SceneObject, scene: Scene) -> list[SceneObject]:
    """The objects on it or in it."""
    return [o for o in scene.without([below.name, scene.held or ''])
            if o.movable and is_resting_on(o, below, scene)]


def carried_by(thing: SceneObject, scene: Scene) -> list[SceneObject]:
    """What rests on the object or in it, also with only a part of it."""
    return [o for o in scene.movable() if o.name not in (thing.name, scene.held)
            and support.may_be_near(thing, thing.position, o, 0.0)
            and (bears(thing, o) or is_resting_on(o, thing, scene))]


def load(thing: SceneObject, scene: Scene) -> list[SceneObject]:
    """What rests on the object, and what rests on that; nothing twice."""
    found: dict[str, SceneObject] = {}
    waiting = [thing]
    while waiting:
        for o in carried_by(waiting.pop(), scene):
            if o.name not in found and o.name != thing.name:
                found[o.name] = o
                waiting.append(o)
    return list(found.values())


def supports(thing: SceneObject, scene: Scene) -> tuple[SceneObject, ...]:
    """What carries the thing; first the innermost container that it is in.

    That is what has the highest surface right below its weight: of a plate and the table under it,
    the plate. In a container it is among what is in there. Without such a surface, or if the table
    is farther from its bottom, it is what bears its edges, or the container on whose rim it lies.
    """
    others = scene.without([thing.name])
    around = [o for o in others if o.is_container and is_inside(thing, o)]
    inner = [c for c in around if not any(o is not c and is_inside(o, c) for o in around)][:1]
    if inner:
        others = tuple(o for o in others if is_inside(o, inner[0]))
    below = [(surface_z, o) for o in others if not o.is_container
             and (surface_z := _surface_below(thing, o)) is not None]
    highest_z = max((surface_z for surface_z, _ in below), default=-math.inf)
    highest = [o for surface_z, o in below if surface_z > highest_z - LEVEL_M]
    if not inner and all(o.shape is Shape.TABLE for o in highest):
        gap = thing.bottom_z - highest_z
        if edges := tuple(o for o in others if bears(o, thing)
                          and abs(thing.bottom_z - o.top_z) < gap or lies_on_rim(thing, o)):
            return edges
    return (*inner, *highest)


def support_below(thing: SceneObject, scene: Scene) -> SceneObject | None:
    """What it is in, else what it is on: the table only if nothing is between."""
    return next(iter(supports(thing, scene)), None)


def _rests(thing: SceneObject, scene: Scene) -> bool | None:
    """Whether something carries the object; None if no table is seen."""
    return True if supports(thing, scene) else None if scene.table is None else False


def judge_all(goals: Iterable[Goal], scene: Scene) -> bool | None:
    """False if any goal is false, else None if any is unknown (or there are none), else True."""
    verdicts = [judge(goal, scene) for goal in goals]
    return False if False in verdicts else None if not verdicts or None in verdicts else True


def seen_in(plan: SuggestedPlan, scene: Scene) -> SuggestedPlan:
    """The suggested plan with its progress in the scene."""
    return plan.judged([judge(g.goal, scene) if g.goal else None for g in plan.goals])


def goals_met(goals: Iterable[Goal], scene: Scene) -> int:
    """How many goals the scene shows: a measure of progress, to compare two scenes.

    A goal about several objects counts for each of them. What is to be cleared counts less for
    each object that is still there.
    """
    return sum(_met(goal, scene) for goal in goals)


def _met(goal: Goal, scene: Scene) -> int:
    below = scene.get(goal.object or '')
    if goal.predicate is Predicate.CLEAR and below is not None and not goal.negated:
        return 1 - len(resting_on(below, scene))
    if goal.things is None:
        return int(judge(goal, scene) is True)
    return sum(judge(part, scene) is (not goal.negated) for part in goal.named(scene))


def is_resting_on(thing: SceneObject, target: SceneObject, scene: Scene) -> bool:
    """Whether `target` carries `thing`, or is the innermost container that it is in."""
    return support.may_be_near(thing, thing.position, target, 0.0) and (  # most pairs are not
        target.is_container or bears(target, thing) or _surface_below(thing, target) is not None
    ) and any(o.name == target.name for o in supports(thing, scene))


def may_touch_below(thing: SceneObject, target: SceneObject) -> bool:
    """Whether the underside of `thing`, often a guess, may touch `target`: in it, or close above.

    What carries it is another question: see `supports`.
    """
    if target.is_container:
        return is_inside(thing, target)
    return _surface_below(thing, target) is not None


def _surface_below(thing: SceneObject, target: SceneObject) -> float | None:
    """The height (m) of `target` right below the weight of `thing`, if it may lie there.

    Both tops are seen well, undersides are guesses: what has the higher top lies above.
    """
    x, y = support.weight_xy(thing)
    if math.dist((x, y), target.position[:2]) > math.hypot(*target.size) / 2:
        return None  # most pairs: not worth the exact surface
    surface_z = support.surface_height(target, x, y)
    if surface_z is None or surface_z >= thing.top_z or (
            abs(thing.bottom_z - surface_z) > RESTING_GAP_M):
        return None
    return surface_z


def lies_on_rim(thing: SceneObject, container: SceneObject) -> bool:
    """Whether its weight is over a container that it is not in, and that is not in it."""
    return (container.is_container and thing.top_z > container.top_z
            and thing.bottom_z <= container.top_z + RESTING_GAP_M
            and support.surface_height(container, *support.weight_xy(thing)) is not None
            and not is_inside(container, thing) and not is_inside(thing, container))


def covers(container: SceneObject, scene: Scene) -> list[SceneObject]:
    """What lies on its rim: not in it, nor in the hand, nor only felt, nor a lid to open."""
    return [o for o in scene.without([container.name, scene.held or '']) if lies_on_rim(
        o, container) and not (was_felt(o.name) or o.states and o.states.shuts)]


def is_inside(thing: SceneObject, container: SceneObject, spare_m: float = 0.0) -> bool:
    """Whether `thing` is in the upright container and stays there when it is nudged.

    Its weight is over the opening and below the rim, or its lowest point is in the lower half, or
    quarter if it extends over the rim as a pen in a cup. What is too small to lie on two sides of
    the rim may be on a heap, if most of it is over the opening: else it lies on one side of the
    rim. What extends over the rim on two sides lies across it. Not the bottom but centre and top
    must be above the container's: a hidden underside is a guess. A bowl or bin that leans in it is
    stuck between the walls: that is not in it. `spare_m`: also if it is so much higher or longer.
    """
    if container.shape not in (Shape.BOWL, Shape.BIN) or support.up_alignment(container) < UPRIGHT:
        return False
    weight = support.centre_of_weight(thing)
    along, across, _ = map(float, support.in_own_frame(container, weight))
    within = (math.hypot(along, across) <= max(container.size[:2]) / 2
              if container.shape is Shape.BOWL else
              abs(along) <= container.size[0] / 2 and abs(across) <= container.size[1] / 2)
    if not within:
        return False
    rim, floor = container.top_z, container.bottom_z + CONTAINER_FLOOR_M
    over, long_m = over_rim_m(thing, container) + spare_m, extents_m(thing)[0] + spare_m
    return bool(container.bottom_z - RIM_MARGIN_M <= thing.position[2]
                and container.bottom_z + CONTAINER_FLOOR_M / 2 < thing.top_z
                and thing.bottom_z <= rim - RIM_MARGIN_M
                and (weight[2] + spare_m < rim
                     or thing.bottom_z <= floor + (rim - floor) * LOW[over > spare_m]
                     or long_m < max(container.size[:2]) / 2 and over <= MOST_OVER * long_m)
                and not (support.up_alignment(thing) < WEDGED or _holds(thing, container)
                         or thing.bottom_z < container.bottom_z - RESTING_GAP_M
                         if thing.is_container else is_across(thing, container)))


def shut_for(thing: str | None, target: str | None, scene: Scene) -> list[SceneObject]:
    """What must be opened before the thing can be taken, or something put in the target."""
    taken = scene.get(thing or '')
    shut = [(o, scene.get(o.states.shuts) or o) for o in scene.objects if o.states and o.is_shut]
    return [o for o, box in shut if box.name == target or taken and is_inside(taken, box)]


def _holds(one: SceneObject, other: SceneObject) -> bool:
    """Of two containers with one centre, whether `one` is the outer: wider, or alike and below."""
    wider = one.size[0] * one.size[1] / (other.size[0] * other.size[1])
    return wider > ALIKE or (wider * ALIKE > 1 and one.position[2] <= other.position[2])


def _judge_holding(goal: Goal, scene: Scene) -> bool | None:
    if scene.held is not None:
        return goal.object in (None, scene.held)
    return None if scene.arm is None else False
