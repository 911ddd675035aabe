"""What "away" and "out" mean after a verb, next to it or after the object."""

from __future__ import annotations

from .cursor import Cursor
from .phrases import Place, Relation
from .refusals import Open
from .words import FETCH_VERBS, THROW_VERBS

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
