"""What the rules of the grammar for things mean: determiners, nouns, what describes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .dictionary import LIKE
from .nouns import COLOURS
from .phrases import CHOICE, ORDER, NounPhrase, Place, Rank, Relation

MASS = frozenset('fruit stuff cutlery crockery food junk litter'.split())  # "the fruit" is all
ANYTHING = frozenset('one thing object item stuff'.split())
ALL = NounPhrase('', ('thing',), 'all', definite=False)
ADJECTIVES = COLOURS | LIKE | {'empty', 'full'}


@dataclass(frozen=True)
class Det:
    """What a determiner says of the noun after it. `one`: it says one, so no plural follows.

    `of`: it says how many of several.
    """

    quantity: str = ''
    count: int | None = None
    definite: bool = False
    rank: Rank | None = None
    one: bool = False
    of: bool = False


@dataclass(frozen=True)
class Mod:
    """What describes a noun: a word, a rank, a place, things left out, or another quantity."""

    word: str = ''
    rank: Rank | None = None
    place: Place | None = None
    without: tuple[NounPhrase, ...] = ()
    quantity: str = ''
    count: int | None = None
    of: NounPhrase | None = None  # "the nearest cube to the bowl"
    side: str = ''  # "the second cube from the left"


def has_noun(phrase: NounPhrase) -> bool:
    return bool(phrase.pronoun or phrase.called) or phrase.quantity == CHOICE or any(
        not set(w.split('|')) <= ADJECTIVES for w in phrase.words if not w.startswith('-'))


def modified(phrase: NounPhrase, mods: Iterable[Mod]) -> NounPhrase | None:
    """The phrase with what describes it; None if that makes no sense."""
    before: list[str] = []
    after: list[str] = []
    ranks = list(phrase.ranks)
    for mod in mods:
        if mod.word:
            (after if mod.word.startswith('-') else before).append(mod.word)
        if mod.rank is not None:
            ranks.append(mod.rank)
        if mod.place is not None:
            phrase = replace(phrase, places=(*phrase.places, mod.place))
        if mod.without:
            if not phrase.is_several and phrase.quantity != 'some':
                return None
            left_out = tuple(like(t, phrase) for t in mod.without)
            phrase = replace(phrase, without=(*phrase.without, *left_out))
        if mod.quantity:
            if mod.count and (not phrase.is_several or phrase.count):
                return None
            phrase = replace(phrase, quantity=mod.quantity, count=mod.count or phrase.count)
        if mod.of is not None or mod.side:
            at = next((i for i, r in enumerate(ranks) if r.landmark is None and (
                r.word == ORDER if mod.side else r.word in ('near', 'far'))), None)
            if at is None:
                return None
            ranks[at] = (replace(ranks[at], landmark=mod.of) if mod.of is not None
                         else Rank(mod.side, ordinal=ranks[at].ordinal))
    return replace(phrase, words=(*before, *phrase.words, *after), ranks=tuple(ranks))


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
    odd = any(p.without and p.is_several for p in phrases[:-1])  # an exception ends a list
    rest = len(phrases) > 1 and any(p.quantity == 'rest' and p.words == ('thing',)
                                    for p in phrases)
    related = any(p.quantity in ('matching', 'own') for p in phrases)  # only landmarks are
    return None if odd or rest or related else listed(phrases)


def _comma_list(*phrases: NounPhrase) -> tuple[NounPhrase, ...] | None:
    """ "the cube, the can"; but "the cube, the red one" says which cube."""
    odd = any(not has_noun(p) or ANYTHING & set(p.words[-1:]) for p in phrases)
    return None if odd else _things(*phrases)


def _instead(this: NounPhrase, that: NounPhrase) -> tuple[NounPhrase, ...] | None:
    """ "the blue one, not the red one": it must be another one. "The cube, not the red one"?"""
    odd = any(p.is_several or p.quantity or p.pronoun for p in (this, that))
    that = like(that, this)
    bare = len(this.words) < 2 and not this.ranks and this.words[-1:] == that.words[-1:]
    return None if odd or bare or that.words == this.words else (replace(this, without=(that,)),)


def _landmark(phrase: NounPhrase) -> NounPhrase | None:
    return None if phrase.without and phrase.quantity not in ('some', 'all', 'own') else phrase


def _plain(word: str | NounPhrase) -> NounPhrase:
    """ "it", "them", "the rest"; or any other phrase as it is."""
    if isinstance(word, NounPhrase):
        return word
    if word in ('it', 'this', 'that'):
        return NounPhrase('', pronoun='it')
    if {'them', 'they', 'these', 'those'} & set(word.split()):
        return NounPhrase('', pronoun='them', plural=True)
    return NounPhrase('', ('thing',), 'rest')


def _of_them(number: str, _: str) -> NounPhrase:
    if number == '1':
        return NounPhrase('', pronoun='them', quantity='some')
    return NounPhrase('', pronoun='them', quantity='exactly', count=int(number), plural=True)


def _noun_phrase(*parts: Any) -> NounPhrase | None:
    det = parts[0] if isinstance(parts[0], Det) else Det()
    phrase, *mods = [p for p in parts if not isinstance(p, Det)]
    if MASS & set(phrase.words[-1:]) and not phrase.ranks:
        if det.quantity == 'some' and not mods:
            return None  # "some fruit": how much?
        plural = not det.quantity and len(phrase.words) == 1 and not any(m.rank for m in mods)
        phrase = replace(phrase, plural=phrase.plural or plural)
    if phrase.words == ('one',) and det.quantity != 'other' and not (
            phrase.ranks or det.definite or mods):
        return None
    return _determined(det, phrase, mods)


def _elided(*parts: Any) -> NounPhrase | None:
    """ "the red", "a blue": the noun is said elsewhere."""
    det = parts[0] if isinstance(parts[0], Det) else Det()
    if det.quantity in ('no', 'any') or det.rank or (det.count or 1) > 1:
        return None
    adjectives, *mods = [p for p in parts if not isinstance(p, Det)]
    return _determined(replace(det, one=False), NounPhrase(''), [*adjectives, *mods])


def _determined(det: Det, phrase: NounPhrase, mods: Sequence[Mod]) -> NounPhrase | None:
    says_one = det.one or det.quantity == 'exactly' and det.count == 1
    if phrase.plural and says_one or (
            det.of and not phrase.plural and not MASS & set(phrase.words[-1:])):
        return None  # "a cubes", "one of the lemon"
    quantity = det.quantity or phrase.quantity
    if quantity == 'some' and any('|' in w for w in phrase.words) or (
            quantity == 'any' and any(mod.word.startswith('-') for mod in mods)):
        return None  # "a green or yellow ball": which one? "any cube that is not red": all?
    if quantity == 'any':
        quantity = 'all' if phrase.plural else 'some'
    ranks = (*phrase.ranks, *((det.rank,) if det.rank else ()))
    return modified(replace(phrase, quantity=quantity, count=det.count, ranks=ranks,
                            definite=det.definite), mods)


def _noun(*nouns: str, plural: bool = False) -> NounPhrase | None:
    odd = len(nouns) > 1 and set(nouns) & ANYTHING
    return None if odd else NounPhrase('', nouns, plural=plural)


def _everything(word: str, *mods: Mod) -> NounPhrase | None:
    bare = word in ('anything', 'all', 'all that', 'whatever') and not mods
    return None if bare else modified(ALL, mods)


def _best_of(word: str, *parts: Any) -> NounPhrase | None:
    """ "the smallest of the cubes"."""
    phrase = parts[-1]
    ranks = (*phrase.ranks, Rank(word, most=True))
    return replace(phrase, plural=False, definite=True, ranks=ranks) if phrase.plural else None


def _of_tower(landmark: NounPhrase) -> Mod | None:
    whole = landmark.words[-1:] == ('tower',) and not landmark.quantity and not landmark.plural
    return Mod(place=Place(Relation.ON, (landmark,))) if whole else None


def _of_list(quantity: str) -> Callable[..., NounPhrase]:
    def phrase(*parts: Any) -> NounPhrase:
        number = next((int(p) for p in parts if isinstance(p, str) and p.isdigit()), None)
        return NounPhrase('', quantity=quantity, count=number, listed=parts[-1], definite=False)
    return phrase


def _counted(quantity: str, number: str, of: bool) -> Det:
    one_of = of and quantity == 'exactly' and number == '1'
    return Det('some', of=True) if one_of else Det(quantity, int(number), of=of)


def _all_of(*parts: str) -> Det:
    return Det('all', next((int(p) for p in parts if p.isdigit()), None))


NOUN_RULES: Mapping[str, Callable[..., Any]] = {
    'things': _things, 'things_at': _things, 'sequence': _things,
    'comma_list': _comma_list,
    'np_at': lambda phrase, *places: replace(phrase, places=(*phrase.places, *places)),
    'landmark': _landmark,
    # Pronouns
    'np': _plain,
    'both_them': lambda _: NounPhrase('', pronoun='them', quantity='both', plural=True),
    'some_of_them': _of_them,
    'held': lambda _: NounPhrase('', pronoun='held'),
    'called': lambda name: NounPhrase('', called=name, definite=False),
    'all_listed': _of_list('all'), 'exactly_listed': _of_list('exactly'),
    'at_least_listed': _of_list('at_least'), 'own_listed': _of_list('own'),
    # Noun phrases
    'noun_phrase': _noun_phrase, 'elided': _elided,
    'adjectives': lambda *mods: mods,
    'nbar': lambda *parts: modified(parts[-1], parts[:-1]),
    'ubar': lambda *parts: modified(parts[-1], parts[:-1]),
    'noun': _noun, 'unknown': _noun,
    'plural': lambda *nouns: _noun(*nouns, plural=True),
    'colours': lambda _, colour: NounPhrase('', (colour, 'one'), plural=True),
    'everything': _everything,
    'something': lambda _, *mods: modified(replace(ALL, quantity='some'), mods),
    'others': lambda said: NounPhrase('the others', ('thing',), 'rest',
                                      2 if said.endswith('two') else None),
    'rest_of': lambda _, phrase: replace(phrase, quantity='rest') if phrase.plural else None,
    'the_other': lambda _: NounPhrase('', ('one',), 'other'),
    'whatever_at': lambda place: replace(ALL, places=(place,)),
    'whatever_not': lambda place: replace(ALL, places=(replace(place, negated=True),)),
    'whatever_is': lambda mod: modified(replace(ALL, quantity='' if mod.rank else 'all'), (mod,)),
    'contents': lambda holder: replace(ALL, places=(Place(Relation.IN, (holder,)),)),
    'best_of': _best_of,
    'whichever': lambda phrase, mod: modified(replace(phrase, plural=False), (mod,)),
    'any_you_like': lambda *parts: None if parts[-1].plural else replace(
        parts[-1], quantity='some', definite=False),
    'choice': lambda *_: NounPhrase('', quantity=CHOICE),
    'this_not_that': _instead, 'not_this_but_that': lambda that, this: _instead(this, that),
    # Determiners
    'det': lambda _: Det(definite=True),
    'some': lambda _: Det('some', one=True),
    'all_of': _all_of,
    'both': lambda _: Det('both'),
    'the_n': lambda _, number: Det(count=int(number), definite=True) if number != '1' else None,
    'exactly': lambda number, *of: _counted('exactly', number, bool(of)),
    'exactly_n': lambda _, number: Det('exactly', int(number)),
    'any_n': lambda _, number, *of: Det('exactly', int(number), of=bool(of)),
    'any_of': lambda _: Det('any'),
    'one_of': lambda *_: Det('some'),
    'other_one': lambda _, number='': Det('other', int(number) if number else None, True),
    'another': lambda _: Det('other'),
    'at_least': lambda _, number, *of: _counted('at_least', number, bool(of)),
    'at_most': lambda _, number, *of: _counted('at_most', number, bool(of)),
    'all_but': lambda _, number, *of: _counted('all_but', number, bool(of)),
    'none_of': lambda _: Det('no'),
    'ranked_n': lambda _, word, number: Det(count=int(number), definite=True, rank=Rank(word)),
    'n_ranked': lambda _, number, word: Det(count=int(number), definite=True, rank=Rank(word)),
    # What describes a noun
    'word': Mod,
    'either': lambda *words: Mod('|'.join(words)),
    'not_word': lambda word: Mod(f'-{word}'),
    'not_noun': lambda *parts: Mod(f'-{parts[-1].words[-1]}'),
    'is_noun': lambda *parts: Mod(parts[-1].words[-1]),
    'size': lambda word: Mod(rank=Rank(word)),
    'side': lambda word: Mod(rank=Rank(word)),
    'superlative': lambda word: Mod(rank=Rank(word, most=True)),
    'ordinal': lambda number: Mod(rank=Rank(ORDER, ordinal=int(number))),
    'ordinal_superlative': lambda number, word: Mod(rank=Rank(word, None, int(number), True)),
    'matching': lambda: Mod(quantity='matching'),
    'own_one': lambda _: Det('own'),
    'own': lambda: Mod(quantity='own'),
    'at': lambda place: Mod(place=place),
    'not_at': lambda place: Mod(place=replace(place, negated=True)),
    'nearest': lambda word, landmark: Mod(rank=Rank(word, landmark, most=True)),
    'nearest_you': lambda word: Mod(rank=Rank(word, most=True)),
    'nearest_me': lambda word: Mod(rank=Rank(
        'person' if word == 'near' else 'not_person', most=True)),
    'nearest_to': lambda landmark: Mod(of=landmark),
    'from_side': lambda side: Mod(side=side),
    'far_to': lambda side: Mod(rank=Rank(side, most=True)) if side in (
        'left', 'right') else None,
    'holding': lambda landmark: Mod(place=Place(Relation.WITH, (landmark,))),
    'of_tower': _of_tower,
    'on_top': lambda: Mod(rank=Rank('top')),
    'at_side': lambda side: Mod(rank=Rank(side)) if side in ('top', 'bottom') else None,
    'without': lambda things: Mod(without=things),
    'but_n': lambda number: Mod(quantity='all_but', count=int(number)),
}
