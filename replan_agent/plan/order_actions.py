"""From the orders of a task to actions: each order in the scene that those before it leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from replan_agent.domain.goal import Goal, Predicate, judge_all
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill_effect import EffectKind

from .actions import LOOK, RELEASE, REPLAN, Action, put_down, slide
from .meaning.not_seen import goals_to_begin_with, not_seen
from .meaning.orders import Movement, Order, final_goals, undone_by
from .meaning.unclear import Unclear
from .search import Found, Search

_PLAIN = {EffectKind.OBSERVE: LOOK, EffectKind.RELEASE: RELEASE}


@dataclass
class Reading:
    """The orders of a task in a scene; `done` are those that completed steps did.

    `refusal` is why a command could not be read; the orders before it were. `not_seen` are things
    that the scene does not show: the orders are about the others. `is_only`: the words allow no
    other reading; else `guesses` are the choices that they leave.
    """

    orders: list[Order] = field(default_factory=list)
    done: list[bool] = field(default_factory=list)
    refusal: Unclear | None = None
    not_seen: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    left_alone: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()  # kinds of a list of which nothing is here
    remarks: tuple[str, ...] = ()  # what was said beside the orders, and left out

    @property
    def is_only(self) -> bool:
        return not self.guesses

    @property
    def stops_to_look(self) -> bool:
        return any(o.movement is not None and o.movement.kind is None for o in self.orders)

    @property
    def is_part(self) -> bool:
        """Whether the orders are worth a plan, though the task was not read to its end."""
        return self.stops_to_look or bool(self.not_seen)


def actions_for(reading: Reading, finals: Sequence[Goal], scene: Scene, search: Search
             ) -> tuple[list[Action], Order | None]:
    """The actions that are still needed, in order; and the order that none can do, if any."""
    actions: list[Action] = []
    kept: list[Goal] = []
    for number, (order, done) in enumerate(zip(reading.orders, reading.done), 1):
        if order.movement is not None:
            if order.movement.kind is None:
                if actions:
                    return [*actions, REPLAN], None
                continue  # this scene is fresh: planning now is what the step asks for
            if not done:
                more = _movement(order.movement, scene)
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
        together = (*order.goals, *(g for g in kept if g not in order.goals))
        found = search.find(together, scene)
        if found is None:
            some = search.find_what_fits(together, scene)
            if some is not None:
                return [*actions, *some.actions], None  # the rest is judged, and planned again
            return actions, order
        actions += found.actions
        scene = found.scene
        kept += [g for g in order.goals if is_final and g.predicate not in (
            Predicate.HOME, Predicate.HOLDING)]
    return actions, None


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


def _movement(movement: Movement, scene: Scene) -> list[Action]:
    assert movement.kind is not None
    if movement.kind in _PLAIN:
        return [_PLAIN[movement.kind]]
    first = [put_down(scene.held, scene.table.name)] if scene.held and scene.table else []
    return [*first, slide(movement.kind, movement.thing or '', movement.target,
                          movement.direction, movement.distance_m)]


def scene_after_order(order: Order, scene: Scene, search: Search) -> Scene:
    """The scene that is expected after an order, so that later phrases mean the right object."""
    if order.movement is not None:
        released = order.movement.kind is EffectKind.RELEASE
        return replace(scene, held=None) if released else scene
    found = search.find(order.goals, scene) if order.goals else None
    return found.scene if found is not None else scene


def is_decided(request: PlanRequest, reading: Reading, has_condition: bool) -> bool:
    """Whether the goals in force say all that is left: they were read from the task earlier.

    A condition was judged then. What was done since may have changed it: "if the bowl is empty".
    """
    decided = request.goals_certain or has_condition
    if not request.goals or not decided or not request.completed:
        return False
    if reading.refusal is not None:
        return not reading.stops_to_look
    finals = final_goals(reading.orders, request.scene)
    return all(o.movement is None and set(o.goals) <= set(finals) for o in reading.orders)


def use_goals_in_force(request: PlanRequest, reading: Reading, in_part: bool = False) -> None:
    """Make the goals in force the orders of the task; `in_part`: those about what is seen now."""
    reading.refusal = None
    last = (Predicate.HOME, Predicate.HOLDING)
    placed = tuple(g for g in request.goals if g.predicate not in last)
    ends = tuple(g for g in request.goals if g.predicate in last)
    reading.orders = [Order(goals) for goals in (placed, ends) if goals]
    reading.done = [False] * len(reading.orders)
    gone = {g.object: g.object for g in placed
            if g.object is not None and g.object not in request.scene.names()}
    if in_part and gone:
        begin_with_what_is_seen(reading, gone, request.scene)


def begin_with_what_is_seen(reading: Reading, gone: Mapping[str, str], scene: Scene) -> None:
    """Leave out the things that are not seen (their names, and the words for them).

    The refusal names them. `not_seen` stays empty if the others should not be moved before them.
    """
    goals = [goal for order in reading.orders for goal in order.goals]
    kept = set(goals_to_begin_with(goals, gone, scene))
    reading.refusal = not_seen(list(gone.values()), scene)
    reading.not_seen = tuple(gone.values()) if kept else ()
    orders = [replace(order, goals=tuple(g for g in order.goals if g in kept))
              for order in reading.orders]
    left = [(order, done) for order, done in zip(orders, reading.done) if order.goals]
    reading.orders, reading.done = [order for order, _ in left], [done for _, done in left]
