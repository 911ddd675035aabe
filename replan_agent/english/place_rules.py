"""What the rules of the grammar for places mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from .noun_rules import listed
from .phrases import OPPOSITE, NounPhrase, Place, Rank, Relation

THERE = NounPhrase('there', pronoun='there')
_TABLES = frozenset({'table', 'tabletop', 'desk'})


class Places(tuple[Place, ...]):
    """The places of a command, in the order in which they are said."""


def is_table(phrase: NounPhrase) -> bool:
    return bool(_TABLES & set(phrase.words[-1:]))


def _related(relation: str, *landmarks: NounPhrase) -> Place | None:
    """ "in the bowl"; but "on the left side of the table" is a part of it."""
    if Relation(relation) in OPPOSITE and is_table(landmarks[0]):
        side = relation.removesuffix('_of')
        return _zone(f'{side} side', True) if side in ('left', 'right') else None
    return Place(Relation(relation), listed(landmarks))


def _zone(direction: str, sure: bool = False) -> Place:
    return Place(Relation.ZONE, direction=direction, sure=sure)


def _way(*parts: Any) -> Place:
    """A direction, or towards or away from a landmark; with or without a distance."""
    far = next((p for p in parts if isinstance(p, float)), None)
    said, *landmarks = (p for p in parts if not isinstance(p, float))
    return Place(Relation(said) if landmarks else Relation.ASIDE, tuple(landmarks),
                 '' if landmarks else said, far, sure=True)


def _being(relation: Relation, degrees: float | None = None) -> Places:
    return Places((Place(relation, degrees=degrees, sure=True),))


def _on_top() -> Place:
    return Place(Relation.ON, (NounPhrase('top', (), definite=False, ranks=(Rank('top'),)),))


PLACE_RULES: Mapping[str, Callable[..., Any]] = {
    'place_on_axis': lambda place, sign, axis: replace(place, axis=f'{sign} {axis[0]}') if (
        place.relation in (Relation.ZONE, Relation.ASIDE)) else None,
    'places': lambda *places: Places(places),
    'related': _related,
    'sure': lambda relation, *landmarks: Place(
        Relation(relation), listed(landmarks), sure=True),
    'to': lambda landmark: Place(Relation.TO, (landmark,), sure=True),
    'where_it_is': lambda landmark: Place(Relation.WHERE, (landmark,), sure=True),
    'on_top_place': _on_top,
    'other_side': lambda landmark: Place(Relation.ZONE, (landmark,), 'other side', sure=True),
    'to_me': lambda: Place(Relation.TO_PERSON, sure=True),
    'on_side': lambda side: Place(Relation.ASIDE, direction=side),
    'side_by': lambda length_m, place, seen='': replace(
        place, distance_m=length_m, sure=True, viewpoint=seen) if place.landmarks else None,
    'seen_so': lambda place, seen: replace(place, viewpoint=seen) if place.landmarks else None,
    'upright': lambda: _being(Relation.UPRIGHT), 'is_clear': lambda: _being(Relation.EMPTY),
    'in_gripper': lambda: _being(Relation.HELD),
    'turned_to': lambda _, degrees: _being(Relation.TURNED, float(degrees)),
    'near_by': lambda length_m, landmark: Place(
        Relation.NEAR, (landmark,), distance_m=length_m, sure=True),
    'to_edge': lambda side: _zone(f'{side} edge'),
    'aside': _way, 'aside_away': lambda *length_m: _way('away', *length_m), 'along': _way,
    'length': lambda amount, unit: round(amount * float(unit), 4) if amount > 0 else None,
    'amount': float,
    'tplace': lambda found: found if isinstance(found, Place) else Place(
        Relation.AT, point=found, sure=True),
    'point': lambda x, y: (float(x), float(y)),
    'zone': lambda place: place,
    'zone_middle': lambda: _zone('middle'),
    'zone_middle_of_table': lambda: _zone('middle', True),
    'zone_part': lambda *words: _zone(' '.join(words)),
}
