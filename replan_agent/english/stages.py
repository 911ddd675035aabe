"""The orders of the commands of a task, one after the other."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from replan_agent.agent.ports import SceneAfter
from replan_agent.domain.goal import Predicate
from replan_agent.domain.orders import Order
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.reading import Reading
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene
from replan_agent.geometry.judging import judge_all

from .meaning.meaning import Meaning, leaves_the_rest
from .meaning.order_checks import (
    check_condition,
    check_hand,
    check_left_alone,
    check_one_place,
    check_replaced,
)
from .meaning.said_before import Discourse
from .mentions import choices
from .phrases import Command
from .progress import OrderProgress


def read_orders(commands: Sequence[Command], request: PlanRequest, viewpoint: str,
                after: SceneAfter) -> Reading:
    """The orders of the commands, up to one that cannot be read. Raises Unclear."""
    progress = OrderProgress(request.completed, request.skills)
    meaning = _meaning(request, viewpoint)
    left_alone = meaning.context.left_alone = meaning.left_alone(commands)
    held = progress.held_at_first(request.scene)
    meaning.context.mentioned += [held] if held else []
    orders: list[Order] = []
    done: list[bool] = []
    refusal = _read_each(commands, meaning, progress, after, orders, done)
    if meaning.not_done and not any(o.goals or o.movement for o in orders):
        orders.append(Order(tuple(meaning.not_done)))  # nothing to do, and that is so
        done.append(False)
    if any(map(leaves_the_rest, commands)):
        moved = {n for o in orders for n in o.may_move(request.scene)} | set(held)
        left_alone |= meaning.the_rest(commands, moved)
    check_hand(orders, request.scene)
    check_one_place(orders, request.scene)
    check_replaced(meaning, orders, request.scene)
    guesses = tuple(meaning.context.guesses)
    return Reading(tuple(orders), tuple(done), refusal, guesses=guesses,
                   choices=choices(guesses, request.scene), left_alone=left_alone,
                   missing=tuple(dict.fromkeys(meaning.context.missing)))


def _meaning(request: PlanRequest, viewpoint: str) -> Meaning:
    """With what the goals in force say already: places, turns, towers."""
    goals = [(g.object, g) for g in request.goals if g.object]
    fixed = {name: g.position for name, g in goals
             if g.predicate is Predicate.AT and g.position}
    turns = {name: g.degrees for name, g in goals
             if g.predicate is Predicate.TURNED and g.degrees is not None}
    stacks = {name: g.target for name, g in goals
              if g.predicate is Predicate.STACKED and g.target and not g.negated}
    ends = {name: g for name, g in goals
            if g.predicate in (Predicate.IN, Predicate.ON) and not g.negated}
    return Meaning(Discourse(request.scene, viewpoint), request.scene, fixed, turns, stacks=stacks,
                   ends=ends)


def _read_each(commands: Sequence[Command], meaning: Meaning, progress: OrderProgress,
               after: SceneAfter, orders: list[Order], done: list[bool]) -> Unclear | None:
    """Add the orders, and whether each is done; returns why a command could not be read."""
    before: list[Scene] = []
    left_alone = meaning.context.left_alone
    for command in commands:
        scene = meaning.scene
        meaning.picked = progress.picked(scene)
        meaning.put = functools.partial(progress.put, scene=scene)
        try:
            check_condition(command, meaning)
            order = meaning.order(command)
        except Unclear as why:
            return why
        check_left_alone(order, left_alone, scene)
        redo = bool(orders) and _is_means(orders[-1], order, scene)
        if redo:
            order = replace(order, acts=judge_all(order.goals, before[-1]) is True,
                            follows=order.follows or orders[-1].follows)
            del orders[-1], done[-1]
        before.append(scene)
        done.append(progress.claim(order, scene, redo))
        orders.append(order)
        if not done[-1]:
            meaning.context.scene = after(order, scene, left_alone)
    return None


def _is_means(order: Order, after: Order, scene: Scene) -> bool:
    """Whether an order is only a means for the next: a pick before a placement."""
    means = order.goals and all(g.predicate is Predicate.HOLDING or g.negated
                                for g in order.goals)
    places = after.goals and not any(g.predicate is Predicate.HOLDING for g in after.goals)
    return bool(means and places and order.moved(scene) <= after.moved(scene))
