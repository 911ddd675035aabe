"""Reads noun phrases from tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace

from replan_agent.domain.kinds import OR
from replan_agent.domain.refusals import Open

from ..nouns import singular
from .cursor import text_of
from .joined_nouns import also_all, counted, ones, shared, with_any
from .noun_tails import NounTails
from .phrases import ORDER, NounPhrase, Rank
from .words import (
    BUILDING,
    COLOURS,
    DETERMINERS,
    DIRECTIONS,
    ENDS,
    HANDLING,
    LYING,
    MASS,
    ORDINALS,
    PERSONS,
    PRONOUNS,
    QUANTITIES,
    RELATIONS,
    SIZES,
    SUPERLATIVES,
    SWAPS,
    TO_ME_VERBS,
    TOWERS,
)

MATCHING = frozenset({'matching', 'same-coloured', 'same-colored'})
SIDES = frozenset({'left', 'right', 'front', 'rear', 'middle'})
TOWER_SIDES = frozenset({'top', 'bottom'})

TOWER_ENDS = ('at the bottom', 'on the bottom', 'at the top', 'on the top', 'on top')
ROW_ENDS = ('on the left', 'at the left', 'on the right', 'at the right')


@dataclass
class _Description:
    """What is read of a noun phrase so far."""

    found: NounPhrase
    words: list[str]
    ranks: list[Rank]
    plural: bool


class NounParser(NounTails):
    """Reads noun phrases from where the cursor is."""

    def joined_nouns(self, first: NounPhrase, second: NounPhrase) -> tuple[NounPhrase, ...]:
        return shared(first, second)

    def phrases(self) -> tuple[NounPhrase, ...]:
        """Noun phrases joined by "and". They share their noun: "the red and the blue cube"."""
        found = [self.phrase()]
        while True:
            start = self.at
            if not self.listed_on() or not self.starts_phrase() or self.end_follows():
                self.at = start
                break
            after_comma = self.tokens[self.at - 1].kind == 'comma'
            found.append(self.phrase())
            self._check_noun(found[-1], after_comma)
        if self.peek() == 'or':
            raise Open(f'{found[-1].text}, or what? "{self.said}" leaves a choice: say one')
        if found[0].quantity == 'both' and not found[0].plural and len(found) == 2:
            found[0] = replace(found[0], quantity='')  # "both the red and the blue one"
        if found[0].count == len(found) > 1 and not found[0].plural:
            found[0] = replace(found[0], count=None)  # "the two yellow and green fruits"
        if found[0].quantity == 'no' and any(p.quantity != 'no' for p in found[1:]):
            listed = {t.kind for t in self.tokens[:self.at]}
            if 'comma' in listed or any(p.definite or p.quantity or p.pronoun
                                        for p in found[1:]):
                raise self.refuse('say what to do, not what to avoid')
            found = [replace(p, quantity='no') for p in found]  # "no cubes and balls"
        for i in range(1, len(found)):
            found[i] = ones(counted(found[i], found[i - 1]), found[i - 1])
            found[i] = also_all(found[i], found[i - 1])
        for i in range(len(found) - 2, -1, -1):
            found[i], found[i + 1] = shared(found[i], found[i + 1])
        return tuple(found)

    def _check_noun(self, phrase: NounPhrase, after_comma: bool) -> None:
        """Raises Open for "the cubes, two, in the bowl": it may be two of them."""
        counts = phrase.quantity in ('all', 'exactly', 'some', 'at_least', 'at_most')
        if after_comma and counts and not (phrase.words or phrase.ranks or phrase.pronoun):
            raise Open(f'all of them, or only some? "{self.said}" does not say')

    def end_follows(self) -> bool:
        """Whether an end of a tower or a row is said here: "the red one at the bottom"."""
        ends = ROW_ENDS if any(t.text in ('row', 'line', 'in_a_row') for t in self.tokens) else (
            TOWER_ENDS if self.tokens[0].text in BUILDING else ())
        words = [t.text if t.kind != 'comma' else ',' for t in self.tokens[self.at:]]
        stop = next((i for i, w in enumerate(words) if w in (',', 'and')), len(words))
        said = ' '.join(words[:stop])
        return len(words[:stop]) > 2 and 'with' not in words[:stop] and said.endswith(ends)

    def starts_phrase(self) -> bool:
        if self.is_done or self.kind() not in ('word', 'number'):
            return False
        return self.peek() in (*PRONOUNS, 'at_least', 'at_most') or self.peek() not in ENDS

    def phrase(self) -> NounPhrase:
        """One noun phrase. Raises NotUnderstood if there is none."""
        start = self.at
        if self.peek() in ('that', 'this') and self.peek(1) == 'one' and not self._goes_on(2):
            self.at += 2
            return NounPhrase(text_of(self.tokens[start:self.at]), pronoun='excepted')
        if self._is_pronoun():
            pronoun = PRONOUNS[self.peek()]
            self.at += 1
            if pronoun == 'them' and self.peek() in ('all', 'both') and not self._goes_on(1):
                self.at += 1  # "put them all in the bin"
                return NounPhrase(text_of(self.tokens[start:self.at]), pronoun=pronoun,
                                  quantity=self.tokens[self.at - 1].text, plural=True)
            return NounPhrase(self.tokens[start].text, pronoun=pronoun,
                              plural=pronoun == 'them')
        found = self._determined()
        counted = found.quantity == 'both' or found.quantity == 'all' and found.count
        if counted and not found.words and not self._goes_on(0):  # "put all three in the bowl"
            return NounPhrase(text_of(self.tokens[start:self.at]), quantity=found.quantity,
                              count=found.count, pronoun='them', plural=True)
        if found.quantity and self._is_pronoun() and PRONOUNS[self.peek()] == 'them':
            return self._of_them(found, start)
        found = with_any(self._described(found))
        if not found.words and not found.ranks and found.quantity in ('', 'any', 'no'):
            raise self.refuse('an object is missing')
        last = self.tokens[self.at - 1].text
        sides = [r for r in found.ranks if r.word in SIDES | TOWER_SIDES and r.landmark is None]
        if not found.words and (len(sides) > 1 or sides == list(found.ranks)
                                and last in DIRECTIONS and sides):
            raise self.refuse('a direction is no object')
        if found.quantity == 'all' and not (found.words or found.ranks) and (
                {'each', 'every'} & {t.text for t in self.tokens[start:self.at]}):
            raise self.refuse('each of what?')
        said_of = {t.text for t in self.tokens[start:self.at]}
        if {'some', 'of'} <= said_of and not found.plural:
            raise self.refuse('how much of it?')
        if 'some' in said_of and found.words[-1:] in MASS:
            raise Open(f'how much? "{text_of(self.tokens[start:self.at])}" does not say')
        if found.quantity == 'some' and found.plural and not any(
                t.text == 'any_one' for t in self.tokens[start:self.at]):
            raise Open(f'how many? "{text_of(self.tokens[start:self.at])}" does not say')
        said = [t.text for t in self.tokens[start:self.at]]
        if said[0] == 'any_one' and found.words and not found.plural and (
                found.words[-1:] not in MASS):  # "one of the lemon and the lime"
            raise Open(f'which one? "{self.said}" leaves a choice: say one')
        bare = found.words
        found = self._after_noun(found)
        is_any = 'any' in said and found.quantity == 'some' and found.words != bare
        if is_any or (said == ['anything'] and found.words == bare and not found.without):
            raise Open(f'one of them, or all? "{self.said}" does not say')
        return replace(found, text=text_of(self.tokens[start:self.at]))

    def _of_them(self, found: NounPhrase, start: int) -> NounPhrase:
        """ "both of them", "all of these"."""
        self.at += 1
        text = text_of(self.tokens[start:self.at])
        if found.quantity in ('no', 'any'):
            raise Open(f'which ones? "{text}" does not say')
        return NounPhrase(text, quantity=found.quantity, count=found.count, pronoun='them',
                          plural=True)

    def _is_pronoun(self) -> bool:
        """ "this" and "those" are pronouns only without a noun."""
        word, following = self.peek(), self.peek(1)
        return word in PRONOUNS and (word not in DETERMINERS or self.kind(1) != 'word'
                                     or following in ENDS or following in DIRECTIONS)

    def _described(self, found: NounPhrase) -> NounPhrase:
        """The adjectives and the noun."""
        d = _Description(found, list(found.words), list(found.ranks), found.plural)
        while (self.kind() == 'word' and self.peek() not in ENDS) or self._counts_after(d.ranks):
            if not self._adjective(d):
                break
        words, found = tuple(d.words), d.found
        whole = words in MASS and not d.ranks and (found.definite or not found.quantity)
        if whole or words[-1:] == ('stuff',):  # "red stuff" is all of it
            d.plural = True
        if d.ranks and d.plural and any(t.text == 'of' for t in self.tokens[:self.at]):
            d.plural = False  # "the larger of the cubes" is one
        if self.kind() == 'number' and (words or self.peek() == 'one' and (
                d.ranks or found.definite)):
            # "red cube 2" is a name, "the third one" is not
            words += (self.peek(),)
            self.at += 1
        if found.quantity == 'rest' and not words and not d.ranks:
            words = ('thing',)
        return replace(found, words=words, ranks=tuple(d.ranks), plural=d.plural)

    def _adjective(self, d: _Description) -> bool:
        """Goes over one word of the description; False if it ended before that word."""
        word = self.peek()
        if self.kind() == 'number':  # "the smallest two fruits"
            if d.found.count is not None:
                raise self.refuse('how many?')
            d.found = replace(d.found, count=int(self.value('number') or 0))
            return True
        if d.words and self._ends_here(word) or self._ends_description(word, d):
            return False
        if word in ORDINALS or word in SUPERLATIVES:
            self._ranked(word, d)
            return True
        if word == 'of':  # "the larger of the red cubes"
            self.at += 1
            both = self._either_of_two()
            if both:
                d.words += both
                return False
            whole = self._determined()
            if whole.quantity not in ('', 'all', 'both', 'exactly'):
                raise self.refuse(f'which ones are {text_of(self.tokens[self.at - 1:])!r}?')
            d.words += whole.words
            return True
        if word in ('own', 'different', *MATCHING):
            if d.found.quantity not in ('', 'some', 'own', 'matching'):
                raise self.refuse(f'{word!r} and {d.found.quantity!r} do not fit together')
            d.found = replace(d.found, quantity='matching' if word in MATCHING else 'own')
        elif word.startswith('non-'):
            d.words.append(f'-{word[4:]}')
        elif word in SIZES:
            d.ranks.append(Rank(SIZES[word]))
        else:
            self._noun(word, d)
        self.at += 1
        return True

    def _either_of_two(self) -> list[str]:
        """The words of "the smaller of the lemon and the lime"; none if that is not said here."""
        start = self.at
        first = self._described(self._determined())
        if first.plural or not first.words or self.peek() != 'and' or self.peek(1) != 'the':
            self.at = start
            return []
        self.at += 1
        second = self._described(self._determined())
        pairs = list(zip(first.words, second.words))
        if len(first.words) != len(second.words) or first.ranks or second.ranks or sum(
                a != b for a, b in pairs) > 1:
            raise self.refuse('name the two in the same way, as in "the red and the blue cube"')
        return [a if a == b else f'{a}{OR}{b}' for a, b in pairs]

    def _ends_description(self, word: str, d: _Description) -> bool:
        """Whether the word says where to go, or begins what follows a noun."""
        if word == 'round':  # "turn the bar round"
            return bool(d.words) and not self._goes_on(1) and self.tokens[0].text == 'turn'
        if word in SUPERLATIVES:  # "the red cube left": a direction
            return bool(d.words) and word in DIRECTIONS and not self._goes_on(1)
        if word == 'of':  # "the top cube of the tower"
            return not d.ranks or bool(d.words) and self._tower_follows()
        if word in ('first', 'last'):  # "put the can in the bin first": when, not which bin
            return bool(d.words) and not self._goes_on(1)
        if word in LYING:  # "the cube lying on the plate"
            return bool(d.words) and self.peek(1) in RELATIONS
        return word in DIRECTIONS and word not in SIZES and word not in ORDINALS

    def _ranked(self, word: str, d: _Description) -> None:
        """Goes over an ordinal or a superlative, and what it is compared with."""
        if word in ORDINALS:
            d.ranks.append(Rank(ORDER, ordinal=ORDINALS[word]))
            self.at += 1
            if self.peek() not in SUPERLATIVES:
                return
            d.ranks[-1] = replace(d.ranks[-1], word=SUPERLATIVES[self.peek()])
        else:  # "the second biggest" has both
            d.ranks.append(Rank(SUPERLATIVES[word], most=word.endswith(('est', 'most'))))
        self.at += 1
        d.ranks[-1] = self._compared(d.ranks[-1])

    def _noun(self, word: str, d: _Description) -> None:
        one, is_plural = singular(word)
        d.words.append(one)
        d.plural = d.plural or is_plural
        while d.found.quantity == 'all' and self._or_colour():
            d.words[-1] = f'{d.words[-1]}{OR}{self.peek(2)}'  # "everything red or blue"
            self.at += 2

    def _tower_follows(self) -> bool:
        ahead = 1
        while self._goes_on(ahead) or self.kind(ahead) == 'number':
            if self.peek(ahead) in TOWERS:
                return True
            ahead += 1
        return False

    def _counts_after(self, ranks: list[Rank]) -> bool:
        return bool(ranks) and self.kind() == 'number' and self.peek() != 'one' and (
            self._goes_on(1))

    def _or_colour(self) -> bool:
        """Whether "or" and another colour follow a colour: both are meant by "all red or blue"."""
        return (self.peek() in COLOURS and self.peek(1) == 'or' and self.peek(2) in COLOURS)

    def _ends_here(self, word: str) -> bool:
        """Whether the word after a noun is not part of its phrase: a verb, another object."""
        if word in DETERMINERS or word in QUANTITIES or word == 'there':
            return True
        starts = DETERMINERS | QUANTITIES | PRONOUNS.keys()
        verb = word in HANDLING and (self.peek(1) in starts or word in SWAPS) or (
            word in TO_ME_VERBS and self.peek(1) in ('it', 'them', 'me', 'us'))
        return verb or (word in ('go', 'stand', 'sit', 'lie') and self.peek(1) in (
            *RELATIONS, 'side_by_side', 'in_a_row'))

    def _compared(self, rank: Rank) -> Rank:
        """ "closest to the bowl", "nearest the bin"."""
        if rank.word not in ('near', 'far') or self.peek() not in (
                'to', 'from', 'the', 'to_me', 'apart_from', *PERSONS):
            return rank
        if self.peek() == 'the' and self.at < 2:
            return rank
        self.accept('to', 'from', 'apart_from')
        return self.compared_with(rank)
