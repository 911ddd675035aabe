"""Reads the places of a clause, and which things go where: "A in the bowl and B in the bin"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.refusals import NotUnderstood, Open

from ..nouns import BINS
from .cursor import Cursor, text_of
from .joined_nouns import counted
from .phrases import Command, NounPhrase, Place, Relation, Verb, across, two_places
from .tails import LIKE_ANY, TailParser
from .words import (
    BEYOND,
    DIRECTIONS,
    FETCH_VERBS,
    HOLDERS,
    PICK_VERBS,
    PULL_VERBS,
    RELATIONS,
    SLIDE_VERBS,
    SWAPS,
    THROW_VERBS,
)

BACK_VERBS = ('put', 'return', 'place', 'set', 'lay', 'bring', 'take', 'carry', 'get')
INTO_THE_BIN = THROW_VERBS | frozenset('take get carry bring drop'.split())
# After "take" they say which one, unless they can only be a destination.
DESCRIBING = (Relation.IN, Relation.ON, Relation.FROM, Relation.ASIDE, Relation.ZONE)
INTO_A_CONTAINER = frozenset('put place set pop stick stash'.split())


def away(c: Cursor, word: str) -> Place | None:
    """The place that "away" or "out" means after the verb; None if it does not stand here."""
    if c.peek() not in ('away', 'out') or (
            c.peek(1) in ('from', 'by', 'a_bit') or c.kind(1) == 'length'):
        return None
    if word in SLIDE_VERBS | PULL_VERBS:
        return None  # "push it away": a direction
    particle = c.accept('away', 'out')
    if not word and particle == 'away':  # "markers away!"
        return Place(Relation.AWAY, sure=True)
    if word in (INTO_THE_BIN if particle == 'away' else THROW_VERBS):
        return Place(Relation.DISCARDED, sure=True)
    if particle == 'away' and word in INTO_A_CONTAINER:
        return Place(Relation.AWAY, sure=True)
    if particle == 'out' and word in FETCH_VERBS:
        return Place(Relation.FROM, sure=True)  # of what it is in
    raise Open(f'where to? "{c.said}" does not say; for example "in the bin", "10 cm to the left"'
               if particle == 'away' else f'out of what, and where to? "{c.said}" does not say',
               Cause.PLACE_NOT_SAID)


def _names_holders(phrases: Sequence[NounPhrase]) -> bool:
    return bool(phrases) and all(HOLDERS & set(phrase.words) for phrase in phrases)


def _is_same(phrase: NounPhrase, other: NounPhrase) -> bool:
    """Whether two phrases name the same: "the red cube here and the red cube there"."""
    same = replace(phrase, text='', definite=True) == replace(other, text='', definite=True)
    return same and bool(phrase.words) and phrase.quantity in ('', 'all', 'both')


class Destinations(TailParser):
    """Reads the places that follow the things of a command."""

    def places(self, word: str = '') -> tuple[Place, ...]:
        found: list[Place] = []
        while True:
            was = self.peek() == 'where' and self.peek(2) in ('was', 'were', 'stood', 'came')
            back = (was and self.peek(1) in ('it', 'they') or self.peek() == 'back') and (
                word in BACK_VERBS)
            if back and self.kind(1) != 'length' and self.peek(1) not in ('by', 'a_bit'):
                self.accept('back')
                self.where_it_was()
                if not self.place_starts():
                    found.append(Place(Relation.BACK, sure=True))
                continue
            if self.peek() == 'out' and self.peek(1) in ('in_a_row', 'side_by_side'):
                self.at += 1  # "lay them out in a row"
            apart = away(self, word)
            if apart is not None:
                found += [] if not self.is_done and self.place_starts() else [apart]
                continue
            if word and self.peek() == 'from' and self.peek(1) in ('in', 'into', 'onto', 'to'):
                self.at += 1  # "off into the bin"
            ahead = 2 if self.kind(1) == 'comma' or self.peek(1) == 'and' else 1
            if self.peek() in ('out_of_the_way', 'over_there') and (
                    self.peek(ahead) in RELATIONS):
                self.at += ahead  # "out of the way, in the bin"
            if word and self.peek() == 'down' and self.peek(1) in (*RELATIONS, 'at'):
                self.at += 1
            if self.peek() in ('by', 'near') and self.kind(1) == 'length':
                self.at += 1  # "by 5 cm to the left", "over by 5 cm"
            if found and found[-1].relation is Relation.FROM and self.peek() == 'and' and (
                    self.peek(1) in ('in', 'into', 'on', 'onto', 'to')):
                self.at += 1  # "out of the bowl and into the bin"
            place = self.place() if self._may_start_place() else None
            if place is None:
                return tuple(found)
            if found and found[-1].relation is Relation.ZONE:  # it says which one
                found[-1] = replace(found[-1], sure=False)
            found.append(place)

    def _may_start_place(self) -> bool:
        return not self.is_done and self.peek() not in ('and', 'or', 'too', 'if', 'until',
                                                        'instead_of', 'except')

    def place_starts(self) -> bool:
        start = self.at
        try:
            return self.place() is not None
        except (NotUnderstood, ValueError):
            return True
        finally:
            self.at = start

    def described_by_place(self) -> tuple[Place, ...]:
        """What says which one, before "goes": "the cube in the bin goes in the bowl"."""
        start = self.at
        found = self.place() if self.peek() in (*RELATIONS, 'at', 'far_at') else None
        if found is not None and self.peek() in ('goes', 'go', 'stays'):
            return (replace(found, sure=False),)
        self.at = start
        return ()


class PutParser(Destinations):
    """Reads things and their places. `before` are the commands read so far."""

    before: list[Command]
    opens: bool

    def check_turn(self, before: Sequence[Command], turn: str) -> None:
        """Raises NotUnderstood for "A in the bowl last, B in the bin first"."""
        late = turn == 'first' and any(c.verb is Verb.PUT for c in before)
        if late or turn == 'last' and not self.is_done:
            raise self.refuse('say things in the order in which they should be done')

    def caused(self, things: tuple[NounPhrase, ...]) -> list[Command]:
        """What follows "make the cubes ...": stand side by side, trade places."""
        if self.accept('stand', 'sit', 'be', 'lie', 'goes') or (
                self.peek(1) in RELATIONS and self.accept('go', 'land', 'rest')):
            return self.groups(things, '')
        return super().caused(things)

    def placements(self, word: str) -> list[Command]:
        """Things and where they go; "A and B in the bowl and C in the bin"."""
        place = away(self, word)
        if place is None and word and self.accept('down', 'back'):
            how = {'down': Relation.DOWN, 'back': Relation.BACK}
            place = Place(how[self.tokens[self.at - 1].text], sure=True)
        if place is not None:
            if self.is_done:
                return [self.made(Verb.PUT, (NounPhrase('it', pronoun='it'),), (place,))]
            if self.starts_phrase():
                return self._particle_first(place, self.phrases(), word)
        if self.place_starts() and word:
            return self._place_first(word)
        return self.groups(self.phrases(), word)

    def _place_first(self, word: str) -> list[Command]:
        """ "put in the bowl", which is about "it"; "put in the bowl the red cube"."""
        start, there = self.at, self.place()
        if there is not None and there.landmarks and self.starts_phrase():
            out = there.relation is Relation.FROM  # "take out of the bowl the red cube"
            return [self.made(Verb.REMOVE if out else Verb.PUT, self.phrases(),
                              (replace(there, sure=True),))]
        self.at = start
        return self.groups((NounPhrase('it', pronoun='it'),), word)

    def _particle_first(self, place: Place, things: tuple[NounPhrase, ...], word: str
                        ) -> list[Command]:
        """ "put down the cube in the bowl"; "throw out the cube in the bowl" leaves it nowhere."""
        if self.is_done or not self.place_starts():
            verb = Verb.REMOVE if place.relation is Relation.FROM else Verb.PUT
            return [self.made(verb, things, (place,))]
        start = self.at
        there = self.places(word)
        bins = [p for p in there if p.landmarks and BINS & set(p.landmarks[0].words)]
        if place.relation is not Relation.DISCARDED or bins:
            self.at = start
            return self.groups(things, word)
        return [self.made(Verb.PUT, things, (*there, place))]

    def groups(self, things: tuple[NounPhrase, ...], word: str) -> list[Command]:
        found: list[Command] = []
        if (word or self.is_done) and any(t.quantity == 'no' for t in things):
            raise self.refuse('say what to do, not what to avoid')
        if word and any(t.quantity == 'at_most' for t in things):
            raise Open(f'how many? "{self.said}" does not say')
        while True:
            if self.accept('should', 'must'):
                return [*found, self.traded(things)]
            if self.accept('contains') and not word:
                return [*found, self._held(things)]
            if not word and self.peek() in SWAPS:
                return [*found, self.traded(things)]
            if self.accept('stays'):
                self.where_it_is()
                return [*found, self.made(Verb.LEAVE, things, self.places())]
            if not word:
                things = self.limited(things)
                self.at += self.kind() == 'comma' and self.peek(1) == 'goes'
            described = () if word else self.described_by_place()
            if self.accept('goes', 'go') and not word and self.accept('empty', 'clear', 'free'):
                return [*found, self.made(Verb.EMPTY, things)]
            beside = self.accept('side_by_side' if self.peek(1) in RELATIONS else '')
            things = self.limited(things)
            self.check_turn([*self.before, *found], self.accept(
                'first' if self.peek(1) in RELATIONS else ''))
            places = (*described, *self.places(word))
            places = across(places, found[-1].places) if found else places
            if found and found[-1].verb in (Verb.LINE_UP, Verb.SORT) and places and not (
                    places[-1].landmarks):  # "in a row, the red one in the middle"
                raise self.refuse('name what is on the left or what is on the right')
            if not word and self._is_lone_adverb(places):
                raise Open(f'how far, or where to? "{self.said}" does not say; for example '
                           '"10 cm to the left"', Cause.PLACE_NOT_SAID)
            if described and len(places) > len(described):
                places = (*places[:-1], replace(places[-1], sure=True))
            while self.accept('too'):
                pass
            self.check_turn([*self.before, *found], self.accept('first', 'last'))
            text = text_of(self.tokens[:self.at])
            repeats = not places and self.peek() not in ('in_a_row', 'side_by_side', 'each_other')
            if repeats:
                places = self._same_place(things, found, word)
            things = self._limited_last(things, found)
            if any(_is_same(t, before) for c in found for before in c.things for t in things):
                raise two_places(self.said)
            placed = self._placed(things, places, word, text)
            found.append(replace(placed, repeats=repeats and bool(places)))
            if beside and places[-1].relation not in (Relation.IN, Relation.ON, Relation.TO):
                raise self.refuse('say "next to each other" or the other place, not both')
            if beside and places[-1].landmarks and places[-1].landmarks[0].words == ('table',):
                found.append(self.made(Verb.GATHER, (NounPhrase('them', pronoun='them',
                                                                plural=True),)))
            if not self.joined() or not self.starts_phrase():
                return found
            things = tuple(counted(t, found[-1].things[-1]) for t in self.phrases())

    def _limited_last(self, things: tuple[NounPhrase, ...], found: Sequence[Command]
                      ) -> tuple[NounPhrase, ...]:
        """The things without those after "except". After two orders it must name one's kind."""
        limited = self.limited(things)
        left_out = limited[-1].without[len(things[-1].without):] if limited else ()
        own = all(set(p.words) & set(things[-1].words) for p in left_out)
        if found and left_out and (not own or self.tokens[self.at - 1].text in LIKE_ANY):
            raise Open(f'of all of them, or only of the last? "{self.said}" does not say')
        return limited

    def _held(self, holders: tuple[NounPhrase, ...]) -> Command:
        """ "(the bowl contains) two balls"."""
        self.check_one_holder(holders)
        held = self.phrases()
        if _names_holders(held[1:]):  # "the bowl holds two balls and the bin one"
            raise Open(f'what should each hold? "{self.said}" may mean that one of them goes in '
                       'the other')
        if self.accept('in'):
            self.accept('it', 'there')
        return self.made(Verb.PUT, self.limited(held), (Place(Relation.IN, holders, sure=True),))

    def _is_lone_adverb(self, places: tuple[Place, ...]) -> bool:
        """ "cubes left!": without a verb, a distance or "to the" it is no direction."""
        before = self.tokens[self.at - 2].text if self.at > 1 else ''
        return bool(places) and places[-1].relation is Relation.ASIDE and (
            places[-1].distance_m is None and self.tokens[self.at - 1].text in DIRECTIONS
            and before not in ('the', 'to', 'goes', 'go', 'your'))

    def _same_place(self, things: tuple[NounPhrase, ...], found: list[Command], word: str
                    ) -> tuple[Place, ...]:
        """The place of the command before: "then the blue one", "the blue one too"."""
        too = any(t.text == 'too' for t in self.tokens)
        last = next((c for c in reversed([*self.before, *found]) if c.verb is Verb.PUT), None)
        names = ' and '.join(t.text for t in things)
        beyond = next((t.said or t.text for t in self.tokens if t.text in BEYOND), '')
        if beyond:
            raise self.refuse(f'{beyond!r} is no place that the arm can reach for')
        if last is not None and self.accept('there'):
            return last.places
        pairs = [(t.text, after.text) for t, after in zip(self.tokens, self.tokens[1:])]
        if any(word == 'both' and after in RELATIONS for word, after in pairs):
            if any(word == 'and' and after in RELATIONS for word, after in pairs):
                raise two_places(self.said)
            raise self.refuse('"both" is for two things: name two')
        if too and len({p.landmarks for c in found for p in c.places}) > 1:
            raise Open(f'where should {names} go? "{self.said}" names several places')
        if last is not None and ((too and found) or (not word and self.opens and not found)
                                 or (too and not word)):
            return last.places
        if word in PICK_VERBS and not found:
            return ()
        before = found[-1].places[-1:] if found else ()
        if before and _names_holders(things) and _names_holders(before[0].landmarks):
            raise two_places(self.said)  # "in the bowl and the bin"
        if not word and not found:
            raise self.refuse()
        raise Open(f'where should {names} go? "{self.said}" does not say; for example "in the '
                   'bowl", "next to the bin", "10 cm to the left"', Cause.PLACE_NOT_SAID)

    def to_next_place(self) -> Command | None:
        """ "(put the can in the bowl,) then in the bin"; else None.

        After "A in the bowl and B in the bin" it may be about one of them or both.
        """
        last = self.before[-1] if self.before else None
        if not self.tokens[0].then or last is None or last.verb is not Verb.PUT or (
                self.peek() not in RELATIONS) or len(self.before) > 1 and not last.follows:
            return None
        start = self.at
        place = self.place()
        if place is None or not self.is_done:
            self.at = start
            return None
        several = len(last.things) > 1 or last.things[0].is_several
        thing = NounPhrase('them', pronoun='them', plural=True) if several else NounPhrase(
            'it', pronoun='it')
        return Command(Verb.PUT, self.text, (thing,), (replace(place, sure=True),))

    def _described_by(self, things: tuple[NounPhrase, ...], places: tuple[Place, ...]
                      ) -> tuple[NounPhrase, ...]:
        """What to hand over: the places beside "to me" say which one."""
        which = tuple(p for p in places if p.relation is not Relation.TO_PERSON)
        if which and (len(things) > 1 or any(p.sure or p.relation not in DESCRIBING
                                             for p in which)):
            raise two_places(self.said)
        return (*things[:-1], replace(things[-1], places=(*things[-1].places, *which)))

    def _placed(self, things: tuple[NounPhrase, ...], places: tuple[Place, ...], word: str,
                text: str) -> Command:
        """A placement; without a destination, what the verb means then."""
        if self.peek() in ('in_a_row', 'side_by_side') and not places:
            return self.in_a_row(things)
        if not places and self.accept('each_other'):
            return Command(Verb.STACK, text, things)
        if not places:
            return Command(Verb.PICK, text, things)
        several = len(things) > 1 or things[-1].is_several
        apart = places[-1].relation is Relation.FROM and places[-1].distance_m is None
        if not word and apart:  # "eggs out of the bowl", not "10 cm from the bowl"
            return Command(Verb.REMOVE, text, things, places)
        if word in FETCH_VERBS and not (several and word in ('collect', 'get', 'bring')
                                        and places[-1].relation is Relation.IN):
            if apart:
                return Command(Verb.REMOVE, text, things, places)
            if not any(p.sure or p.relation not in DESCRIBING for p in places):
                thing = replace(things[-1], places=(*things[-1].places, *places))
                return Command(Verb.PICK, text, (*things[:-1], thing))
        if any(p.relation is Relation.TO_PERSON for p in places):
            return Command(Verb.GIVE, text, self._described_by(things, places))
        return Command(Verb.PUT, text, things, places)
