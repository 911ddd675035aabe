# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the things of a command should go: places become goals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.kinds import NOT, is_loose
from replan_agent.domain.orders import Order, is_about_all
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.skill import Reason
from replan_agent.domain.things import Quantity, Things
from replan_agent.geometry.judging import is_resting_on, judge_all
from replan_agent.geometry.layouts import CLOSER_M, is_hardly_near, neighbours
from replan_agent.geometry.steps.after_step import put_down

from ..dictionary import check_known, words
from ..phrases import ANYTHING, Command, NounPhrase, Place, Relation, Verb
from ..readings import one_of
from . import arrangements
from .arrangements import is_in_part
from .place_meaning import BEINGS, SUPPORTING, PlaceMeaning, check_moved
from .referents import COUNTED, Rule, candidates, described, meant, one, several
from .said_before import cannot, which

EXACT = (Relation.AT, Relation.ASIDE, Relation.TOWARDS, Relation.APART_FROM)
THERE_M = 0.005  # nearer than this nothing is moved
IN_HALF_M = 0.03  # so far beyond the middle, it is in that half of the table


def attached(commands: Sequence[Command]) -> Iterator[tuple[Command, ...]]:
    """The commands in each way to read their places: which one of several is the destination."""
    return itertools.product(*(_destinations(c) or [c] for c in commands))


def _destinations(command: Command) -> list[Command]:
    """Each place may be the destination: those before and after it describe what they follow."""
    found: list[Command] = []
    for at, place in enumerate(command.places if command.verb is Verb.PUT else ()):
        before, after = command.places[:at], command.places[at + 1:]
        things = command.things
        if any(p.sure for p in (*before, *after)) or after and (
                not place.landmarks or place.landmarks[-1].pronoun) or things[-1].pronoun and any(
                    p.landmarks and p.relation is not Relation.FROM for p in before):
            continue  # "it" needs no description
        if before:
            things = (*things[:-1], described(things[-1], before))
        if after:
            place = replace(place, landmarks=(*place.landmarks[:-1],
                                              described(place.landmarks[-1], after)))
        found.append(replace(command, things=things, places=(place,)))
    return found[::-1]


