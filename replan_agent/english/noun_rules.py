# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the rules of the grammar for things and places mean: determiners, nouns, where they are."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .dictionary import COLOURS, LIKE, meanings
from .phrases import CHOICE, OPPOSITE, ORDER, NounPhrase, Place, Rank, Relation, is_bare

MASS = frozenset('fruit stuff cutlery crockery food junk litter'.split())  # "the fruit" is all
ANYTHING = frozenset('one thing object item stuff'.split())
ALL = NounPhrase('', ('thing',), 'all', definite=False)
ADJECTIVES = COLOURS | LIKE | {'empty', 'full'} | meanings('SIDE').keys()
Mod = str | Callable[[NounPhrase], 'NounPhrase | None']  # what describes a noun: a word, or more


def has_noun(phrase: NounPhrase) -> bool:
    return bool(phrase.pronoun or phrase.called) or phrase.quantity == CHOICE or any(
        not set(w.split('|')) <= ADJECTIVES for w in phrase.words if not w.startswith('-'))


def modified(phrase: NounPhrase | None, mods: Iterable[Mod]) -> NounPhrase | None:
    """The phrase with what describes it; None if that makes no sense."""
    words = [mod for mod in mods if isinstance(mod, str)]
    if phrase is not None and words:
        phrase = replace(phrase, words=(*(w for w in words if not w.startswith('-')),
                                        *phrase.words, *(w for w in words if w.startswith('-'))))
    for mod in mods:
        if phrase is not None and not isinstance(mod, str):
            phrase = mod(phrase)
    return phrase


def like(phrase: NounPhrase, host: NounPhrase) -> NounPhrase:
    """ "all cubes except the white one": a white cube."""
    elided = not has_noun(phrase) or phrase.words[-1:] == ('one',)
    noun = next((w for w in reversed(host.words) if not w.startswith('-')), '')
    if not elided or phrase.pronoun or not noun or noun in ADJECTIVES | ANYTHING:
        return phrase
    return replace(phrase, words=(*(w for w in phrase.words if w != 'one'), noun))


def listed(phrases: tuple[NounPhrase, ...]) -> tuple[NounPhrase, ...]:
    """The things of a list: "the red and the blue cube", "all cubes and balls"."""
    found: list[NounPhrase] = []
    first = phrases[0]
    for at, phrase in enumerate(phrases):
        whole = next((p for p in phrases[at + 1:] if has_noun(p) and p.words), None)
        bare = not (phrase.definite or phrase.quantity or phrase.pronoun)
        if not has_noun(phrase) and whole is not None:
            phrase = replace(phrase, words=(*phrase.words, whole.words[-1]),
                             definite=phrase.definite or first.definite
                             or whole.definite and whole.is_several,
                             plural=phrase.plural or bare and at == 0 and whole.plural
                             and not (phrase.ranks or whole.definite))
        if bare and at and (first.quantity in ('all', 'both') and (
                phrase.plural or not has_noun(first)) or first.quantity == 'no'):
            phrase = replace(phrase, quantity=first.quantity, definite=True)
        elif bare and at and first.definite and not first.pronoun:
            phrase = replace(phrase, definite=True)
        if at and phrase.plural and phrase.words[-1:] == ('one',):
            phrase = like(phrase, found[-1])
        found.append(phrase)
    return tuple(found)


def _things(*phrases: NounPhrase) -> tuple[NounPhrase, ...] | None:
    rest = len(phrases) > 1 and any(p.quantity == 'rest' and p.words == ('thing',)
                                    for p in phrases)
    related = any(p.quantity in ('matching', 'own') for p in phrases)  # only landmarks are
    return None if rest or related else listed(phrases)


def _instead(this: NounPhrase, that: NounPhrase) -> tuple[NounPhrase, ...] | None:
    """ "the blue one, not the red one": it must be another one. "The cube, not the red one"?"""
    odd = any(p.is_several or p.quantity or p.pronoun for p in (this, that))
    that = like(that, this)
    bare = len(this.words) < 2 and not this.ranks and this.words[-1:] == that.words[-1:]
    return None if odd or bare or that.words == this.words else (replace(this, without=(that,)),)


