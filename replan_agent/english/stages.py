# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The orders of the commands of a task, one after the other, and which are done already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from replan_agent.agent.ports import SceneAfter
from replan_agent.domain.goal import Predicate
from replan_agent.domain.orders import Order, check_together
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.reading import Reading
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason, SkillSpec, find_spec, skill_that
from replan_agent.domain.skill_effect import DIRECTIONS, EffectKind
from replan_agent.geometry.goal_words import quoted, spoken
from replan_agent.geometry.judging import judge_all
from replan_agent.geometry.relations import SIDES
from replan_agent.geometry.steps.done_steps import OrderProgress, handled_by

from .dictionary import is_named
from .meaning.meaning import Meaning, leaves_the_rest
from .meaning.referents import candidates, meant, one
from .meaning.said_before import Discourse, cannot, pronoun
from .phrases import Command, Place, Relation, Verb
from .readings import phrases

REFUSED = (NotUnderstood, Open, Unclear)
Found = TypeVar('Found')
Other = TypeVar('Other')
# Guesses about how far, and whose left it is. The rest of such a goal is certain.
SPATIAL = frozenset({*SIDES, *DIRECTIONS, Predicate.NEAR.value, 'closer'})


def read_orders(commands: Sequence[Command], request: PlanRequest, viewpoint: str,
                after: SceneAfter) -> Reading:
    """The orders of the commands, up to one that cannot be read. Raises Unclear."""
    progress = OrderProgress(request.completed, request.skills)
    meaning = Meaning(Discourse(request.scene, viewpoint),
                      request.goals if request.goals_certain else (),
                      [handled_by(done, request.skills) for done in request.completed])
    left_alone = meaning.context.left_alone = meaning.left_alone(commands)
    held = progress.held_at_first(request.scene)
    meaning.context.mentioned += [held] if held else []
    orders: list[Order] = []
    done: list[bool] = []
    refusal = _read_each(commands, meaning, progress, after, orders, done)
    not_done = tuple(dict.fromkeys(g for goals in meaning.left_out.values() for g in goals))
    is_left_out = bool(meaning.left_out) and not any(
        o.movement or set(o.goals) - {*not_done} for o in orders)
    if is_left_out and not any(o.goals for o in orders):
        orders.append(Order(not_done))  # nothing to do, and that is so
        done.append(False)
    if any(map(leaves_the_rest, commands)):
        moved = {n for o in orders for n in o.may_move(request.scene)} | set(held)
        left_alone |= meaning.the_rest(commands, moved)
    check_together(orders, request.scene)
    moves = set().union(*(order.moved(request.scene) for order in orders))
    for name, other in meaning.replaced.items():
        if other not in moves:
            raise Unclear(Reason.TARGET_OCCUPIED, f'{other} is where {name} should go: where '
                          f'should {other} go? For example "swap the {name} and the {other}"')
    guesses = tuple(meaning.context.guesses)
    return Reading(tuple(orders), tuple(done), refusal, guesses=guesses,
                   choices=_choices(guesses, request.scene), left_alone=left_alone,
                   missing=tuple(dict.fromkeys(meaning.context.missing)),
                   left_out=tuple(meaning.left_out), is_left_out=is_left_out)


def or_else(other: Other, find: Callable[..., Found], *args: object) -> Found | Other:
    """What is found; the other one if the words are refused."""
    try:
        return find(*args)
    except REFUSED:
        return other


def _choices(guesses: Iterable[str], scene: Scene) -> frozenset[str] | None:
    """The objects that guesses may mean: "a cube". None if one is a convention: "tidy up"."""
    found = [or_else((), fitting, guess, scene) for guess in guesses if guess not in SPATIAL]
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
        fit = [o for o in candidates(phrase, there) if o.name in named]
        called = [o for o in fit if phrase.definite and is_named(phrase.words, o)]
        found += (o.name for o in (fit if phrase.is_several else called or fit))
    return tuple(dict.fromkeys(found))


def called(name: str | None, scene: Scene) -> str:
    """The words for the object; its name as it is written if they do not mean it alone."""
    said = spoken(name)
    found = or_else([], lambda: [one(p, Discourse(scene)) for p in phrases(said, scene)])
    return said if found == [name] else quoted(name)