class Placements(PlaceMeaning):
    """Gives the goals of a command that puts things somewhere."""

    def _put(self, command: Command) -> Order:
        self._check_described(command)
        if len(command.places) > 1:
            raise cannot(f'"{command.text}" names more than one destination')
        before = self.context.mentioned[-1:]
        goals = self._placed(command)
        self._check_repeated(command, goals, before)
        for phrase in (*([command.contrast] if command.contrast else ()), *(
                no for t in command.things if not (t.is_several or t.quantity)
                for no in t.without)):
            self._check_contrast(phrase, goals)
        if command.only and any(t.plural and not (t.definite or t.quantity)
                                for t in command.things):
            raise which(f'"{command.text}": must all of them be there, or only nothing else? Say '
                        'for example "all cubes and nothing else"')
        return Order((*goals, *self._nothing_else(goals)) if command.only else goals,
                     acts=self._is_small_step(command, goals))

    def _is_there(self, goal: Goal, name: str) -> bool:
        return judge_all((replace(goal, object=name, things=None),), self.scene) is True

    def _check_described(self, command: Command) -> None:
        """Raises Unclear for "the cubes in the bowl without the red one" and only one bowl."""
        several_go = len(command.things) > 1 or command.things[-1].is_several
        for phrase in (n for p in command.places for n in p.landmarks if several_go):
            says = [p for p in phrase.places if p.relation is not Relation.WITH or p.negated]
            plain = tuple(w for w in phrase.words if not w.startswith(NOT))
            if (says or plain != phrase.words) and len(candidates(replace(
                    phrase, places=(), words=plain), self.context)) == 1:
                raise which(f'does "{phrase.text}" say which ones should go, or where to? Say it '
                            'in other words')

    def _check_repeated(self, command: Command, goals: Sequence[Goal],
                        said: Sequence[tuple[str, ...]]) -> None:
        """Raises Unclear for "put the ball in the bowl, then the bin": a thing, or its place?"""
        moved = [self._thing(p.object) for g in goals for p in g.named(self.scene) if p.object]
        if command.repeats and any(o.is_container for o in moved) and not any(
                self._thing(n).is_container for group in said for n in group):
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'should {moved[0].name} go there too, or '
                          f'is it the next place? "{command.text}" may mean both',
                          cause=Cause.TWO_PLACES)

    def _is_small_step(self, command: Command, goals: Sequence[Goal]) -> bool:
        """Whether it says where exactly, and the goal is as good as true: 2 cm to the left."""
        exact = any(p.relation in EXACT or p.distance_m is not None for p in command.places)
        return exact and judge_all(goals, self.scene) is True and any(
            math.dist(g.position, self._thing(g.object).position[:2]) > THERE_M
            for g in goals if g.position is not None and g.object is not None)

    def _nothing_else(self, goals: Sequence[Goal]) -> list[Goal]:
        """ "only the red cube in the bowl": nothing else is in it."""
        table = self.scene.table
        if table is not None and any(g.target == table.name for g in goals):
            raise which('where should the others go? Say for example "put the rest in the bin"')
        full = {g.target or '': g.predicate for g in goals if is_about_all(g)
                and g.predicate in (Predicate.IN, Predicate.ON)}
        mine = {target: {target, *(p.object or '' for g in goals if g.target == target
                                   for p in g.named(self.scene))} for target in full}
        return [Goal(predicate, target=target, things=Things(
            Quantity.EXACTLY, 0, words('thing'), without=tuple(sorted(mine[target]))))
            for target, predicate in full.items()]

    def _check_contrast(self, phrase: NounPhrase, goals: Sequence[Goal]) -> None:
        """Raises Unclear if "instead of X" or "not X" asks for more than to leave X out."""
        names = meant(phrase, self.context)
        for goal in goals:
            there = [n for n in names if self._is_there(goal, n)]
            if there or {goal.target, *(p.object for p in goal.named(self.scene))} & set(names):
                raise which(f'what should become of {phrase.text!r}?', there or names)

    def _placed(self, command: Command) -> tuple[Goal, ...]:
        [place] = command.places
        goals: list[Goal] = []
        scene, said = self.scene, len(self.context.mentioned)
        try:
            for phrase in command.things:
                goals += self._destined(phrase, place, command)
                moved = (p.object for g in goals if is_about_all(g) for p in g.named(scene))
                self.context.mentioned[said:] = [tuple(filter(None, moved))]
        finally:
            self.context.scene = scene  # `_spread` moves things in it
        for part in (part for goal in goals for part in goal.named(scene)):
            self._check_possible(replace(part, negated=place.negated))
        return tuple(dict.fromkeys(replace(g, negated=place.negated) for g in goals))

    def _destined(self, phrase: NounPhrase, place: Place, command: Command) -> list[Goal]:
        landmark = place.landmarks[0] if place.landmarks else None
        if phrase.pronoun == ANYTHING:
            return [Goal(Predicate.HOLDING)]
        check_moved(phrase)
        if landmark is not None and landmark.quantity == 'own' and not phrase.is_several and (
                'different' in landmark.text):  # not where it is now
            landmark = replace(landmark, quantity='other', definite=True)
            place = replace(place, landmarks=(landmark,))
        if landmark is not None and landmark.quantity == 'other' and not (
                phrase.pronoun or phrase.quantity == 'other'):
            self.context.landmarks += self._holding(phrase, landmark)
        if place.relation in SUPPORTING and landmark is not None:
            own = self._own(phrase, landmark)
            if own is not None:
                return own
            if landmark.quantity in ('own', 'all'):
                return self._each_its_own(phrase, landmark)
        if phrase.quantity == 'no':
            return self._none(phrase, place)
        if phrase.quantity == 'other' and not phrase.is_several and not (
                self.context.all_mentioned() or self.scene.held):
            phrase = replace(phrase, quantity='rest', count=1)  # the one that is not there yet
        if command.states and place.relation in SUPPORTING and not command.key and (
                phrase.quantity == 'some' and phrase.text.startswith(('a ', 'an '))):
            phrase = replace(phrase, quantity='at_least', count=1)  # it may be so already
        if phrase.is_several and _is_among_themselves(phrase, place):
            return self._next_to_each_other(phrase)
        template = self._template(place, '') if phrase.is_several else None
        if place.relation is Relation.AT and command.states and (
                phrase.quantity in ('at_least', 'at_most') or phrase.text.startswith('exactly')
                or place.negated and phrase.is_several):
            template = Goal(Predicate.AT, position=arrangements.on_table(place.point, self.scene))
        phrase = phrase if template is not None else one_of(phrase)  # "one apple at (0.3, 0.3)"
        if not phrase.is_several:
            rule, is_it = self._rule_for(phrase, place), phrase.pronoun == 'it'
            named = self._last_named(rule) if is_it and place.relation is Relation.STATE else None
            name = named or one(phrase, self.context, rule, settled=self.settled)
            return [self._for_one(name, place, command)]
        things = several(phrase, self.context,
                         at=lambda n: template is not None and self._is_there(template, n))
        names = things.names(self.scene)
        if template is None:
            return self._spread(names, place, command)
        return [self._counted(things, template, phrase, command)]

    def _counted(self, things: Things, template: Goal, phrase: NounPhrase, command: Command
                 ) -> Goal:
        goal = replace(template, things=things)
        names = [part.object or '' for part in goal.named(self.scene)]
        if things.quantity is not Quantity.ALL:
            self.context.guesses.append(phrase.text)
            there = [n for n in names if self._is_there(template, n)]
            if there and phrase.quantity == 'exactly' and not (command.states or self.handled):
                counts = {things.count, things.count + len(there)} & {*range(len(names) + 1)}
                raise which(f'{things.count} more, or {things.count} in all? There already: '
                            f'{", ".join(there)}.', ways=[
                                [replace(goal, things=replace(things, count=count))]
                                for count in sorted(counts)])
        return goal

    def _for_one(self, name: str, place: Place, command: Command | None = None) -> Goal:
        thing = self._thing(name)
        if not (thing.movable or place.relation in BEINGS or place.negated):
            raise cannot(f'{name} cannot be moved', Cause.PRECONDITION_FAILED)
        if place.relation is Relation.STATE and not thing.can_be(place.direction):
            raise cannot(f'{name} cannot be {place.direction}')
        at_first = self.context.start.get(name) or thing  # it may stand on what was moved there
        if command and command.states and place.relation is Relation.ZONE and (
                place.direction.rstrip('s').endswith(('side', 'half'))
                and all(is_in_part(o, place, self.context, IN_HALF_M) for o in (thing, at_first))):
            return Goal(Predicate.AT, name, position=thing.position[:2])  # it is there
        goal = self._template(place, name)
        assert goal is not None
        if goal.target == name:
            self._note_landmark(name, name)  # raises
        return replace(goal, object=name)

    def _rule_for(self, phrase: NounPhrase, place: Place) -> Rule:
        """Which objects to prefer: for "a cube in the bowl", one that is not there yet."""
        if place.relation is Relation.STATE:
            return lambda o: o.can_be(place.direction)
        if phrase.quantity != 'some' or place.relation is not Relation.IN:
            return is_loose
        goal = self._support(place, '')
        return lambda o: is_loose(o) and not self._is_there(goal, o.name)

    def _holding(self, phrase: NounPhrase, other: NounPhrase) -> list[str]:
        """What they are in now, so that "the other bowl" is the one that they are not in."""
        things = candidates(phrase, self.context)
        holders = candidates(replace(other, quantity=''), self.context)
        found = [o.name for o in holders if any(
            is_resting_on(thing, o, self.scene) for thing in things if thing.name != o.name)]
        if found and len(found) == len(holders):
            raise which(f'{other.text!r}: there is only {found[0]}; which one is meant?')
        return found

    def _spread(self, names: Sequence[str], place: Place, command: Command) -> list[Goal]:
        """A goal for each at a place that is no single point: what goes there first takes room."""
        goals = []
        for name in names:
            goals.append(self._for_one(name, place, command))
            if goals[-1].position is not None and place.relation is Relation.ZONE:
                self.context.scene = put_down(self.scene, name, at=goals[-1].position)
        return goals

    def _next_to_each_other(self, phrase: NounPhrase) -> list[Goal]:
        """ "every cube next to another cube"."""
        things = [self._thing(n) for n in self._meant(phrase)]
        if len(things) < 2:
            raise cannot(f'next to what? {things[0].name} is the only one')
        return [Goal(Predicate.NEAR, one.name, other.name,
                     distance=CLOSER_M if is_hardly_near(one, other)
                     else None) for one, other in neighbours(things)]

    def _own(self, phrase: NounPhrase, landmark: NounPhrase) -> list[Goal] | None:
        """ "each cube on the plate of the same colour", "the milk into its bin", or None."""
        matching = landmark.quantity == 'matching'
        if not matching and (landmark.ranks or landmark.quantity not in ('', 'own')
                             or phrase.quantity not in ('', 'all', 'both')
                             or not landmark.text.startswith(('its ', 'their '))):
            return None
        holders = candidates(replace(landmark, quantity='', plural=False), self.context)
        goals: list[Goal] = []
        for thing in map(self._thing, self._meant(phrase)):
            fit = [o.name for o in holders if o != thing and (
                o.colour == thing.colour if matching
                else o.is_container and o.name.startswith(f'{thing.name}_'))]
            if len(fit) == 1 and not landmark.count:
                goals.append(self._for_one(thing.name, _to(fit[0])))
            elif matching:
                raise which(f'{thing.name} is {thing.colour}: which one is {landmark.text!r}?')
            else:
                return None
        return goals

    def _none(self, phrase: NounPhrase, place: Place) -> list[Goal]:
        """ "no cubes in the bowl"."""
        check_known(phrase, self.scene)
        others = [n for n in place.landmarks if n.quantity == 'other' and not n.definite]
        if others:  # "no cube on another cube"
            each = candidates(replace(others[0], quantity=''), self.context)
            beside = (replace(place, landmarks=_to(o.name).landmarks) for o in each)
            return [goal for at in beside for goal in self._none(phrase, at)]
        says = place.relation in SUPPORTING and place.landmarks[0].quantity != 'some'
        template = self._support(place, '') if says else None
        if template is None or template.target == arrangements.table_of(self.scene).name:
            raise which(f'where should they go? {phrase.text!r} does not say')
        some = Things(words=words(*phrase.words))
        if phrase.ranks or phrase.places:  # "no big cubes"
            some = several(replace(phrase, quantity='all'), self.context)
        return [replace(template, things=replace(some, quantity=Quantity.EXACTLY))]

    def _each_its_own(self, phrase: NounPhrase, landmark: NounPhrase) -> list[Goal]:
        """ "each cube on a different plate", "a cube on each plate"."""
        targets = several(replace(landmark, quantity='all'), self.context)
        holders = targets.names(self.scene)
        counted = phrase.quantity in COUNTED and landmark.quantity == 'own'
        one_each = one_of(phrase).quantity == 'some' and not counted
        if phrase.words == ('thing',) or landmark.quantity == 'all' and not one_each:
            raise which(f'which one should go where? {phrase.text!r} does not say.', holders)
        things = several(phrase if counted else replace(phrase, quantity='all', count=None),
                         self.context)
        count = phrase.count or 0 if counted else len(things.names(self.scene))
        if count < len(holders) if one_each else not 0 < count <= len(holders):
            raise cannot(f'{phrase.text!r} and {landmark.text!r} do not match: there are '
                         f'{count} and {len(holders)}')
        if one_each:
            things = replace(things, quantity=Quantity.AT_LEAST, count=len(holders))
        inside = all(self._thing(n).is_container for n in holders)
        return [Goal(Predicate.IN if inside else Predicate.ON, things=things, targets=targets)]


def _to(name: str) -> Place:
    return Place(Relation.TO, (NounPhrase(name, (name,)),))


def _is_among_themselves(phrase: NounPhrase, place: Place) -> bool:
    """Whether it says "every cube next to another cube", "all cubes next to a cube"."""
    beside = place.landmarks[0] if place.relation is Relation.NEAR else phrase
    return beside is not phrase and place.distance_m is None and (
        bool(beside.words) and beside.words in (phrase.words, ('one',)) and not (
            beside.definite or beside.ranks or beside.places or (beside.count or 1) > 1))
