# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands to orders: what each verb means."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.kinds import is_loose
from replan_agent.domain.orders import Movement, Order
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.domain.skill_effect import DIRECTIONS, EffectKind
from replan_agent.domain.things import Quantity, Things
from replan_agent.geometry.goal_words import Saying
from replan_agent.geometry.judging import is_resting_on, judge, resting_on
from replan_agent.geometry.layouts import instead_of, row
from replan_agent.geometry.towers import foot_of, volume

from ..dictionary import COLOURS, KINDS, check_known, words
from ..phrases import CHOICE, DENIED, Command, NounPhrase, Place, Relation, Verb
from . import arrangements
from .arranging import Arranging
from .place_meaning import SUPPORTING
from .referents import COUNTED, candidates, found_there, is_any, meant, one
from .said_before import cannot, which

# Verbs whose meaning is our convention: another reading is possible.
CONVENTIONS = frozenset({Verb.LINE_UP, Verb.GATHER, Verb.GROUP, Verb.STACK, Verb.GIVE,
                         Verb.REMOVE, Verb.SLIDE})
_REST = ('rest', 'other')
_FROM_THERE = frozenset({Relation.ASIDE, Relation.TOWARDS, Relation.APART_FROM, Relation.BACK,
                         Relation.DOWN, Relation.AWAY})


def leaves_the_rest(command: Command) -> bool:
    """Whether it says to leave "the rest", "anything else" or "the other cubes" alone."""
    return command.verb is Verb.LEAVE and any(p.quantity in _REST for p in command.things)


