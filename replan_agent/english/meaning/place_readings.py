"""Which of the places of a command is the destination, and which say which object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from replan_agent.domain.refusals import Unclear
from replan_agent.domain.skill import Reason

from ..phrases import Command, NounPhrase, Place, Rank, Relation

EDGES = ('middle', 'left edge', 'right edge')
SIDES = ('left side', 'right side')


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
        if after and place.landmarks[-1].pronoun:
            continue
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
    """The phrase with places that describe it; "on the left" is a rank.

    "The things on the left side of the table" are those on that half.
    """
    ranked = [p for p in places if p.relation is Relation.ASIDE or p.direction in EDGES or (
        p.direction in SIDES and not phrase.is_several)]
    if any(p.negated for p in ranked):
        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which ones are not there? {phrase.text!r} does '
                      'not say; for example "on the right half of the table"')
    ranks = tuple(Rank(p.direction.split()[0]) for p in ranked)
    others = tuple(p for p in places if p not in ranked)
    return replace(phrase, ranks=(*phrase.ranks, *ranks), places=(*phrase.places, *others))
