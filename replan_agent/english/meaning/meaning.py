"""Commands to orders: what each verb means."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.orders import Movement, Order
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.domain.things import Quantity, Things
from replan_agent.geometry.judging import is_resting_on, judge
from replan_agent.geometry.relations import symmetry_deg

from ..dictionary import words
from ..phrases import Command, NounPhrase, Place, Relation, Verb
from . import arrangements, table_spots
from .group_meaning import GroupMeaning
from .place_meaning import SUPPORTING
from .ranks import foot_of
from .referents import candidates, one, several
from .words_now import check_known

# Verbs whose meaning is our convention: another reading is possible.
CONVENTIONS = frozenset({Verb.TIDY, Verb.SORT, Verb.LINE_UP, Verb.GATHER, Verb.GROUP, Verb.STACK,
                         Verb.GIVE, Verb.REMOVE, Verb.SLIDE, Verb.PULL})
_REST = ('rest', 'other')
_FROM_THERE = frozenset({Relation.ASIDE, Relation.TOWARDS, Relation.APART_FROM, Relation.BACK,
                         Relation.DOWN, Relation.AWAY})


def leaves_the_rest(command: Command) -> bool:
    """Whether it says to leave "the rest", "anything else" or "the other cubes" alone."""
    return command.verb is Verb.LEAVE and any(p.quantity in _REST for p in command.things)


def _settles(command: Command) -> bool:
    """Whether it names a place; not "to the left", "back" or "away", from where it was then."""
    return command.verb in (Verb.STACK, Verb.GIVE) or command.verb is Verb.PUT and not any(
        place.relation in _FROM_THERE for place in command.places)


class Meaning(GroupMeaning):
    """Gives the order of each command."""

    def order(self, command: Command) -> Order:
        """The order of a command. Raises Unclear."""
        if command.condition is not None and not self._applies(command):
            self._skip(command)
            return self._none_seen(command)
        if command.may_lack:
            command = replace(command, things=self._there(command.things))
        ordered = command.verb is Verb.STACK and bool(command.places)
        if command.verb in CONVENTIONS and not ordered:
            self.context.guesses.append(command.text)
        order: Order = getattr(self, f'_{command.verb.value}')(command)
        if command.contrast is not None and command.verb is not Verb.PUT:
            self._check_contrast(command.contrast, order.goals)
        return replace(order, settles=_settles(command), follows=command.follows)

    def _applies(self, command: Command) -> bool:
        """Whether the condition is true. It is judged once for all commands of an "if"."""
        assert command.condition is not None
        if any(p.relation is Relation.ASIDE for p in command.condition.places):
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'where is that: {command.condition.text!r}? '
                          'For example "on the left half of the table"')
        check_known(command.condition, self.scene)
        if command.condition is not self.context.condition:
            self.context.condition = command.condition
            self.context.condition_seen = tuple(candidates(command.condition, self.context))
        seen = self.context.condition_seen
        self.context.landmarks += [one(p.landmarks[0], self.context)
                                   for p in command.condition.places if p.landmarks]
        if seen and command.condition.text:  # not "if the bowl is empty": that is about the bowl
            self.context.mentioned.append(tuple(o.name for o in seen))
        elif command.condition.text and command.condition.definite:  # "if the can is not in ..."
            self.context.mentioned.append(tuple(o.name for o in candidates(
                replace(command.condition, places=()), self.context)))
        return self._are_enough(command.condition, len(seen)) is not command.unless

    def _skip(self, command: Command) -> None:
        """Keeps where a command that is left out would put things: "otherwise put B in there"."""
        for phrase in (p for place in command.places for p in place.landmarks if not p.pronoun):
            found = candidates(phrase, self.context)
            self.context.skipped += [found[0].name] if len(found) == 1 else []

    def _are_enough(self, needed: NounPhrase, seen: int) -> bool:
        """Whether there are as many as the condition says: "if there are two cubes"."""
        count = needed.count or 1
        if seen > count and needed.quantity == 'exactly' and 'exactly' not in needed.text:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'there are {seen}: does {needed.text!r} mean '
                          f'exactly {count}, or at least {count}?')
        return seen == count if needed.quantity == 'exactly' else seen >= count

    def _none_seen(self, command: Command) -> Order:
        """A condition that is false is a goal, too: still no such thing at the end."""
        assert command.condition is not None
        table = self.scene.table
        if command.unless or command.has_other or table is None or (
                command.condition.places or command.condition.count):
            self.not_done += self._why_not(command)
            return Order()
        none = Things(Quantity.EXACTLY, 0, words(*command.condition.words))
        return Order((Goal(Predicate.ON, target=table.name, things=none),))

    def _why_not(self, command: Command) -> list[Goal]:
        """What is true now, so that a command is not carried out: "unless there is a bar"."""
        assert command.condition is not None
        where = [p for p in command.condition.places if p.relation in SUPPORTING and p.landmarks]
        goals = [Goal(predicate, thing.name, other.name) for thing in self.context.condition_seen
                 for other in self.scene.objects for predicate in (Predicate.IN, Predicate.ON)
                 if other.name != thing.name]
        if not command.unless:
            none = Things(Quantity.EXACTLY, 0, words(*command.condition.words))
            goals = [Goal(predicate, target=one(where[0].landmarks[0], self.context), things=none)
                     for predicate in (Predicate.IN, Predicate.ON) if len(where) == 1]
        return [goal for goal in goals if judge(goal, self.scene) is True][:1]

    # Commands without a place

    def _home(self, command: Command) -> Order:
        return Order((Goal(Predicate.HOME),))

    def _look(self, command: Command) -> Order:
        return Order(movement=Movement(EffectKind.OBSERVE))

    def _replan(self, command: Command) -> Order:
        return Order(movement=Movement(None))

    def left_alone(self, commands: Sequence[Command]) -> frozenset[str]:
        """What the commands say by name to leave where it is; see `the_rest`."""
        found: set[str] = set()
        for command in commands:
            if command.verb is Verb.LEAVE:
                for phrase in command.things:
                    if phrase.count and set(phrase.words) <= {'one', 'thing'}:  # "one stays"
                        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which one? {phrase.text!r} '
                                      'does not say')
                    if phrase.quantity not in _REST and not phrase.pronoun:
                        found |= set(self._left([phrase]))
        self.context.mentioned.clear()
        return frozenset(found)

    def the_rest(self, commands: Sequence[Command], moved: Collection[str | None]
                 ) -> frozenset[str]:
        """What "leave the rest" or "the other cubes" means: all but the objects that move."""
        going = [thing for name in moved if (thing := self.scene.get(name or '')) is not None]
        phrases = [p for c in commands if c.verb is Verb.LEAVE for p in c.things
                   if p.quantity in _REST]
        meant = {thing.name: thing for phrase in phrases for thing in (
            self.scene.movable() if set(phrase.words) == {'thing'} else
            candidates(replace(phrase, quantity='all'), self.context))}
        return frozenset(name for name, thing in meant.items()
                         if thing.movable and name not in moved
                         and not any(is_resting_on(thing, other) for other in going))

    def _leave(self, command: Command) -> Order:
        if leaves_the_rest(command):
            self._check_some_there(command)
            return Order()
        if any(p.pronoun for p in command.things) and not command.places:
            return Order()
        alone, self.context.left_alone = self.context.left_alone, frozenset()
        names = self._left(command.things)
        self.context.left_alone = alone
        for place in command.places:
            goal, _ = self._template(place, names[0])
            if goal is None or not all(judge(replace(goal, object=n), self.scene) for n in names):
                raise Unclear(Reason.AMBIGUOUS_OBJECT, f'{", ".join(names)} is not there now: '
                              f'should it be put there? "{command.text}" does not say')
            inside = goal.predicate is Predicate.IN
            self.context.kept_in = goal.target or '' if inside else ''
        return Order()

    def _check_some_there(self, command: Command) -> None:
        """Raises Unclear for "leave the rest in the bowl" if nothing is in the bowl."""
        names = [o.name for o in self.scene.movable()]
        for place in command.places:
            goal, _ = self._template(place, names[0])
            if goal is None or not any(judge(replace(goal, object=n), self.scene)
                                       for n in names if n != goal.target):
                raise Unclear(Reason.AMBIGUOUS_OBJECT, f'nothing is there now: what should be '
                              f'there in the end? "{command.text}" does not say')

    def _pick(self, command: Command) -> Order:
        names = self._names(command.things)
        if len(names) > 1:
            raise Unclear(Reason.BAD_ARGUMENTS, f'"{command.text}" names {", ".join(names)}, and '
                          'the gripper holds one object at a time')
        return Order((Goal(Predicate.HOLDING, names[0]),))

    def _release(self, command: Command) -> Order:
        if command.things:
            name = self._name(command.things[0])
            if len(command.things) > 1 or self.scene.held != name:
                holds = f'it holds {self.scene.held}' if self.scene.held else 'it is empty'
                raise Unclear(Reason.PRECONDITION_FAILED,
                              f'the gripper cannot let go of {name}: {holds}')
        return Order(movement=Movement(EffectKind.RELEASE, self.scene.held))

    def _turn(self, command: Command) -> Order:
        goals = []
        for name in self._names(command.things):
            thing = self._thing(name)
            degrees = command.degrees or 0.0
            if symmetry_deg(thing) is None:
                raise Unclear(Reason.BAD_ARGUMENTS, f'{name} is round and looks the same after '
                              f'a turn by {degrees:g} degrees, so it cannot be judged')
            if not is_resting_on(thing, arrangements.table_of(self.scene)
                                 ) and self.scene.held != name:
                raise Unclear(Reason.BAD_ARGUMENTS, f'{name} is not on the table, and only '
                              'there it can be turned')
            if thing.turn_unknown and name not in self.turns:
                raise Unclear(Reason.PRECONDITION_FAILED, f'how {name} is turned now cannot be '
                              'told from what is seen of it, so a turn cannot be judged')
            yaw = self.turns.get(name, math.remainder(
                math.degrees(thing.pose.yaw) + degrees, 360.0))
            goals.append(Goal(Predicate.TURNED, name, degrees=round(yaw, 1)))
        return Order(tuple(goals), acts=True)

    # Several things at once

    def _tidy(self, command: Command) -> Order:
        target = arrangements.tidy_target(self.scene)
        phrases = command.things or (NounPhrase('everything', ('thing',), 'all'),)
        return Order(tuple(
            Goal(Predicate.IN, target=target, things=several(phrase, self.context))
            if phrase.is_several else Goal(Predicate.IN, one(phrase, self.context), target)
            for phrase in phrases))

    def _empty(self, command: Command) -> Order:
        names = [name for p in command.things for name in (
            several(p, self.context).names(self.scene) if p.is_several else
            [(p.pronoun == 'it' and self._container_named()) or one(p, self.context)])]
        self.context.landmarks += names
        return Order(tuple(Goal(Predicate.CLEAR, name) for name in names))

    def _swap(self, command: Command) -> Order:
        names = self._names(command.things)
        if len(names) != 2:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which two of {", ".join(names)}?', names)
        if set(names) <= set(self.fixed):
            return Order(tuple(Goal(Predicate.AT, n, position=self.fixed[n]) for n in names))
        first, second = map(self._thing, names)
        if foot_of(first, self.scene) == foot_of(second, self.scene):
            raise Unclear(Reason.BAD_ARGUMENTS, f'{first.name} and {second.name} are in one '
                          'tower; say how it should be, for example "stack A on B on C"')
        return Order((arrangements.instead_of(first, second, self.scene),
                      arrangements.instead_of(second, first, self.scene)))

    def _line_up(self, command: Command) -> Order:
        return self._row(command, lambda o: 0.0)  # as they stand, or as they were listed

    def _sort(self, command: Command) -> Order:
        return self._row(command, arrangements.SORT_KEYS[command.key])

    def _row(self, command: Command, key: Callable[[SceneObject], object]) -> Order:
        sides = command.key.split() if command.key.startswith(('left', 'right')) else []
        names = self._names(command.things[:len(command.things) - len(sides)])
        if sides:
            names, key = self._with_ends(names, command.things[-len(sides):], sides)
        if len(names) < 2:
            raise Unclear(Reason.BAD_ARGUMENTS, f'one thing alone makes no row: {names[0]}')
        if set(names) <= set(self.fixed):
            spots = self.fixed
        else:
            if command.key == 'ordered':
                key = lambda o: names.index(o.name)  # noqa: E731
            spots = arrangements.row([self._thing(n) for n in names], key, self.context)
        return Order(tuple(Goal(Predicate.AT, n, position=spots[n]) for n in names))

    def _with_ends(self, names: list[str], phrases: Sequence[NounPhrase], sides: Sequence[str]
                   ) -> tuple[list[str], Callable[[SceneObject], object]]:
        """What is in a row with these at its ends, and a key: the others are as they stand."""
        ends = [one(p, self.context, lambda o: o.name in names) for p in phrases]
        if len(set(ends)) < len(sides):
            raise Unclear(Reason.BAD_ARGUMENTS, f'{ends[0]} cannot be at both ends of a row')
        place = {name: -1 if side == 'left' else 1 for name, side in zip(ends, sides)}
        return list(dict.fromkeys((*names, *ends))), lambda o: place.get(o.name, 0)

    def _give(self, command: Command) -> Order:
        names = self._names(command.things)
        if len(names) > 1:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which one of {", ".join(names)}? One thing '
                          'at a time is handed over', names)
        at = self.fixed.get(names[0]) or table_spots.person_spot(self._thing(names[0]),
                                                                 self.context)
        return Order((Goal(Predicate.AT, names[0], position=at),))

    # Sliding

    def _slide(self, command: Command) -> Order:
        name = self._name(command.things[0])
        if not command.places:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which way should {name} be pushed? For '
                          'example "to the left", "towards the bowl"')
        place = command.places[0]
        if place.relation is Relation.ASIDE:
            if place.direction in ('closer', 'near'):
                return self._pull(command)
            direction = arrangements.word_for(place.direction, self.context.viewpoint)
            return Order(movement=Movement(EffectKind.SHIFT, name, direction=direction,
                                           distance_m=place.distance_m))
        if not place.landmarks or place.relation not in (Relation.TOWARDS, Relation.TO,
                                                         Relation.NEAR):
            raise Unclear(Reason.BAD_ARGUMENTS, 'things are pushed in a direction or towards '
                          'another thing')
        return Order(movement=Movement(EffectKind.SHIFT, name,
                                       self._landmark(place.landmarks[0], name)))

    def _pull(self, command: Command) -> Order:
        place = command.places[0] if command.places else Place(Relation.ASIDE, direction='closer')
        if place.relation is not Relation.ASIDE or place.direction not in ('closer', 'near',
                                                                           'back'):
            return self._slide(command)
        name = self._name(command.things[0])
        return Order(movement=Movement(EffectKind.BRING_CLOSER, name,
                                       distance_m=place.distance_m))