def _read_each(commands: Sequence[Command], meaning: Meaning, progress: OrderProgress,
               after: SceneAfter, orders: list[Order], done: list[bool]) -> Unclear | None:
    """Add the orders, and whether each is done; returns why a command could not be read."""
    before: list[Scene] = []
    left_alone = meaning.context.left_alone
    for command in commands:
        scene = meaning.scene
        try:
            order = meaning.order(command)
        except Unclear as why:
            why.ways = [[*orders, *way] for way in why.ways if command is commands[-1]]
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
        left_out = {g for goals in meaning.left_out.values() for g in goals}
        at = 0 if order.goals and left_out.issuperset(order.goals) else len(orders)  # no hand
        before.insert(at, scene)
        done.insert(at, progress.claim(order, scene, redo))
        orders.insert(at, order)
        if not done[at]:
            meaning.context.scene = after(order, scene, left_alone)
    return None


def _is_means(order: Order, after: Order, scene: Scene) -> bool:
    """Whether an order is only a means for the next: a pick before a placement."""
    means = order.goals and not order.settles and all(
        g.predicate is Predicate.HOLDING or g.negated for g in order.goals)
    places = after.goals and not any(g.predicate is Predicate.HOLDING for g in after.goals)
    moved = order.moved(scene)
    return bool(means and places and moved and moved <= after.moved(scene))


def wished(commands: Sequence[Command], skills: Sequence[SkillSpec]) -> tuple[Command, ...]:
    """The commands; "open it" is "it should be open", if a skill says that this is its effect.

    "Give it to me" is handed over, if a skill does that.
    """
    sets = {s.name.replace('_', ' '): s for s in skills if s.effect.state}
    several = {name for name, s in sets.items() if s.effect.target not in s.object_arguments}
    gives = skill_that(skills, EffectKind.GIVE) is not None
    return tuple(replace(c, verb=Verb.PUT, key='', states=True, things=(
        c.things if c.key in several else c.things[:1]), places=(
        Place(Relation.STATE, () if c.key in several else c.things[1:],
              sets[c.key].effect.state, sure=True),))
        if c.verb is Verb.SKILL and c.key in sets else
        replace(c, verb=Verb.HAND_OVER) if gives and c.verb is Verb.GIVE else c for c in commands)


def read_calls(commands: Sequence[Command], request: PlanRequest, viewpoint: str
               ) -> Reading | None:
    """The calls of the commands; None if none has the verb of a skill. Raises Open or Unclear."""
    if not any(c.verb is Verb.SKILL for c in commands):
        return None
    odd = [c for c in commands if c.verb is not Verb.SKILL or c.condition is not None]
    if odd:
        raise Open(f'"{odd[0].text}" cannot be said together with a skill of its own: say them '
                   'one after the other')
    context = Discourse(request.scene, viewpoint)
    calls = [f'{skill.name}({", ".join(f"{k}={v!r}" for k, v in args.items())})'
             for command in commands
             if (skill := find_spec(request.skills, command.key.replace(' ', '_'))) is not None
             for args in _arguments(command, skill, context)]
    return Reading(calls='; '.join(calls))


def _arguments(command: Command, skill: SkillSpec, context: Discourse) -> Iterator[dict[str, str]]:
    """The arguments of each call: of "tap all cubes", one for each cube."""
    roles, things = skill.object_arguments, command.things
    if len(roles) == 1:
        found = [{roles[0]: name} for phrase in things for name in meant(phrase, context)]
    elif len(things) > len(roles):
        raise cannot(f'{skill.name} takes {", ".join(roles) or "nothing"}: "{command.text}" '
                     'names more')
    else:
        found = [{role: one(phrase, context) for role, phrase in zip(roles, things)}]
    for args in found or [{}]:
        lacking = [a for a in skill.arguments.get('required', ()) if a not in args]
        if lacking:
            raise cannot(f'{skill.name} also needs {", ".join(lacking)}: write it as a call, '
                         f'for example {skill.example}')
        context.mentioned.append(tuple(args.values()))
        yield args
