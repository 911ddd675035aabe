"""Reads noun phrases from tokens."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.kinds import OR

from .cursor import text_of
from .joined_nouns import completed, counted, shared, with_any
from .phrases import ORDER, NounPhrase, Place, Rank, Relation
from .place_parser import PlaceParser
from .refusals import Open
from .words import (
    ALL,
    ANY,
    COLOURS,
    DETERMINERS,
    DIRECTIONS,
    ENDS,
    HANDLING,
    INDEFINITE,
    MASS,
    ORDINALS,
    POINTED_AT,
    PRONOUNS,
    QUANTITIES,
    RELATIONS,
    SIZES,
    SUPERLATIVES,
    UNDER,
    singular,
)

SWAPS = frozenset({'swap', 'switch', 'exchange', 'trade'})
MATCHING = frozenset({'matching', 'same-coloured', 'same-colored'})
BUILDING = frozenset({'stack', 'pile', 'build', 'make', 'create'})
SIDES = frozenset({'left', 'right', 'front', 'rear', 'middle'})


class NounParser(PlaceParser):
    """Reads noun phrases from where the cursor is.

    `contrast` is what was said not to be meant: "the red cube, not the blue one".
    """

    contrast: NounPhrase | None = None

    def joined_nouns(self, first: NounPhrase, second: NounPhrase) -> tuple[NounPhrase, ...]:
        return shared(first, second)

    def phrases(self) -> tuple[NounPhrase, ...]:
        """Noun phrases joined by "and". They share their noun: "the red and the blue cube"."""
        found = [self.phrase()]
        while True:
            start = self.at
            if not self.joined() or not self.starts_phrase() or self.end_follows():
                self.at = start
                break
            found.append(self.phrase())
        if self.peek() == 'or':
            raise Open(f'{found[-1].text}, or what? "{self.said}" leaves a choice: say one')
        if found[0].quantity == 'both' and not found[0].plural and len(found) == 2:
            found[0] = replace(found[0], quantity='')  # "both the red and the blue one"
        for i in range(1, len(found)):
            found[i] = counted(found[i], found[i - 1])
        for i in range(len(found) - 2, -1, -1):
            found[i], found[i + 1] = shared(found[i], found[i + 1])
        return tuple(found)

    def end_follows(self) -> bool:
        """Whether an end of a tower is said here: "the red one at the bottom", "green on top"."""
        if self.tokens[0].text not in BUILDING:
            return False
        words = [t.text if t.kind != 'comma' else ',' for t in self.tokens[self.at:]]
        stop = next((i for i, w in enumerate(words) if w in (',', 'and')), len(words))
        said = ' '.join(words[:stop])
        return len(words[:stop]) > 2 and 'with' not in words[:stop] and said.endswith(
            ('at the bottom', 'on the bottom', 'at the top', 'on the top', 'on top'))

    def starts_phrase(self) -> bool:
        if self.is_done or self.kind() not in ('word', 'number'):
            return False
        return self.peek() in (*PRONOUNS, 'at_least') or self.peek() not in ENDS

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
        if found.quantity and self._is_pronoun() and PRONOUNS[self.peek()] == 'them':
            return self._of_them(found, start)
        found = with_any(self._described(found))
        if not found.words and not found.ranks and found.quantity in ('', 'any'):
            raise self.refuse('an object is missing')
        last = self.tokens[self.at - 1].text
        if not found.words and found.ranks and last in DIRECTIONS and all(
                r.word in SIDES and r.landmark is None for r in found.ranks):
            raise self.refuse('a direction is no object')
        if found.quantity == 'some' and found.plural and not any(
                t.text == 'any_one' for t in self.tokens[start:self.at]):
            raise Open(f'how many? "{text_of(self.tokens[start:self.at])}" does not say')
        said = [t.text for t in self.tokens[start:self.at]]
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
        if found.quantity in ('some', 'exactly', 'no', 'any'):
            raise Open(f'which ones? "{text}" does not say')
        return NounPhrase(text, quantity=found.quantity, pronoun='them', plural=True)

    def _is_pronoun(self) -> bool:
        """ "this" and "those" are pronouns only without a noun."""
        word, following = self.peek(), self.peek(1)
        return word in PRONOUNS and (word not in DETERMINERS or self.kind(1) != 'word'
                                     or following in ENDS or following in DIRECTIONS)

    def _determined(self) -> NounPhrase:
        """The words before the noun that say how many."""
        quantity, count, definite = '', None, False
        words: tuple[str, ...] = ()
        while True:
            word = self.peek()
            if word == 'all' and self.peek(1) in ('but', 'except') and (
                    self.peek(2) == 'any_one' or self.kind(2) == 'number'
                    and self.peek(3) == 'of'):
                self.at += 2
                value = self.value('number')
                self.at += 0 if value is not None else 1
                quantity, count, definite = 'all_but', int(value or 1), True
                continue
            if word in ALL:
                quantity = 'all'
                words = ('thing',) if word in ('everything', 'anything') else words
            elif word in ANY:
                quantity = 'any'
            elif word in ('both', 'no'):
                quantity = word
            elif word in ('some', 'any_one'):
                quantity = 'some'
            elif word in ('rest', 'remaining', 'others'):
                quantity = 'rest'
            elif word in ('other', 'another', 'else'):
                quantity = 'other' if quantity != 'all' else 'rest'
            elif word in ('different', 'own', 'separate'):
                quantity = 'own'
            elif word == 'one' and definite and not self._goes_on(1):
                break  # "the one on the left": a noun
            elif word == 'at_least':
                quantity = word
            elif word == 'exactly' or self.kind() == 'number':
                value = self.value('number')
                if value is not None:
                    quantity = quantity or ('' if definite else 'exactly')
                    count = int(value)
                    continue
            elif word in DETERMINERS and not words:
                definite = definite or word not in INDEFINITE
                quantity = quantity or ('some' if word in INDEFINITE else '')
            elif not (word == 'of' and self.at):
                break
            self.at += 1
        return NounPhrase('', words, quantity, count, definite)

    def _described(self, found: NounPhrase) -> NounPhrase:
        """The adjectives and the noun."""
        words, ranks, plural = list(found.words), list(found.ranks), found.plural
        while self.kind() == 'word' and self.peek() not in ENDS:
            word = self.peek()
            if words and self._ends_here(word):
                break
            if word in ('own', 'different'):
                found = replace(found, quantity='own')
            elif word in MATCHING:
                found = replace(found, quantity='matching')
            elif word.startswith('non-'):
                words.append(f'-{word[4:]}')
            elif word in ORDINALS:
                ranks.append(Rank(ORDER, ordinal=ORDINALS[word]))
                if self.peek(1) in SUPERLATIVES:  # "the second biggest"
                    self.at += 1
                    ranks[-1] = replace(ranks[-1], word=SUPERLATIVES[self.peek()])
                    self.at += 1
                    ranks[-1] = self._compared(ranks[-1])
                    continue
            elif (word == 'round' and words and not self._goes_on(1)
                  and self.tokens[0].text == 'turn'):
                break  # "turn the bar round"
            elif word in SUPERLATIVES:
                if (words and word in DIRECTIONS and not self._goes_on(1)):
                    break  # "the red cube left": a direction
                ranks.append(Rank(SUPERLATIVES[word]))
                self.at += 1
                ranks[-1] = self._compared(ranks[-1])
                continue
            elif word in SIZES:
                ranks.append(Rank(SIZES[word]))
            elif word in DIRECTIONS:
                break
            elif word == 'of' and ranks:  # "the larger of the red cubes"
                self.at += 1
                inner = self._determined()
                words += inner.words
                continue
            elif word == 'of':
                break
            else:
                one, is_plural = singular(word)
                words.append(one)
                plural = plural or is_plural
                while found.quantity == 'all' and self._or_colour():
                    words[-1] = f'{words[-1]}{OR}{self.peek(2)}'  # "everything red or blue"
                    self.at += 2
            self.at += 1
        if tuple(words) in MASS and found.definite and not ranks:
            plural = True
        if ranks and plural and any(t.text == 'of' for t in self.tokens[:self.at]):
            plural = False  # "the larger of the cubes" is one
        if self.kind() == 'number' and (words or self.peek() == 'one' and (
                ranks or found.definite)):
            # "red cube 2" is a name, "the third one" is not
            words.append(self.peek())
            self.at += 1
        if found.quantity in ('', 'rest') and not words and not ranks:
            words = ['thing'] if found.quantity == 'rest' else words
        return replace(found, words=tuple(words), ranks=tuple(ranks), plural=plural)

    def _or_colour(self) -> bool:
        """Whether "or" and another colour follow a colour: both are meant by "all red or blue"."""
        return (self.peek() in COLOURS and self.peek(1) == 'or' and self.peek(2) in COLOURS)

    def _ends_here(self, word: str) -> bool:
        """Whether the word after a noun is not part of its phrase: a verb, another object."""
        if word in DETERMINERS or word in QUANTITIES:
            return True
        starts = DETERMINERS | QUANTITIES | PRONOUNS.keys()
        verb = word in HANDLING and (self.peek(1) in starts or word in SWAPS)
        return verb or (word == 'go' and self.peek(1) in RELATIONS)

    def _goes_on(self, ahead: int) -> bool:
        return self.kind(ahead) == 'word' and self.peek(ahead) not in ENDS

    def _compared(self, rank: Rank) -> Rank:
        """ "closest to the bowl", "nearest the bin"."""
        if rank.word not in ('near', 'far') or self.peek() not in (
                'to', 'from', 'the', 'to_me'):
            return rank
        if self.peek() == 'the' and self.at < 2:
            return rank
        self.accept('to', 'from')
        if self.accept('you', 'yourself'):
            return rank  # near and far are from the robot
        if self.accept('me', 'us', 'to_me'):
            return replace(rank, word='person' if rank.word == 'near' else 'not_person')
        return replace(rank, landmark=self.phrase())

    def _after_noun(self, found: NounPhrase) -> NounPhrase:
        """ "that is not red", "on the left", "closest to the bowl", "except the bar"."""
        while True:
            word = self.peek()
            if word in ('that', 'which'):
                found = self._clause(found)
            elif self.peek() in ('nearest', 'closest', 'farthest', 'furthest'):
                found = self._described(found)
            elif any(r.word == ORDER for r in found.ranks) and (
                    self.peek() == 'from' and self.peek(2) in (
                        'left', 'right', 'top', 'bottom')):
                side = self.peek(2)
                self.at += 3
                found = replace(found, ranks=tuple(
                    replace(r, word=side) if r.word == ORDER else r for r in found.ranks))
            elif word in UNDER and self._goes_on(1):
                self.at += 1
                found = replace(found, places=(*found.places, Place(
                    Relation.UNDER, (self.phrase(),))))
            elif (found.quantity in ('all', 'some') or found.plural) and self.excepts():
                found = self.left_out(found)
                if self.kind() == 'comma' and self.peek(1) in RELATIONS:
                    self.at += 1
            elif word == 'over_there' and (self.peek(1) in RELATIONS
                                           or self.tokens[0].text in POINTED_AT):
                self.at += 1
            elif self._colour_after():
                found = replace(found, words=(self.tokens[self.at - 1].text, *found.words)
                                if self.tokens[self.at - 1].text in COLOURS else
                                (self.tokens[self.at - 2].text, *found.words))
            elif word == 'same_colour':
                self.at += 1
                found = replace(found, quantity='matching')
            else:
                return found

    def _colour_after(self) -> bool:
        """Goes over "of red colour", "with the colour blue", if that follows."""
        start = self.at
        if self.accept('of', 'with', 'in', 'having'):
            self.accept('the', 'a')
            first, second = self.peek(), self.peek(1)
            if {first, second} & {'colour', 'coloured'} and {first, second} & COLOURS:
                self.at += 2
                return True
        self.at = start
        return False

    def excepts(self) -> bool:
        """Goes over "except", "but" or ", except", if one follows."""
        ahead = 1 if self.kind() == 'comma' else 0
        word = self.peek(ahead)
        follows = self.peek(1) in DETERMINERS or self.kind(1) == 'number'
        if word != 'except' and (word != 'but' or ahead or not follows):
            return False
        self.at += ahead + 1
        return True

    def left_out(self, found: NounPhrase) -> NounPhrase:
        """The phrase with what follows "except": things, or only how many."""
        ends = 2 if self.peek(1) == 'of' else 1
        counts = self.kind() == 'number' or self.peek() == 'any_one'
        if counts and found.quantity == 'all' and (
                self.kind(ends) != 'word' or self.peek(ends) in ENDS):
            count = self.value('number')
            self.at += 0 if count is not None else 1
            return replace(found, quantity='all_but', count=int(count or 1))
        return replace(found, without=(*found.without, *self.exceptions(found)))

    def exceptions(self, found: NounPhrase) -> tuple[NounPhrase, ...]:
        """What "except" leaves out of a phrase; for one thing it is only said in contrast."""
        inner = tuple(completed(p, found) for p in self.phrases())
        if found.quantity not in ('all', 'some') and not found.plural:
            self.contrast = inner[0]
            return ()
        return inner

    def _clause(self, found: NounPhrase) -> NounPhrase:
        start = self.at
        self.at += 1
        if not self.accept('is', 'are', 'stands', 'lies', 'lie', 'stand', 'sits'):
            self.at = start
            raise self.refuse('say which with a colour, a place, or "that is ..."')
        negative = bool(self.accept('not'))
        compared = {'closer_to': 'near', 'apart_from': 'far'}.get(self.peek())
        if compared and not negative:  # "that is closer to the bin"
            self.at += 1
            return replace(found, ranks=(*found.ranks, Rank(compared, self.phrase())))
        if self.peek() in RELATIONS:
            place = self.place()
            if place is None:
                raise self.refuse('say which with a colour or a place')
            return replace(found, places=(*found.places, replace(place, negated=negative)))
        inner = self._described(self._determined())
        if inner.ranks and not inner.words and not negative:  # "that is closest to the bowl"
            return replace(found, ranks=(*found.ranks, *inner.ranks))
        if not inner.words or inner.ranks:
            raise self.refuse('say which with a colour or a place')
        if found.quantity == 'all' and self.accept('or'):  # "that is a cube or a ball"
            other = self._described(self._determined())
            if len(inner.words) != 1 or len(other.words) != 1 or negative:
                raise Open(f'which one? "{self.said}" leaves a choice: say one')
            inner = replace(inner, words=(f'{inner.words[0]}{OR}{other.words[0]}',))
        words = tuple(f'-{w}' if negative else w for w in inner.words)
        return replace(found, words=(*found.words, *words))
