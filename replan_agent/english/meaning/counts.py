"""Quantities that depend on how many there are: all but one, no more than two."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from replan_agent.domain.cause import Cause
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.skill import Reason
from replan_agent.domain.things import Quantity, Things

from ..dictionary import words
from ..phrases import NounPhrase


def all_but(phrase: NounPhrase, names: tuple[str, ...], without: set[str]) -> Things:
    """ "all but one of the eggs": exactly so many. Raises Unclear if none is left."""
    count = len(names) - (phrase.count or 0)
    if count < 1:
        raise Unclear(Reason.OBJECT_NOT_FOUND, f'{phrase.text!r}: there are only {len(names)} '
                      f'({", ".join(names)})', cause=Cause.TOO_FEW)
    return Things(Quantity.EXACTLY, count, words(*phrase.words), names, tuple(sorted(without)))


def at_most(phrase: NounPhrase, names: tuple[str, ...], at: Callable[[str], bool],
             without: set[str]) -> Things:
    """ "no more than two balls": as many as there are now, or two if there are more."""
    there = sum(map(at, names))
    return Things(Quantity.EXACTLY, min(there, phrase.count or 0), words(*phrase.words), names,
                  tuple(sorted(without)))


def check_count(phrase: NounPhrase, names: Sequence[str]) -> None:
    """Raises Unclear if there are not as many as the phrase says."""
    wanted = 2 if phrase.quantity == 'both' else phrase.count
    too_few = phrase.quantity in ('all', 'exactly', 'at_least') and (wanted or 0) > len(names)
    if too_few:
        raise Unclear(Reason.OBJECT_NOT_FOUND, f'{phrase.text!r}: there are only {len(names)} '
                      f'({", ".join(names)})', cause=Cause.TOO_FEW)
    if wanted and phrase.quantity not in ('exactly', 'at_least') and wanted != len(names):
        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which {wanted} of {", ".join(names)}? '
                      f'{phrase.text!r} fits {len(names)}', names)