def _noun_phrase(*parts: Any, elided: bool = False) -> NounPhrase | None:
    """A noun with its determiner and what describes it; `elided`: "the red", "a blue"."""
    *dets, phrase = [part for part in parts if isinstance(part, NounPhrase)]
    mods = [part for part in parts if not isinstance(part, NounPhrase)]
    det = dets[0] if dets else _det()
    mass = bool(MASS & set(phrase.words[-1:])) and not phrase.ranks
    if mass and det.quantity == 'some' and not mods:
        return None  # "some fruit": how much?
    if phrase.words == ('one',) and det.quantity != 'other' and not (
            phrase.ranks or det.definite or mods):
        return None
    if elided and (det.quantity in ('no', 'any') or det.ranks or (det.count or 1) > 1):
        return None
    all_of = mass and not (phrase.plural or det.quantity or phrase.words[1:])  # "the fruit"
    found = _determined(det, replace(phrase, plural=phrase.plural or all_of), mods)
    return replace(found, plural=False) if all_of and found and found.ranks else found


def _determined(det: NounPhrase, phrase: NounPhrase, mods: Sequence[Mod]) -> NounPhrase | None:
    quantity = det.quantity or phrase.quantity
    if quantity == 'both' and not phrase.plural or (
            det.quantity == 'some' and det.count and phrase.plural):
        return None  # "both the cube", "a cubes", "some cubes": how many?
    if quantity == 'some' and any('|' in w for w in phrase.words) or (
            quantity == 'any' and any(isinstance(m, str) and m[0] == '-' for m in mods)):
        return None  # "a green or yellow ball": which one? "any cube that is not red": all?
    if quantity == 'any':
        quantity = 'all' if phrase.plural else 'some'
    return modified(replace(
        phrase, quantity=quantity, count=None if quantity == 'some' else det.count,
        ranks=(*phrase.ranks, *det.ranks), definite=det.definite), mods)


def _noun(*nouns: str, plural: bool = False) -> NounPhrase | None:
    odd = len(nouns) > 1 and set(nouns) & ANYTHING
    return None if odd else NounPhrase('', nouns, plural=plural)


def _det(quantity: str = '', count: str | int | None = None, definite: bool = False,
         ranks: tuple[Rank, ...] = ()) -> NounPhrase:
    """What a determiner says of the noun after it, as a phrase without words."""
    number = None if count is None else int(count)
    return NounPhrase('', (), quantity, number, definite, ranks=ranks)


# What describes a noun

def _rank(word: str, landmark: NounPhrase | None = None, ordinal: int = 1, most: bool = True
          ) -> Mod:
    rank = Rank(word, landmark, ordinal, most)
    return lambda phrase: replace(phrase, ranks=(*phrase.ranks, rank))


def _finer(words: Sequence[str], **more: Any) -> Mod:
    """Says more of a rank with such a word: "the nearest cube to the bowl"."""
    def mod(phrase: NounPhrase) -> NounPhrase | None:
        found = next((r for r in phrase.ranks if r.landmark is None and r.word in words), None)
        ranks = (replace(r, **more) if r is found else r for r in phrase.ranks)
        return replace(phrase, ranks=tuple(ranks)) if found is not None else None
    return mod


def _at(place: Place) -> Mod:
    return lambda phrase: replace(phrase, places=(*phrase.places, place))


def _of(whole: NounPhrase) -> Mod | None:
    """ "the cube of the tower" is in it; "the lid of the box" is the box lid."""
    if whole.words[-1:] == ('tower',) and not (whole.quantity or whole.plural):
        return _at(Place(Relation.ON, (whole,)))
    odd = whole.plural or whole.pronoun or not is_bare(whole)
    return lambda phrase: None if odd or 'one' in phrase.words or not has_noun(phrase) else (
        replace(phrase, words=(*whole.words, *phrase.words)))


def _without(things: tuple[NounPhrase, ...]) -> Mod:
    def mod(phrase: NounPhrase) -> NounPhrase | None:
        left_out = (*phrase.without, *(like(t, phrase) for t in things))
        several = phrase.is_several or phrase.quantity == 'some'
        return replace(phrase, without=left_out) if several else None
    return mod


