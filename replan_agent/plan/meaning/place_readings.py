"""Which of the places of a command is the destination, and which say which object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from replan_agent.domain.skill import Reason

from ..language.phrases import Command, NounPhrase, Place, Rank, Relation
from .unclear import Unclear


def readings(command: Command) -> list[tuple[tuple[NounPhrase, ...], Place]]:
    """The ways to read the places of a command: which one is the destination."""
    found = []
    for at, place in enumerate(command.places):
        before, after = command.places[:at], command.places[at + 1:]
        if any(p.sure for p in (*before, *after)) or (after and not place.landmarks):
            continue
        things = command.things
        if things[-1].pronoun and any(p.landmarks and p.relation is not Relation.FROM
                                      for p in before):
            continue  # "it" needs no description
        if before:
            things = (*things[:-1], described(things[-1], before))
        if after:
            place = replace(place, landmarks=(*place.landmarks[:-1],
                                              described(place.landmarks[-1], after)))
        found.append((things, place))
    if not found:
        raise Unclear(Reason.BAD_ARGUMENTS, f'"{command.text}" names more than one destination')
    return found


def described(phrase: NounPhrase, places: Sequence[Place]) -> NounPhrase:
    """The phrase with places that describe it; "on the left" is a rank."""
    ranks = tuple(Rank(p.direction.removesuffix(' edge')) for p in places if _is_rank(p))
    others = tuple(p for p in places if not _is_rank(p))
    return replace(phrase, ranks=(*phrase.ranks, *ranks), places=(*phrase.places, *others))


def _is_rank(place: Place) -> bool:
    return place.relation is Relation.ASIDE or place.direction in ('middle', 'left edge',
                                                                   'right edge')
