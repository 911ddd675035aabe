# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""From the orders of a task to actions: each order in the scene that those before it leave."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.orders import Movement, Order, is_about_all, undone_by
from replan_agent.domain.reading import Reading
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.geometry.judging import judge, judge_all
from replan_agent.geometry.steps.after_step import after_effect

from .actions import LOOK, RELEASE, REPLAN, Action, give, put_down, slide
from .search import Found, Search

_PLAIN = {EffectKind.OBSERVE: LOOK, EffectKind.RELEASE: RELEASE}


def actions_for(reading: Reading, finals: Sequence[Goal], scene: Scene, search: Search
             ) -> tuple[list[Action], Order | None]:
    """The actions that are still needed, in order; and the order that none can do, if any.

    If a proof is against an order, the others are carried out, but for those that follow it.
    """
    actions: list[Action] = []
    kept: list[Goal] = []
    refused: Order | None = None
    for number, (order, done) in enumerate(zip(reading.orders, reading.done), 1):
        if refused is not None and order.follows:
            break
        if order.movement is not None:
            if order.movement.kind is None:
                if actions:
                    return [*actions, REPLAN], None
                continue  # this scene is fresh: planning now is what the step asks for
            if not done:
                more = _movement(order.movement, scene, search)
                if not more:
                    return actions, order
                if any(a.skill(scene, search.skills) is None for a in more):
                    search.lacking = more[-1].description
                    return actions, order
                actions += more
                scene = scene_after_order(order, scene, search)
            continue
        is_final = _is_final(order, reading.orders[number:], finals, scene)
        if order.acts and not done:
            acted = _acted(order, kept, scene, search)
            if acted is None:
                return actions, order
            actions, scene = [*actions, *acted.actions], acted.scene
            kept += [g for g in order.goals if is_final]
            continue
        if not order.goals or (not is_final and (done or judge_all(order.goals, scene))):
            continue
        together = tuple(dict.fromkeys((*order.goals, *kept)))
        moving = _of_what_moves_too(order, reading.orders[number:], scene)
        search.wanted = frozenset(part.object for goal in finals if is_about_all(goal)
                                  for part in goal.named(scene) if judge(part, scene))
        found = search.find((*together, *moving), scene) or search.find(together, scene)
        if found is None:
            some = search.find_what_fits(together, scene)
            if some is not None:
                return [*actions, *some.actions], None  # the rest is judged, and planned again
            names = {name for goal in order.goals for name in goal.names}
            if not any(names & {proof.scene.held, *map(str, proof.step.args.values())}
                       for proof in search.refused):
                return actions, order
            refused = refused or order
            continue
        actions += found.actions
        scene = found.scene
        kept += [g for g in order.goals if is_final and g.predicate not in (
            Predicate.HOME, Predicate.HOLDING)]
    return actions, None if actions else refused


def _of_what_moves_too(order: Order, later: Sequence[Order], scene: Scene) -> list[Goal]:
    """The goals of its targets that others move at the same time: a target goes there first."""
    targets = {goal.target for goal in order.goals}
    return [goal for other in itertools.takewhile(lambda o: not o.follows, later)
            if not other.acts and other.moved(scene) & targets for goal in other.goals]


def _acted(order: Order, kept: Sequence[Goal], scene: Scene, search: Search) -> Found | None:
    """The actions that lift each object and bring it where it should be, also if it is there."""
    node = Found((), scene)
    for name in sorted(order.moved(scene)):
        own = tuple(g for g in order.goals if name in {p.object for p in g.named(scene)})
        for goals in ((Goal(Predicate.HOLDING, name),), (*own, *kept)):
            found = search.find(goals, node.scene)
            if found is None:
                return None
            node = Found((*node.actions, *found.actions), found.scene)
    return node


def _is_final(order: Order, later: Sequence[Order], finals: Sequence[Goal], scene: Scene) -> bool:
    """Whether its goals must hold at the end, and no later order ends or repeats them."""
    repeated = any(set(order.goals) & set(o.goals) or any(
        order.moved(scene) & undone_by(o, goal, scene) for goal in order.goals) for o in later)
    return set(order.goals) <= set(finals) and not repeated


def _movement(movement: Movement, scene: Scene, search: Search) -> list[Action]:
    """The actions of a movement; none if what it needs in the hand cannot be taken."""
    assert movement.kind is not None
    if movement.kind in _PLAIN:
        return [_PLAIN[movement.kind]]
    if movement.kind is EffectKind.GIVE:
        taken = search.find((Goal(Predicate.HOLDING, movement.thing),), scene)
        return [*taken.actions, give(movement.thing or '')] if taken else []
    first = [put_down(scene.held, scene.table.name)] if scene.held and scene.table else []
    return [*first, slide(movement.kind, movement.thing or '', movement.target,
                          movement.direction, movement.distance_m)]


def scene_after_order(order: Order, scene: Scene, search: Search) -> Scene:
    """The scene that is expected after an order, so that later phrases mean the right object."""
    if order.movement is not None:
        return after_effect(order.movement.kind, order.movement.thing or scene.held, scene)
    found = search.find(order.goals, scene) if order.goals else None
    return found.scene if found is not None else scene