NOUN_RULES: Mapping[str, Callable[..., Any]] = {
    'things': _things, 'things_at': _things, 'sequence': _things,
    'comma_list': lambda *phrases: None if any(  # "the cube, the red one" says which cube
        not has_noun(p) or ANYTHING & set(p.words[-1:]) for p in phrases) else _things(*phrases),
    'this_not_that': _instead,
    'not_this_but_that': lambda that, this: _instead(this, that),
    'np_at': lambda phrase, *places: None if any(p.has_clause for p in places) else replace(
        phrase, places=(*phrase.places, *places)),
    'landmark': lambda phrase: phrase if (
        not phrase.without or phrase.quantity in ('some', 'all', 'own')) else None,
    # Pronouns
    'pronoun': lambda word: NounPhrase('', pronoun=word, plural=word == 'them'),
    'of_them': lambda quantity: NounPhrase(
        '', (), quantity, pronoun='them', plural=quantity == 'both'),
    'n_of_them': lambda number, _: NounPhrase(
        '', (), 'exactly', int(number), pronoun='them', plural=True),
    'rest': lambda _: NounPhrase('', ('thing',), 'rest'),
    'others': lambda said: NounPhrase('the others', ('thing',), 'rest',
                                      2 if said.endswith('two') else None),
    'rest_of': lambda _, phrase: replace(phrase, quantity='rest') if phrase.plural else None,
    'the_other': lambda _: NounPhrase('', ('one',), 'other'),
    'called': lambda name: NounPhrase('', called=name, definite=False),
    'some_listed': lambda quantity, *of: NounPhrase(
        '', (), quantity, int(of[0]) if of[1:] else None, listed=of[-1], definite=False),
    # Noun phrases
    'noun_phrase': _noun_phrase, 'elided': functools.partial(_noun_phrase, elided=True),
    'of_several': lambda det, phrase, *mods: _noun_phrase(det, phrase, *mods) if (
        phrase.plural or MASS & set(phrase.words[-1:])) else None,
    'adjectives': lambda *mods: modified(NounPhrase(''), mods),
    'nbar': lambda *parts: modified(parts[-1], parts[:-1]),
    'noun': _noun, 'plural': lambda *nouns: _noun(*nouns, plural=True),
    'everything': lambda word, *mods: modified(ALL, mods) if (
        mods or word not in ('anything', 'all', 'all that', 'whatever')) else None,
    'something': lambda _, *mods: modified(replace(ALL, quantity='some'), mods),
    'whatever_at': lambda place: replace(ALL, places=(place,)),
    'whatever_is': lambda mod: modified(
        ALL if isinstance(mod, str) else replace(ALL, quantity=''), (mod,)),
    'contents': lambda holder: replace(ALL, places=(Place(Relation.IN, (holder,)),)),
    'best_of': lambda word, *parts: replace(  # "the smallest of the cubes"
        parts[-1], plural=False, definite=True, ranks=(*parts[-1].ranks, Rank(word, most=True))
    ) if parts[-1].plural else None,
    'best_listed': lambda word, *phrases: NounPhrase(
        '', listed=phrases, ranks=(Rank(word, most=True),)),
    'nth_from': lambda number, side: NounPhrase('', ranks=(Rank(side, None, int(number)),)),
    'whichever': lambda phrase, mod: modified(replace(phrase, plural=False), (mod,)),
    'choice': lambda *parts: NounPhrase('', quantity=CHOICE, listed=listed(tuple(
        phrase for part in parts for phrase in part.listed or (part,)))),
    # Determiners
    'the': lambda _: _det(definite=True),
    'some': lambda _: _det('some', 1),
    'quantity': lambda quantity, *_: _det(quantity),
    'all_of': lambda *said: _det('all', next((n for n in said if n.isdigit()), None)),
    'the_n': lambda _, number: _det(count=number, definite=True) if number != '1' else None,
    'exactly': lambda number, *of: _det('exactly', number) if (
        number != '1' or not of) else _det('some', definite=True),
    'counted': lambda quantity, number, *_: _det(quantity, number),
    'other_one': lambda _, number=None: _det('other', number, True),
    'ranked_n': lambda _, *said: _det(  # digits sort before letters
        count=min(said), definite=True, ranks=(Rank(max(said)),)),
    # What describes a noun
    'either': lambda *words: '|'.join(words),
    'not_word': lambda word: f'-{word}',
    'not_noun': lambda *parts: f'-{parts[-1].words[-1]}',
    'size': lambda word: _rank(word, most=False),
    'superlative': _rank, 'nearest': _rank,
    'ordinal': lambda number: _rank(ORDER, ordinal=int(number), most=False),
    'nearest_me': lambda word: _rank('person' if word == 'near' else 'not_person'),
    'nearest_to': lambda landmark: _finer(('near', 'far'), landmark=landmark),
    'from_side': lambda side: _finer((ORDER,), word=side),
    'on_top': lambda: _rank('top', most=False),
    'matching': lambda: lambda phrase: replace(phrase, quantity='matching'),
    'is_described': lambda: lambda phrase: replace(phrase, clause=True),
    'at': _at, 'not_at': lambda place: _at(replace(place, negated=True)),
    'holding': lambda landmark: _at(Place(Relation.WITH, (landmark,))),
    'of': _of,
    'without': _without,
    'but_n': lambda number: lambda phrase: replace(
        phrase, quantity='all_but', count=int(number)) if (
            phrase.is_several and not phrase.count) else None,
}


