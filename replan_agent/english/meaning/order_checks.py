"""Whether the orders of a task agree with each other and with what is left alone."""

from __future__ import annotations

from collections.abc import Sequence

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Predicate
from replan_agent.domain.orders import Order, is_about_all, undone_by
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.domain.skill_effect import EffectKind

from ..phrases import Command
from ..spelling import suggestion
from .meaning import Meaning
from .referents import candidates


def check_condition(command: Command, meaning: Meaning) -> None:
    """Raises Unclear for a condition with a typing mistake: "if there is a rde cube"."""
    if command.condition is not None and not candidates(command.condition,
                                                        meaning.context):
        asks = suggestion(command.condition.text, meaning.scene)
        if asks:
            raise Unclear(Reason.OBJECT_NOT_FOUND, f'nothing here is {command.condition.text!r}')


def check_left_alone(order: Order, left_alone: frozenset[str], scene: Scene) -> None:
    both = sorted(order.moved(scene) & left_alone)
    if both:
        raise Unclear(Reason.BAD_ARGUMENTS, f'{", ".join(both)} should stay where it is, and '
                      'should be moved: which one counts?')


def check_replaced(meaning: Meaning, orders: Sequence[Order], scene: Scene) -> None:
    """Raises Unclear if something should go where another thing is that nobody moves."""
    moved = set().union(*(order.moved(scene) for order in orders))
    for name, other in meaning.replaced.items():
        if other not in moved:
            raise Unclear(Reason.TARGET_OCCUPIED, f'{other} is where {name} should go: where '
                          f'should {other} go? For example "swap the {name} and the {other}"')


def check_one_place(orders: Sequence[Order], scene: Scene) -> None:
    """Raises Unclear if an order ends what one before it says, and it is not said to be later.

    "All cubes in the bowl, the red one in the bin" is an exception: something is left of both.
    """
    for number, order in enumerate(orders):
        for later in orders[number + 1:]:
            if later.follows:
                break
            for goal in order.goals if order.settles and later.settles else ():
                names = {part.object for part in goal.named(scene)} - {None}
                if goal not in later.goals and names and is_about_all(goal) and (
                        names <= undone_by(later, goal, scene)):
                    raise Unclear(
                        Reason.AMBIGUOUS_OBJECT, f'which place counts, {goal} or '
                        f'{", ".join(map(str, later.goals))}? One thing can only be at one; if '
                        'it should go to one after the other, say "then"',
                        cause=Cause.TWO_PLACES)


def check_hand(orders: Sequence[Order], scene: Scene) -> None:
    """Raises Unclear if something must stay in the hand while the hand does something else.

    "Pick up A and put B in C" would have to put A down first, and nobody asked for that.
    """
    for number, order in enumerate(orders):
        for held in (g.object for g in order.goals
                     if g.predicate is Predicate.HOLDING and g.object and not g.negated):
            other = _in_the_way(held, orders[number + 1:], scene)
            if other is not None:
                wanted = ', '.join(map(str, other.goals)) or 'the next movement'
                raise Unclear(Reason.BAD_ARGUMENTS, 'the gripper holds one object at a time: '
                              f'holding({held}) is over before {wanted}; say where {held} goes '
                              'first, or pick it up last')


def _in_the_way(held: str, later: Sequence[Order], scene: Scene) -> Order | None:
    """The order that needs the hand while it holds the object for good."""
    found = None
    for order in later:
        lets_go = order.movement is not None and order.movement.kind is EffectKind.RELEASE
        if held in order.moved(scene) or (lets_go and found is None):
            return None
        if order.uses_gripper() and found is None:
            found = order
    return found
