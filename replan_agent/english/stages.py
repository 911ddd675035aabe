"""The orders of the commands of a task, one after the other, and which are done already."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from replan_agent.agent.ports import SceneAfter
from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import SUPPORTED, Goal, Predicate
from replan_agent.domain.orders import Movement, Order, is_about_all, undone_by
from replan_agent.domain.plan import CompletedStep, PlanRequest
from replan_agent.domain.reading import Reading
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason, SkillSpec, find_spec
from replan_agent.domain.skill_effect import DIRECTIONS, PUTS, EffectKind
from replan_agent.geometry.judging import judge_all
from replan_agent.geometry.relations import SIDES

from .meaning.meaning import Meaning, leaves_the_rest
from .meaning.referents import candidates
from .meaning.said_before import Discourse, cannot, pronoun
from .phrases import Command, Relation
from .readings import phrases

REFUSED = (NotUnderstood, Open, Unclear)
# Guesses about how far, and whose left it is. The rest of such a goal is certain.
SPATIAL = frozenset({*SIDES, *DIRECTIONS, Predicate.NEAR.value, 'closer'})


def read_orders(commands: Sequence[Command], request: PlanRequest, viewpoint: str,
                after: SceneAfter) -> Reading:
    """The orders of the commands, up to one that cannot be read. Raises Unclear."""
    progress = OrderProgress(request.completed, request.skills)
    meaning = Meaning(Discourse(request.scene, viewpoint), request.scene, request.goals)
    left_alone = meaning.context.left_alone = meaning.left_alone(commands)
    held = progress.held_at_first(request.scene)
    meaning.context.mentioned += [held] if held else []
    orders: list[Order] = []
    done: list[bool] = []
    refusal = _read_each(commands, meaning, progress, after, orders, done)
    left_out = bool(meaning.not_done) and not any(o.goals or o.movement for o in orders)
    if left_out:
        orders.append(Order(tuple(meaning.not_done)))  # nothing to do, and that is so
        done.append(False)
    if any(map(leaves_the_rest, commands)):
        moved = {n for o in orders for n in o.may_move(request.scene)} | set(held)
        left_alone |= meaning.the_rest(commands, moved)
    _check_together(orders, meaning, request.scene)
    guesses = tuple(meaning.context.guesses)
    return Reading(tuple(orders), tuple(done), refusal, guesses=guesses,
                   choices=_choices(guesses, request.scene), left_alone=left_alone,
                   missing=tuple(dict.fromkeys(meaning.context.missing)), is_left_out=left_out)


def _choices(guesses: Iterable[str], scene: Scene) -> frozenset[str] | None:
    """The objects that guesses may mean: "a cube". None if one is a convention: "tidy up"."""
    try:
        found = [fitting(guess, scene) for guess in guesses if guess not in SPATIAL]
    except REFUSED:
        return None
    return frozenset().union(*found) if all(found) else None


def fitting(text: str, scene: Scene, viewpoint: str = 'arm', said: Iterable[tuple[str, ...]] = ()
            ) -> tuple[str, ...]:
    """The objects that noun phrases may mean; `said` are those before. Raises one of REFUSED."""
    context = Discourse(scene, viewpoint, list(said))
    holders = {o.name for o in scene.objects if o.is_container}
    found: list[str] = []
    for phrase in phrases(text, scene):
        named = pronoun(phrase, context) if phrase.pronoun else scene.names()
        there = context
        if any(p.relation is Relation.IN for p in phrase.places):  # "in it": in what holds things
            there = replace(context, mentioned=[g for g in context.mentioned if holders >= {*g}])
        found += (o.name for o in candidates(phrase, there) if o.name in named)
    return tuple(dict.fromkeys(found))


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
    moved = order.moved(scene)
    return bool(means and places and moved and moved <= after.moved(scene))


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


@dataclass
class OrderProgress:
    """Each order claims the steps that did it; later orders look only at those after them."""

    completed: tuple[CompletedStep, ...]
    skills: Sequence[SkillSpec]
    _read: int = 0
    _read_before: int = 0  # without the last order

    @property
    def rest(self) -> tuple[CompletedStep, ...]:
        return self.completed[self._read:]

    def held_at_first(self, scene: Scene) -> tuple[str, ...]:
        """What the gripper held when the task began: the meaning of "it" at the start."""
        held = self.completed[0].held if self.completed else scene.held
        return (held,) if held is not None and held in scene.names() else ()

    def picked(self, scene: Scene) -> list[str]:
        """What was already picked for the orders from here on, in order."""
        return [name for done in self.rest for name in scene.names()
                if self._does(done, Goal(Predicate.HOLDING, name))]

    def put(self, thing: str, scene: Scene) -> list[str]:
        """Where the object was already put by the steps from here on."""
        return [name for name in scene.names() if name != thing and any(
            self._does(done, Goal(Predicate.ON, thing, name)) for done in self.rest)]

    def claim(self, order: Order, scene: Scene, redo: bool = False) -> bool:
        """Whether the completed steps did the order. `redo`: the last order is part of this one.

        A pick for an order that is not done yet is claimed, too: no later phrase may have it.
        """
        if redo:
            self._read = self._read_before
        self._read_before = self._read
        if order.movement is not None:
            found = [self._position(order.movement)]
        else:
            found = [self._position(part) for goal in order.goals for part in goal.named(scene)]
        if found and None not in found:
            self._read += max(at for at in found if at is not None) + 1
            return True
        mine = {p.object for g in order.goals for p in g.named(scene)}
        last = next((i for i, done in enumerate(reversed(self.rest)) if any(
            name and self._does(done, Goal(Predicate.HOLDING, name)) for name in mine)), None)
        if last is not None:
            self._read = len(self.completed) - last
        return False

    def _position(self, wanted: Goal | Movement) -> int | None:
        return next((i for i, done in enumerate(self.rest) if self._does(done, wanted)), None)

    def _does(self, done: CompletedStep, wanted: Goal | Movement) -> bool:
        """Whether the step's effect is what is wanted."""
        spec = find_spec(self.skills, done.step.skill)
        if spec is None:
            return False
        effect, args = spec.effect, done.step.args
        handled = effect.name('object', args) or (done.held if effect.puts else None)
        if isinstance(wanted, Movement):
            same = wanted.thing in (None, handled) or wanted.kind is EffectKind.RELEASE
            return (effect.kind is wanted.kind and same and wanted.kind is not None
                    and effect.value('direction', args) == wanted.direction
                    and effect.name('target', args) == wanted.target)
        if wanted.predicate is Predicate.HOME:
            return effect.kind is EffectKind.GO_HOME
        if handled != wanted.object:
            return False
        if wanted.predicate is Predicate.HOLDING:
            return effect.takes
        if wanted.predicate in SUPPORTED and not wanted.negated:
            return effect.puts and effect.name('target', args) == wanted.target
        if wanted.predicate is Predicate.AT:
            return effect.puts and effect.point(args) == wanted.position
        return effect.kind in PUTS