# Places

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


PLACE_RULES: Mapping[str, Callable[..., Any]] = {
    'place_on_axis': lambda place, sign, axis: replace(place, axis=f'{sign} {axis[0]}') if (
        place.relation in (Relation.ZONE, Relation.ASIDE)) else None,
    'places': lambda *places: Places(places),
    'related': _related,
    'sure': lambda relation, *landmarks: Place(
        Relation(relation), listed(landmarks), sure=True),
    'to': lambda landmark: Place(Relation.TO, (landmark,), sure=True),
    'where_it_is': lambda landmark: Place(Relation.WHERE, (landmark,), sure=True),
    'where_it_was': lambda landmark: Place(Relation.BACK, (landmark,), sure=True),
    'on_top_place': lambda: Place(Relation.ON, (
        NounPhrase('top', definite=False, ranks=(Rank('top'),)),)),
    'in_there': lambda: Place(Relation.IN, (THERE,)),
    'other_side': lambda landmark: Place(Relation.ZONE, (landmark,), 'other side', sure=True),
    'to_me': lambda: Place(Relation.TO_PERSON, sure=True),
    'on_side': lambda side: Place(Relation.ASIDE, direction=side),
    'side_by': lambda length_m, place, seen='': replace(
        place, distance_m=length_m, sure=True, viewpoint=seen) if place.landmarks else None,
    'seen_so': lambda place, seen: replace(place, viewpoint=seen) if place.landmarks else None,
    'in_state': lambda word: Places((Place(Relation.STATE, direction=word, sure=True),)),
    'upright': lambda: _being(Relation.UPRIGHT), 'is_clear': lambda: _being(Relation.EMPTY),
    'in_gripper': lambda: _being(Relation.HELD), 'turned': lambda _, to: to,
    'turned_to': lambda degrees: _being(Relation.TURNED, float(degrees)),
    'near_by': lambda length_m, landmark: Place(
        Relation.NEAR, (landmark,), distance_m=length_m, sure=True),
    'to_edge': lambda side: _zone(f'{side} edge'),
    'aside': _way, 'aside_away': lambda *length_m: _way('away', *length_m), 'along': _way,
    'length': lambda amount, unit: round(amount * float(unit), 4) if amount > 0 else None,
    'amount': float,
    'tplace': lambda found: found if isinstance(found, Place) else Place(
        Relation.AT, point=found, sure=True),
    'point': lambda x, y: (float(x), float(y)),
    'zone_middle': lambda: _zone('middle'),
    'zone_middle_of_table': lambda: _zone('middle', True),
    'zone_part': lambda *words: _zone(' '.join(words)),
}
