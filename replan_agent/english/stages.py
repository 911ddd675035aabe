"""The orders of the commands of a task, one after the other."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from replan_agent.agent.ports import SceneAfter
from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Predicate
from replan_agent.domain.orders import Order, is_about_all, undone_by
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.reading import Reading
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.domain.skill_effect import DIRECTIONS, EffectKind
from replan_agent.geometry.judging import judge_all
from replan_agent.geometry.relations import SIDES

from .meaning.meaning import Meaning, leaves_the_rest
from .meaning.referents import candidates
from .meaning.said_before import Discourse, cannot
from .phrases import Command
from .progress import OrderProgress
from .readings import phrases

REFUSED = (NotUnderstood, Open, Unclear)
# Guesses about how far, and whose left it is. The rest of such a goal is certain.
SPATIAL = frozenset({*SIDES, *DIRECTIONS, Predicate.NEAR.value, 'closer'})


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
    _check_together(orders, meaning, request.scene)
    guesses = tuple(meaning.context.guesses)
    return Reading(tuple(orders), tuple(done), refusal, guesses=guesses,
                   choices=_choices(guesses, request.scene), left_alone=left_alone,
                   missing=tuple(dict.fromkeys(meaning.context.missing)))


def _choices(guesses: Iterable[str], scene: Scene) -> frozenset[str] | None:
    """The objects that guesses may mean: "a cube". None if one is a convention: "tidy up"."""
    try:
        found = [fitting(guess, scene) for guess in guesses if guess not in SPATIAL]
    except REFUSED:
        return None
    return frozenset().union(*found) if all(found) else None


def fitting(text: str, scene: Scene, viewpoint: str = 'arm') -> tuple[str, ...]:
    """The objects that noun phrases may mean. Raises one of REFUSED."""
    context = Discourse(scene, viewpoint)
    return tuple(dict.fromkeys(o.name for phrase in phrases(text, scene)
                               for o in candidates(phrase, context)))


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
            order = meaning.order(command)
        except Unclear as why:
            return why
        both = sorted(order.moved(scene) & left_alone)
        if both:
            raise cannot(f'{", ".join(both)} should stay where it is, and should be moved: which '
                         'one counts?')
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


# Whether the orders agree with each other

def _check_together(orders: Sequence[Order], meaning: Meaning, scene: Scene) -> None:
    for number, order in enumerate(orders):
        later = orders[number + 1:]
        _check_hand(order, later, scene)
        _check_one_place(order, later, scene)
    moved = set().union(*(order.moved(scene) for order in orders))
    for name, other in meaning.replaced.items():
        if other not in moved:
            raise Unclear(Reason.TARGET_OCCUPIED, f'{other} is where {name} should go: where '
                          f'should {other} go? For example "swap the {name} and the {other}"')


def _check_one_place(order: Order, later: Sequence[Order], scene: Scene) -> None:
    """Raises Unclear if a later order ends what this one says, and it is not said to be later.

    "All cubes in the bowl, the red one in the bin" is an exception: something is left of both.
    """
    for other in later:
        if other.follows:
            break
        for goal in order.goals if order.settles and other.settles else ():
            names = {part.object for part in goal.named(scene)} - {None}
            if goal not in other.goals and names and is_about_all(goal) and (
                    names <= undone_by(other, goal, scene)):
                raise Unclear(
                    Reason.AMBIGUOUS_OBJECT, f'which place counts, {goal} or '
                    f'{", ".join(map(str, other.goals))}? One thing can only be at one; if it '
                    'should go to one after the other, say "then"', cause=Cause.TWO_PLACES)


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
            raise cannot(f'the gripper holds one object at a time: holding({held}) is over before '
                         f'{wanted}; say where {held} goes first, or pick it up last')
