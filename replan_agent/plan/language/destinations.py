"""Reads all the places of a clause: what says which one, and where it goes."""

from __future__ import annotations

from .cursor import Cursor
from .phrases import Place, Relation
from .refusals import NotUnderstood, Open
from .tails import TailParser
from .words import FETCH_VERBS, RELATIONS, THROW_VERBS

BACK_VERBS = ('put', 'return', 'place', 'set', 'lay', 'bring', 'take', 'carry', 'get')
INTO_THE_BIN = THROW_VERBS | frozenset('take get carry bring drop'.split())
INTO_A_CONTAINER = frozenset('put place set pop stick stash'.split())


def away(c: Cursor, word: str) -> Place | None:
    """The place that "away" or "out" means after the verb; None if it does not stand here."""
    if not word or c.peek() not in ('away', 'out') or (
            c.peek(1) in ('from', 'by', 'a_bit') or c.kind(1) == 'length'):
        return None
    particle = c.accept('away', 'out')
    if word in (INTO_THE_BIN if particle == 'away' else THROW_VERBS):
        return Place(Relation.DISCARDED, sure=True)
    if particle == 'away' and word in INTO_A_CONTAINER:
        return Place(Relation.AWAY, sure=True)
    if particle == 'out' and word in FETCH_VERBS:
        return Place(Relation.FROM, sure=True)  # of what it is in
    raise Open(f'where to? "{c.said}" does not say; for example "in the bin", "10 cm to the left"'
               if particle == 'away' else f'out of what, and where to? "{c.said}" does not say')


class Destinations(TailParser):
    """Reads the places that follow the things of a command."""

    def places(self, word: str = '') -> tuple[Place, ...]:
        found: list[Place] = []
        while True:
            back = self.peek() == 'back' and word in BACK_VERBS
            if back and self.kind(1) != 'length' and self.peek(1) not in ('by', 'a_bit'):
                self.at += 1
                self.where_it_was()
                if not self.place_starts():
                    found.append(Place(Relation.BACK, sure=True))
                continue
            apart = away(self, word)
            if apart is not None:
                found += [] if not self.is_done and self.place_starts() else [apart]
                continue
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
            return (found,)
        self.at = start
        return ()
