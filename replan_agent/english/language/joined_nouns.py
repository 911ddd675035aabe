"""Noun phrases that are completed: by their neighbours, and by what "any" means for them."""

from __future__ import annotations

from dataclasses import replace

from .phrases import NounPhrase
from .words import COLOURS


def with_any(phrase: NounPhrase) -> NounPhrase:
    """ "any cube" is one of them, "any two cubes" are two, "any cubes" are all."""
    if phrase.quantity != 'any' or not (phrase.words or phrase.ranks):
        return phrase
    counts = 'exactly' if phrase.count is not None else 'all' if phrase.plural else 'some'
    return replace(phrase, quantity=counts)


def one_of(phrase: NounPhrase) -> NounPhrase:
    """ "one cube" as "a cube"."""
    single = phrase.quantity == 'exactly' and phrase.count == 1 and not phrase.plural
    return replace(phrase, quantity='some', count=None) if single else phrase


def counted(phrase: NounPhrase, before: NounPhrase) -> NounPhrase:
    """ "two blocks ... and one", "the leftmost": without a noun it is the one named before."""
    bare = (phrase.count is not None or phrase.ranks) and not phrase.words
    return replace(phrase, words=before.words) if bare else phrase


def ones(phrase: NounPhrase, before: NounPhrase) -> NounPhrase:
    """ "the red cubes and the blue ones": the blue cubes."""
    return completed(phrase, before) if phrase.plural and 'one' in phrase.words else phrase


def also_all(phrase: NounPhrase, before: NounPhrase) -> NounPhrase:
    """ "all red cubes, blue cubes and balls": all of each."""
    bare = phrase.plural and not (phrase.definite or phrase.quantity or phrase.pronoun)
    return replace(phrase, definite=True, quantity='all') if (
        bare and before.quantity == 'all') else phrase


def like(phrase: NounPhrase, before: NounPhrase) -> NounPhrase:
    """ "the biggest", "the other", "the others" after "the smallest ball": balls, too."""
    noun = tuple(w for w in before.words if w not in COLOURS and not w.startswith('-'))
    if not noun:
        return phrase
    phrase = ones(phrase, before)
    if phrase.quantity == 'rest' and phrase.text.split()[-1:] == ['others']:
        one_kind = before.ranks or before.quantity in ('some', 'exactly', 'at_least')
        return replace(phrase, words=noun, quantity='rest' if one_kind else 'others')
    if phrase.quantity == 'rest' and phrase.text.split()[-1:] == ['rest'] and (
            before.quantity in ('some', 'exactly') and noun != ('thing',)):
        return replace(phrase, words=noun, quantity='others')  # "one ball here, the rest there"
    bare = not phrase.words and phrase.ranks or (
        phrase.quantity == 'other' and phrase.words in ((), ('one',)))
    return replace(phrase, words=noun) if bare else phrase


def completed(phrase: NounPhrase, whole: NounPhrase) -> NounPhrase:
    """ "the blue one" of "the balls" is the blue ball; "the big one" of "the red cube" is red."""
    if 'one' not in phrase.words and not set(phrase.words) <= COLOURS:
        return phrase
    own = tuple(w for w in phrase.words if w != 'one')
    kept = tuple(w for w in whole.words if not w.startswith('-')
                 and (w not in COLOURS or not own and phrase.ranks))
    return replace(phrase, words=(*own, *kept))


def shared(first: NounPhrase, second: NounPhrase) -> tuple[NounPhrase, NounPhrase]:
    """Two phrases with what they share: the noun of the second, the quantity of the first."""
    only_colours = first.words and all(w in COLOURS for w in first.words) and not first.pronoun
    bare = not second.definite and not second.quantity and not second.pronoun
    if only_colours or (first.ranks and not first.words):
        noun = tuple(w for w in second.words if w not in COLOURS and not w.startswith('-'))
        first = replace(first, words=(*first.words, *noun), plural=first.plural or (
            bare and second.plural and not first.ranks))
    if bare and first.definite and not first.pronoun:
        second = replace(second, definite=True, quantity=second.quantity or (
            first.quantity if first.quantity in ('all', 'both') else ''))
    return first, second
