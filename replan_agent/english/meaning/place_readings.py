"""Which of the places of a command is the destination, and which say which object."""

from __future__ import annotations

from dataclasses import replace

from ..phrases import Command, NounPhrase, Place, Relation
from .referents import described
from .said_before import cannot


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
        raise cannot(f'"{command.text}" names more than one destination')
    return found
