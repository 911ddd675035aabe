"""Reads what follows the things of a command: exceptions, "where it is", "in a row by size"."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.refusals import Open

from .joined_nouns import completed
from .noun_parser import NounParser
from .phrases import Command, NounPhrase, Place, Relation, Verb
from .words import COLOURS, PUT_VERBS, RELATIONS, SWAPS

KEYS = {'colour': 'colour', 'size': 'size', 'height': 'height', 'shape': 'shape',
        'kind': 'kind', 'type': 'kind', 'size_up': 'size_up', 'size_down': 'size_down',
        'height_up': 'height_up', 'height_down': 'height_down'}
LIKE_ANY = COLOURS | {'one', 'ones'}  # they name no kind: "except the red ones"
SPOTS = 'places positions place position spots seats locations'.split()


class TailParser(NounParser):
    """Reads the rest of a clause. `only`: the clause says "only".

    `in_a_direction`: it says "from left to right" or "from right to left".
    """

    only = False
    in_a_direction = False
    may_lack = False

    def made(self, verb: Verb, things: tuple[NounPhrase, ...] = (), places: tuple[Place, ...] = (),
             **more: object) -> Command:
        return Command(verb, self.text, things, places, **more)  # type: ignore[arg-type]

    def limited(self, things: tuple[NounPhrase, ...]) -> tuple[NounPhrase, ...]:
        """The things with what is said after the place: "except the red one", "instead of"."""
        if things[-1].quantity == 'no' and self.excepts():  # "nothing in the bowl but the bar"
            if things[-1].words != ('thing',):
                raise self.refuse('say which things should be there')
            self.only = True
            return self.phrases()
        if self.excepts():
            without = self.exceptions(things[-1])
            if len(things) > 1 and any(t.is_several for t in things) and (
                    self.tokens[self.at - 1].text in LIKE_ANY):
                raise Open(f'of all of them, or only of the last? "{self.said}" does not say')
            things = tuple(replace(t, without=(*t.without, *without))
                           if t.is_several or t is things[-1] else t for t in things)
        if self.accept('instead_of'):
            if self.contrast is not None:
                raise self.refuse('name one thing that is not meant')
            if self.accept(*PUT_VERBS):
                self.accept('it', 'them')
            self.accept(*RELATIONS)
            self.contrast = self.phrase()
        if self.kind() == 'comma' and self.peek(1) in RELATIONS:
            self.at += 1
        return things

    def caused(self, things: tuple[NounPhrase, ...]) -> list[Command]:
        """What follows "make the bowl ..." or "let them ...": hold things, trade places."""
        if self.accept('contains', 'hold'):
            self.check_one_holder(things)
            return [self.made(Verb.PUT, self.phrases(), (Place(Relation.IN, things, sure=True),))]
        return [self.traded(things)]

    def check_one_holder(self, things: tuple[NounPhrase, ...]) -> None:
        """Raises NotUnderstood for "the bowl and the bin contain the cubes"."""
        if len(things) > 1 or things[0].is_several:
            raise self.refuse('say for each container what it should hold')

    def traded(self, things: tuple[NounPhrase, ...]) -> Command:
        """ "... trade places"."""
        verb = self.accept(*SWAPS)
        self.accept('their', 'the')
        spots = self.accept(*SPOTS)
        if not verb or not (spots or self.is_done and verb != 'change'):
            raise self.refuse()
        if spots and len(things) == 1 and self.accept('with'):
            things += self.phrases()
        if len(things) > 2 or (len(things) == 1 and not things[0].is_several):
            raise self.refuse('name the two things to swap')
        return self.made(Verb.SWAP, things)

    def where_it_is(self) -> None:
        """Goes over "where it is", "there", "alone", "as it is"."""
        while self.accept('alone', 'there', 'untouched', 'be', 'out'):
            pass
        if self.accept('where', 'as', 'how'):
            self.accept('it', 'they')
            self.accept('is', 'are', 'was', 'were', 'stands', 'lies')

    def where_it_was(self) -> None:
        if self.peek() == 'to' and self.peek(1) == 'where':
            self.at += 1
        if self.accept('where'):
            if not (self.accept('it', 'they') and self.accept('was', 'were', 'stood', 'came',
                                                              'belongs')):
                raise self.refuse()
            self.accept('before', 'from')

    def in_a_row(self, things: tuple[NounPhrase, ...]) -> Command:
        """ "in a row", "side by side", "in a row by size"."""
        if any(t.quantity == 'matching' for t in things):
            raise self.refuse('say which ones')  # "the cubes of the same colour"
        listed = self.listed(things)
        if listed is not None:
            return listed
        beside = self.accept('in_a_row', 'side_by_side') == 'side_by_side'
        ends = None if beside else self.with_row_ends(things)
        if ends is not None:
            return ends
        key = self.key()
        if key:
            return self.made(Verb.SORT, things, key=key)
        return self.made(Verb.GATHER if beside else Verb.LINE_UP, things)

    def with_row_ends(self, things: tuple[NounPhrase, ...]) -> Command | None:
        """ "the blue one on the left, the red one on the right" after a row; else None."""
        start = self.at
        self.joined()
        if not self.accept('with') and not self.end_follows():
            self.at = start
            return None
        ends: dict[str, NounPhrase] = {}
        while not ends or (self.joined() and not self.is_done):
            end = completed(self.phrase(), things[0])
            where = self.accept('on', 'at') and self.accept('the') and self.accept('left', 'right')
            if not where or where in ends or self.in_a_direction:
                raise self.refuse('name what is on the left or what is on the right')
            ends[where] = end
        return self.made(Verb.LINE_UP, (*things, *ends.values()), key=' '.join(ends))

    def listed(self, things: tuple[NounPhrase, ...]) -> Command | None:
        """ "the markers: red, black, blue", "A, B and C in that order"; else None."""
        start = self.at
        if self.accept('in_a_row') and self.kind() == 'comma' and self.peek(1) == 'in_order':
            self.at += 1
        named = self.in_a_direction and all(  # "the red, white and blue cubes": each is one
            not t.is_several or t.plural and not t.quantity and COLOURS & set(t.words)
            for t in things)
        if len(things) > 1 and (self.accept('in_order') or named) and self.is_done:
            return self.made(Verb.LINE_UP, things, key='ordered')
        if len(things) == 1 and (self.joined() or self.accept('in', 'as')):
            if self.accept('the'):
                self.accept('order')
            things += self.phrases() if self.starts_phrase() else ()
        names = things[1:]
        alike = all(set(n.words) <= COLOURS | {'one'} for n in names)
        if self.is_done and len(names) > 1 and things[0].is_several and alike:
            return self.made(Verb.LINE_UP, tuple(completed(n, things[0]) for n in names),
                             key='ordered')
        self.at = start
        return None

    def key(self) -> str:
        """What to sort by, if it is said here."""
        if not self.accept('by', 'according'):
            return ''
        self.accept('to')
        self.accept('their', 'the')
        key = KEYS.get(self.peek())
        if key is None:
            raise self.refuse(f'the arm can sort by {", ".join(dict.fromkeys(KEYS.values()))}')
        self.at += 1
        return key
