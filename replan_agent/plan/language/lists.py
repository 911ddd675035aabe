"""Things that are named one after the other before their place: "first the bar, then the can"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .clauses import Clause
from .commands import ClauseParser
from .phrases import NounPhrase
from .refusals import NotUnderstood, Open
from .words import PUT_VERBS, RELATIONS, VERBS


def with_lists(clauses: Sequence[Clause]) -> Iterator[tuple[list[Clause], Clause]]:
    """Each clause, after those before it that only name a thing that goes to the same place."""
    at = 0
    while at < len(clauses):
        end = at
        while end + 1 < len(clauses) and (end > at or clauses[at].says_first) and listed(
                clauses[end]) and clauses[end + 1].tokens[0].text not in (*VERBS, 'if', 'unless'):
            end += 1
        if not any(t.text in RELATIONS for t in clauses[end].tokens):
            end = at
        yield list(clauses[at:end]), clauses[end]
        at = end + 1


def listed(clause: Clause) -> tuple[NounPhrase, ...]:
    """The things that a clause names, if it says nothing else; else none."""
    start = 1 if clause.tokens[0].text in PUT_VERBS else 0
    parser = ClauseParser(clause.tokens[start:], [], False)
    parser.accept('first')
    try:
        things = parser.phrases()
    except (NotUnderstood, Open):
        return ()
    return things if parser.is_done else ()
