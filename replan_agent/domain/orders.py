# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a task asks for, stage by stage: goals to reach, or a movement without a goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .cause import Cause
from .goal import DIRECTED, SUPPORTED, Goal, Predicate
from .refusals import Unclear
from .scene import Scene
from .skill import Reason
from .skill_effect import EffectKind
from .things import Quantity


@dataclass(frozen=True)
class Movement:
    """An effect that no goal describes: look, let go, slide something. None: plan again."""

    kind: EffectKind | None
    thing: str | None = None
    target: str | None = None
    direction: str | None = None
    distance_m: float | None = None


@dataclass(frozen=True)
class Order:
    """One stage of a task: goals that are reached together, or a movement.

    `acts`: it is carried out even if the goals are true already, as in "pick it up and put it
    down" and "turn the cube by 90 degrees". `settles`: it says where things should be at the end.
    `follows`: it is said that it comes after the one before it.
    """

    goals: tuple[Goal, ...] = ()
    movement: Movement | None = None
    acts: bool = False
    settles: bool = False
    follows: bool = False

    def moved(self, scene: Scene) -> set[str]:
        """The objects that it moves."""
        if self.movement is not None:
            slid = self.movement.kind is not EffectKind.RELEASE and self.movement.thing
            return {self.movement.thing} if slid and self.movement.thing else set()
        return {part.object for goal in self.goals for part in goal.named(scene)
                if part.object and goal.predicate is not Predicate.CLEAR and is_about_all(goal)}

    def may_move(self, scene: Scene) -> set[str]:
        """The objects that it moves, or chooses from: "two cubes"."""
        return self.moved(scene) | {part.object for goal in self.goals if not is_about_all(goal)
                                    for part in goal.named(scene) if part.object}

    def uses_gripper(self) -> bool:
        if self.movement is not None:
            return self.movement.kind is EffectKind.RELEASE or bool(self.movement.thing)
        return any(g.predicate is not Predicate.HOME for g in self.goals)


def orders_for(goals: Sequence[Goal]) -> tuple[Order, ...]:
    """The goals as orders: what is held, and the arm at home, come last."""
    last = (Predicate.HOME, Predicate.HOLDING)
    stages = (tuple(g for g in goals if (g.predicate in last) is ends) for ends in (False, True))
    return tuple(Order(stage) for stage in stages if stage)


def final_goals(orders: Sequence[Order], scene: Scene) -> tuple[Goal, ...]:
    """What should be true after all orders, without what a later one undoes.

    The last goal about an object counts, but where it is and how it is turned are two things:
    "turn the bar and move it to the left" is both. After another use of the gripper, nothing is
    still held. The arm is home only if it went there last.
    """
    goals: list[Goal] = []
    for order in orders:
        moved, used = order.moved(scene), order.uses_gripper()
        spots = {g.object for g in goals if g.predicate is Predicate.AT}
        filled = {g.target for g in order.goals if g.predicate in SUPPORTED and not g.negated}
        emptied = {g.object for g in order.goals
                   if g.predicate is Predicate.CLEAR and not g.negated}
        lifted = {p.object for g in order.goals for p in g.named(scene) if order.follows
                  and g.predicate in SUPPORTED and not _is_on_table(g, scene)}
        goals = [g for g in goals if not (
            g.predicate is Predicate.HOLDING and used or g.predicate is Predicate.HOME and moved
            or not g.negated and (  # "empty the bowl, then put the balls in it", or the contrary
                g.predicate is Predicate.CLEAR and g.object in filled
                or g.predicate in SUPPORTED and g.target in emptied)
            or g.predicate is Predicate.NEAR and g.object in spots  # a group one is taken from
            and g.target in undone_by(order, g, scene)
            or g.distance is not None and g.target in lifted
            or any(_is_too_many(later, g, scene, order.follows) for later in order.goals))]
        goals = [kept for g in goals
                 if (kept := _without(g, undone_by(order, g, scene), scene)) is not None]
        goals += [g for g in order.goals if g not in goals]
    return tuple(goals)


def undone_by(order: Order, goal: Goal, scene: Scene) -> set[str]:
    """The objects that a later order moves in a way that ends what the goal says about them."""
    return {name for name in order.moved(scene)
            if order.movement is not None or not all(
                _agree(goal, later, scene) for later in order.goals
                if name in {part.object for part in later.named(scene)})}


def _agree(one: Goal, other: Goal, scene: Scene) -> bool:
    """Whether they say the same; or one the place on the table and the other the turn."""
    same = replace(one, object=None, things=None) == replace(other, object=None, things=None)
    return same or any(a.predicate is Predicate.TURNED and _is_on_table(b, scene)
               for a, b in ((one, other), (other, one)))