class Meaning(Arranging):
    """Gives the order of each command."""

    def order(self, command: Command) -> Order:
        """The order of a command. Raises Unclear."""
        if command.condition is not None and not self._applies(command, command.condition):
            self.context.landmarks += [  # "otherwise put the red one there"
                found[0].name for place in command.places for phrase in place.landmarks
                if not phrase.pronoun and len(found := candidates(phrase, self.context)) == 1
                and found[0].is_container]
            said = [t for t in command.things if not t.pronoun] if command.has_other else []
            if said and not command.is_other:  # "otherwise put it in the bin"
                self.context.mentioned.append(tuple(dict.fromkeys(
                    o.name for t in said for o in candidates(t, self.context))))
            self.context.is_skipped = True
            return Order() if command.has_other else self._left_out(command, command.condition)
        if command.may_lack:
            command = replace(command, things=self._there(command.things))
        self._check_exceptions(command.things)
        alone = not any(t.is_several for t in command.things) and command.verb is not Verb.REMOVE
        for place in (*(p for t in command.things for p in t.places), *command.places):
            if place.has_clause and not (alone and place in command.places[-1:]):
                raise which(f'what is {place.landmarks[0].text!r}: how the things are, or this?')
        if command.verb in CONVENTIONS and not (command.verb is Verb.STACK and command.places):
            self.context.guesses.append(command.text)
        order: Order = getattr(self, f'_{command.verb.value}')(command)
        if command.until is not None:
            self._check_end(command, command.until, order)
        if command.contrast is not None and command.verb is not Verb.PUT:
            self._check_contrast(command.contrast, order.goals)
        settles = command.verb in (Verb.STACK, Verb.GIVE) or command.verb is Verb.PUT and not any(
            place.relation in _FROM_THERE for place in command.places)
        if not any(place.relation is Relation.AT for place in command.places):
            order = replace(order, goals=tuple(map(self._as_decided, order.goals)))
        return replace(order, settles=settles, follows=command.follows)

    def _check_exceptions(self, things: Sequence[NounPhrase]) -> None:
        """Raises Unclear for "all but A, and B" if "all" means B: then it is an exception, too."""
        for at, phrase in enumerate(things):
            every = candidates(phrase, self.context) if phrase.without else []
            if any(o in every for other in things[at + 1:] if phrase.is_several
                   for o in candidates(other, self.context)):
                raise which(f'are there two exceptions, or one? "{phrase.text}"')

    def _as_decided(self, goal: Goal) -> Goal:
        """The same; "to the left" is from where the object was when it was read first."""
        return next((g for g in self.decided if g.predicate in (Predicate.AT, Predicate.TURNED)
                     and replace(goal, position=g.position, degrees=g.degrees) == g), goal)

    def _there(self, phrases: Sequence[NounPhrase]) -> tuple[NounPhrase, ...]:
        """Without "all red cubes" if there are none, but others of the list are there."""
        lacking = [p for p in phrases if p.quantity == 'all' and p.words and not p.pronoun
                   and COLOURS | KINDS.keys() >= set(p.words) and not candidates(p, self.context)]
        if len(lacking) == len(phrases):
            return tuple(phrases)
        self.context.missing += [p.text for p in lacking]
        return tuple(p for p in phrases if p not in lacking)

    # Conditions

    def _applies(self, command: Command, needed: NounPhrase) -> bool:
        """Whether the condition is true. It is judged once for all commands of an "if"."""
        context = self.context
        if any(p.relation is Relation.ASIDE for p in needed.places):
            raise which(f'where is that: {needed.text!r}? For example "on the left half of the '
                        'table"')
        if needed is not context.condition:
            context.condition, context.condition_seen = needed, self._judged(needed)
            context.is_skipped = False
        context.landmarks += [one(p.landmarks[0], context) for p in needed.places if p.landmarks]
        there, gone, is_so = context.condition_seen
        named = tuple(there if is_any(needed) else [*there, *gone])
        if needed.text and named:  # not "if the bowl is empty": that is about the bowl
            it = [t.text for t in command.things if t.pronoun in ('it', 'them')]
            if command.is_other and it and context.mentioned[-1:] != [named]:
                raise which(f'which one is {it[0]!r}?', (*named, *context.mentioned[-1]), it[0])
            context.mentioned.append(named)
        return is_so is not command.unless

    def _judged(self, needed: NounPhrase) -> tuple[list[str], list[str], bool]:
        """What is there of a condition, what is not, and whether that makes it true."""
        if needed.quantity == CHOICE:  # "if A or B is in C"
            found = [self._judged(replace(p, places=(*p.places, *needed.places)))
                     for p in needed.listed]
            return ([n for there, _, is_so in found if is_so for n in there],
                    [n for _, gone, _ in found for n in gone], any(is_so for *_, is_so in found))
        check_known(needed, self.scene)
        every = replace(needed, quantity='all') if needed.quantity == DENIED else None
        there, gone = found_there(every or needed, self.context)
        around = [self.scene.get(one(q, self.context)) for p in needed.places for q in p.landmarks]
        inner = [o for o in around if o is not None and o.inside_hidden]
        if inner and not there and (is_any(needed) or needed.quantity in COUNTED):
            raise cannot(f'what is in {inner[0].name} is not seen: its walls hide most of it')
        if every and there and gone:
            raise which(f'none of {needed.text!r}, or not all? Now there: {", ".join(there)}')
        if needed.quantity not in COUNTED or needed.quantity == 'all_but':
            return there, gone, bool(there) and not gone
        count, quantity = needed.count or 0, COUNTED[needed.quantity]
        if len(there) > count and quantity is Quantity.EXACTLY and not needed.text.startswith(
                ('exactly', 'only', 'just')):
            raise which(f'there are {len(there)}: does {needed.text!r} mean exactly {count}, or '
                        f'at least {count}?')
        return there, gone, Things(quantity, count).verdict([True] * len(there)) is True

    def _left_out(self, command: Command, needed: NounPhrase) -> Order:
        """Nothing to do. What is so now is the goal, if nothing else is to be done; that there is
        no such thing is one in any case."""
        so = tuple(self._so(needed))
        why = ', and '.join(Saying().of(g) for g in so if g.predicate is not Predicate.AT)
        self.left_out[f'nothing is done about "{command.text}", because '
                      f'{why or "of its condition"}'] = so
        return Order(so if not (command.unless or needed.places or needed.count) else ())

    def _so(self, needed: NounPhrase) -> list[Goal]:
        """What is so about a condition: how many are there, or what is there or is not."""
        if needed.quantity == CHOICE:
            return [goal for p in needed.listed for goal in self._so(
                replace(p, places=(*p.places, *needed.places)))]
        there, gone, _ = self._judged(needed)
        at = needed.places[-1] if needed.places else Place(Relation.DOWN)  # on the table
        to = Relation.TO if at.relation in SUPPORTING else at.relation
        so = self._template(replace(at, relation=to, negated=True), '')
        goals = [replace(so, object=name, negated=at.negated is not (name in gone))
                 for name in gone[:1] or there] if so else []
        if so and needed.words and not (needed.ranks or needed.places[:-1] or at.negated) and (
                not there and is_any(needed) or needed.quantity in COUNTED or not goals):
            goals = [replace(so, things=Things(
                Quantity.EXACTLY, len(there), words(*needed.words)))]
        return [goal for goal in goals if judge(goal, self.scene) is True] or [
            instead_of(o, o, self.scene)
            for o in map(self._thing, (*gone, *there)[:1])]

    def _check_end(self, command: Command, left: NounPhrase, order: Order) -> None:
        """Raises Unclear if the order moves more, or less, than until nothing of that is left."""
        parts = [p for goal in order.goals for p in goal.named(self.scene)]
        emptied = [o.name for p in parts if p.predicate is Predicate.CLEAR
                   for o in resting_on(self._thing(p.object), self.scene)]
        going = {*emptied, *(p.object for p in parts if p.predicate is not Predicate.CLEAR
                             and judge(p, self.scene) is not True)}
        all_of = going | {p.object for p in parts}
        named = tuple(o.name for o in candidates(left, self.context) if is_loose(o))
        if not going <= {*named} <= all_of:
            raise which(f'which ones should go? "{command.text}" may mean more, or less', ways=[
                order.goals, *([[replace(goal, object=None, things=Things(named=named))]
                                for goal in order.goals[:1] if named and goal.target])])

    # What stays

    def left_alone(self, commands: Sequence[Command]) -> frozenset[str]:
        """What the commands say by name to leave where it is; see `the_rest`."""
        found: set[str] = set()
        for phrase in (p for c in commands if c.verb is Verb.LEAVE for p in c.things):
            if phrase.count and set(phrase.words) <= {'one', 'thing'}:  # "one stays"
                raise which(f'which one? {phrase.text!r} does not say')
            if phrase.quantity not in _REST and not phrase.pronoun:
                found |= set(self._left([phrase]))
        self.context.mentioned.clear()
        return frozenset(found)

    def the_rest(self, commands: Sequence[Command], moved: Collection[str | None]
                 ) -> frozenset[str]:
        """What "leave the rest" or "the other cubes" means: all but the objects that move."""
        going = [o for o in self.scene.objects if o.name in moved]
        found = [o for c in commands if c.verb is Verb.LEAVE for p in c.things
                 if p.quantity in _REST for o in (
                     self.scene.objects if set(p.words) == {'thing'} else
                     candidates(replace(p, quantity='all'), self.context))]
        return frozenset(o.name for o in found if o.movable and o not in going
                         and not any(is_resting_on(o, other, self.scene) for other in going))

    def _leave(self, command: Command) -> Order:
        """Nothing to do. Raises Unclear for "leave it in the bowl" if it is not there now."""
        rest = leaves_the_rest(command)
        names = [o.name for o in self.scene.movable()]
        if not rest:
            alone, self.context.left_alone = self.context.left_alone, frozenset()
            names = self._left(command.things)
            self.context.left_alone = alone
        if command.key == 'there' and self.context.landmarks:
            raise which(f'where is "there" in "{command.text}": where it is, or at another place?')
        for place in command.places:
            goal = self._template(place, names[0])
            there = [n for n in names if goal is not None and self._is_there(goal, n)]
            if goal is None or not there or not rest and len(there) < len(names):
                raise which('what should be there in the end? It is not there now, and '
                            f'"{command.text}" does not say')
        return Order()

    # One thing

    def _home(self, command: Command) -> Order:
        return Order((Goal(Predicate.HOME, negated=command.key == 'not'),))

    def _look(self, command: Command) -> Order:
        return Order(movement=Movement(None if command.key else EffectKind.OBSERVE))

    def _pick(self, command: Command) -> Order:
        return Order((Goal(Predicate.HOLDING, self._only(command)),))

    def _give(self, command: Command) -> Order:
        thing = self._thing(self._only(command))
        spot = arrangements.person_spot(thing, self.context)
        return Order((Goal(Predicate.AT, thing.name, position=spot),))

    def _hand_over(self, command: Command) -> Order:
        return Order(movement=Movement(EffectKind.GIVE, self._only(command)))

    def _release(self, command: Command) -> Order:
        held = self.scene.held
        name = self._only(command) if command.things else held
        if held != name:
            raise Unclear(Reason.PRECONDITION_FAILED, f'the gripper cannot let go of {name}: '
                          f'{f"it holds {held}" if held else "it is empty"}')
        return Order(movement=Movement(EffectKind.RELEASE, held))

    def _turn(self, command: Command) -> Order:
        goals, by = [], command.degrees or 0.0
        for thing in map(self._thing, self._names(command.things)):
            own = thing.states.degrees if thing.states else None  # of a knob
            if own is None and self.scene.held != thing.name and not is_resting_on(
                    thing, arrangements.table_of(self.scene), self.scene):
                raise cannot(f'{thing.name} is not on the table, and only there it can be turned')
            yaw = math.remainder(math.degrees(thing.pose.yaw) + by, 360.0)
            goals.append(Goal(Predicate.TURNED, thing.name,
                              degrees=round(yaw if own is None else own + by, 1)))
            self._check_possible(goals[-1])
        return Order(tuple(goals), acts=thing.movable)

    def _slide(self, command: Command) -> Order:
        """A push or a pull: in a direction, or towards another thing."""
        place = command.places[0] if command.places else Place(Relation.ASIDE, direction='closer')
        name, far, way = self._only(command), place.distance_m, place.direction
        if place.relation is Relation.ASIDE and way in ('closer', 'near'):
            return Order(movement=Movement(EffectKind.BRING_CLOSER, name, distance_m=far))
        if place.relation is Relation.ASIDE:
            to = arrangements.way_of(way, self.context)
            way = next(word for word in DIRECTIONS if DIRECTIONS[word] == to)
            return Order(movement=Movement(EffectKind.SHIFT, name, None, way, far))
        if place.relation not in (Relation.TOWARDS, Relation.TO):
            raise cannot('things are pushed in a direction or towards another thing')
        landmark = self._landmark(place.landmarks[0], name)
        return Order(movement=Movement(EffectKind.SHIFT, name, landmark))

    # Several things at once

    def _empty(self, command: Command) -> Order:
        named = self._last_named()
        names = [name for p in command.things for name in (
            [named] if p.pronoun == 'it' and named else meant(p, self.context))]
        self.context.landmarks += names
        return Order(tuple(Goal(Predicate.CLEAR, name) for name in names))

    def _swap(self, command: Command) -> Order:
        names = self._names(command.things)
        if len(names) != 2:
            raise which('which two?', names, command.span)
        first, second = map(self._thing, names)
        if foot_of(first, self.scene) == foot_of(second, self.scene):
            raise cannot(f'{first.name} and {second.name} are in one tower; say how it should be, '
                         'for example "stack A on B on C"')
        return Order((instead_of(first, second, self.scene),
                      instead_of(second, first, self.scene)))

    def _line_up(self, command: Command) -> Order:
        """A row: `command.key` says by what."""
        names = self._names(command.things)
        if len(names) < 2:
            raise cannot(f'one thing alone makes no row: {names[0]}')
        listed = command.key == 'ordered'
        key: Callable[[SceneObject], Any] = arrangements.SORT_KEYS.get(
            command.key, lambda o: names.index(o.name) if listed else 0)
        things = [self._thing(n) for n in names]
        if command.key.startswith('size') and sorted(things, key=volume) != sorted(
                things, key=lambda o: math.prod(o.size)):
            raise which('which one is bigger, by its solid or by the room that it takes?', names)
        arrangements.table_of(self.scene)
        sign = -1.0 if self.context.viewpoint == 'person' else 1.0
        things.sort(key=lambda o: (key(o), -sign * o.position[1]))
        spots = row(things, self.scene, sign)
        if spots is None:
            raise Unclear(Reason.TARGET_OCCUPIED, f'there is no room for a row of {len(things)}')
        return Order(tuple(Goal(Predicate.AT, n, position=spots[n]) for n in names))