def _is_on_table(goal: Goal, scene: Scene) -> bool:
    """Whether it says where on the table: only there a skill sets the turn, too."""
    table = scene.table
    exact = goal.predicate in (Predicate.AT, Predicate.NEAR, Predicate.BETWEEN, *DIRECTED)
    return not goal.negated and (exact or goal.predicate is Predicate.ON
                                 and table is not None and goal.target == table.name)


def _is_too_many(goal: Goal, most: Goal, scene: Scene, adds: bool = False) -> bool:
    """Whether a goal puts more there than the other one allows; if it `adds`, any of these."""
    things, to = most.things, {part.object for part in most.named(scene)}
    counted = goal.things if not is_about_all(goal) else None
    if goal.negated or most.negated or goal.predicate not in SUPPORTED or counted and (
            adds or not counted.count or counted.quantity is Quantity.AT_MOST):
        return False
    if most.predicate is Predicate.CLEAR:
        return goal.target in to
    names = {part.object for part in goal.named(scene)}
    going = len(to & names) if counted is None else counted.count if names <= to else 0
    return things is not None and goal.target == most.target and most.predicate in SUPPORTED and (
        things.quantity in (Quantity.EXACTLY, Quantity.AT_MOST)
        and going > (0 if adds else things.count))


def _is_turned_round(goal: Goal, other: Goal) -> bool:
    """Whether one says "A left of B" or "A on B", and the other "B left of A" or "B on A"."""
    return not goal.negated and goal.predicate in SUPPORTED | DIRECTED and replace(
        goal, object=goal.target, target=goal.object, distance=other.distance) == other


def is_about_all(goal: Goal) -> bool:
    """Whether it is about each of its objects; "two cubes" names none of them."""
    return goal.things is None or goal.things.quantity is Quantity.ALL


def _without(goal: Goal, moved: set[str], scene: Scene) -> Goal | None:
    """The goal without objects that are moved later; None if nothing is left of it."""
    names = {part.object for part in goal.named(scene)} - {None}
    if not names & moved or goal.predicate is Predicate.CLEAR or not is_about_all(goal):
        return goal
    if names <= moved or goal.things is None:
        return None
    things = replace(goal.things, named=tuple(n for n in goal.things.named if n not in moved),
                     without=tuple(sorted({*goal.things.without, *moved})))
    return replace(goal, things=things)


# Whether orders agree with each other

def check_together(orders: Sequence[Order], scene: Scene) -> None:
    """Raises Unclear if the orders do not agree with each other."""
    for number, order in enumerate(orders):
        _check_hand(order, orders[number + 1:], scene)
        for at, other in enumerate(orders[number + 1:], number + 1):
            if other.follows:
                break
            if order.settles and other.settles:
                _check_one_place(number, at, orders, scene)


def _check_one_place(number: int, at: int, orders: Sequence[Order], scene: Scene) -> None:
    """Raises Unclear if a later order ends what this one says, and it is not said to be later.

    "All cubes in the bowl, the red one in the bin" is an exception: something is left of both.
    """
    order, other = orders[number], orders[at]
    for goal in order.goals:
        names = {part.object for part in goal.named(scene)} - {None}
        undone = names and is_about_all(goal) and names <= undone_by(other, goal, scene)
        if goal not in other.goals and undone or any(
                _is_too_many(goal, later, scene) or _is_too_many(later, goal, scene)
                or _is_turned_round(goal, later) for later in other.goals):
            why = Unclear(
                Reason.AMBIGUOUS_OBJECT, f'which {"place" if undone else "one"} counts, {goal} or '
                f'{", ".join(map(str, other.goals))}? Both cannot be so at the end; if one '
                'should come after the other, say "then"', cause=Cause.TWO_PLACES)
            why.ways = [[*orders[:gone], *orders[gone + 1:]] for gone in (at, number)]
            raise why


def _check_hand(order: Order, later: Sequence[Order], scene: Scene) -> None:
    """Raises Unclear if something must stay in the hand while the hand does something else.

    "Pick up A and put B in C" would have to put A down first, and nobody asked for that.
    """
    for held in (g.object for g in order.goals
                 if g.predicate is Predicate.HOLDING and g.object and not g.negated):
        other = next((o for o in later if o.uses_gripper()), None)
        lets_go = other is not None and other.movement is not None and (
            other.movement.kind is EffectKind.RELEASE)
        if other is not None and not lets_go and not any(held in o.moved(scene) for o in later):
            wanted = ', '.join(map(str, other.goals)) or 'the next movement'
            raise Unclear(Reason.BAD_ARGUMENTS, 'the gripper holds one object at a time: '
                          f'holding({held}) is over before {wanted}; say where {held} goes first, '
                          'or pick it up last')
