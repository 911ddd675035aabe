"""Reads noun phrases and places from tokens."""

from __future__ import annotations

from dataclasses import replace

from .cursor import Cursor, text_of
from .joined_nouns import counted, shared, with_any
from .phrases import ORDER, NounPhrase, Place, Rank, Relation
from .refusals import Open
from .words import (
    ALL,
    ANY,
    BEYOND,
    COLOURS,
    DESTINATIONS,
    DETERMINERS,
    DIRECTIONS,
    ENDS,
    HANDLING,
    INDEFINITE,
    ORDINALS,
    PRONOUNS,
    RELATIONS,
    SIZES,
    SUPERLATIVES,
    singular,
)

SMALL_MOVE_M = 0.05
SIDES = frozenset({'left', 'right', 'front', 'rear', 'middle'})


class NounParser(Cursor):
    """Reads noun phrases and places from where the cursor is."""

    # Noun phrases

    def phrases(self) -> tuple[NounPhrase, ...]:
        """Noun phrases joined by "and". They share their noun: "the red and the blue cube"."""
        found = [self.phrase()]
        while True:
            start = self.at
            if not self.joined() or not self.starts_phrase():
                self.at = start
                break
            found.append(self.phrase())
        if self.peek() == 'or':
            raise Open(f'{found[-1].text}, or what? "{self.text}" leaves a choice: say one')
        for i in range(1, len(found)):
            found[i] = counted(found[i], found[i - 1])
        for i in range(len(found) - 2, -1, -1):
            found[i], found[i + 1] = shared(found[i], found[i + 1])
        return tuple(found)

    def starts_phrase(self) -> bool:
        if self.is_done or self.kind() not in ('word', 'number'):
            return False
        return self.peek() in PRONOUNS or self.peek() not in ENDS

    def phrase(self) -> NounPhrase:
        """One noun phrase. Raises NotUnderstood if there is none."""
        start = self.at
        if self._is_pronoun():
            pronoun = PRONOUNS[self.peek()]
            self.at += 1
            return NounPhrase(self.tokens[start].text, pronoun=pronoun,
                              plural=pronoun == 'them')
        found = self._determined()
        found = with_any(self._described(found))
        if not found.words and not found.ranks and found.quantity in ('', 'any'):
            raise self.refuse('an object is missing')
        if not found.words and found.ranks and all(
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
            raise Open(f'one of them, or all? "{self.text}" does not say')
        return replace(found, text=text_of(self.tokens[start:self.at]))

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
            if word in ALL:
                quantity = 'all'
                words = ('thing',) if word in ('everything', 'anything') else words
            elif word in ANY:
                quantity = 'any'
            elif word == 'both':
                quantity = word
            elif word in ('some', 'any_one'):
                quantity = 'some'
            elif word in ('rest', 'remaining', 'others'):
                quantity = 'rest'
            elif word in ('other', 'another', 'else'):
                quantity = 'other' if quantity != 'all' else 'rest'
            elif word in ('different', 'own', 'separate'):
                quantity = 'own'
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
            if words and (word in HANDLING or (word == 'go' and self.peek(1) in RELATIONS)):
                break
            if word in ('own', 'different'):
                found = replace(found, quantity='own')
            elif word in ORDINALS:
                ranks.append(Rank(ORDER, ordinal=ORDINALS[word]))
                if self.peek(1) in SUPERLATIVES:  # "the second biggest"
                    self.at += 1
                    ranks[-1] = replace(ranks[-1], word=SUPERLATIVES[self.peek()])
                    self.at += 1
                    ranks[-1] = self._compared(ranks[-1])
                    continue
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
            self.at += 1
        if ranks and plural and any(t.text == 'of' for t in self.tokens[:self.at]):
            plural = False  # "the larger of the cubes" is one
        if self.kind() == 'number' and (words or (ranks and self.peek() == 'one')):
            # "red cube 2" is a name, "the third one" is not
            words.append(self.peek())
            self.at += 1
        if found.quantity in ('', 'rest') and not words and not ranks:
            words = ['thing'] if found.quantity == 'rest' else words
        return replace(found, words=tuple(words), ranks=tuple(ranks), plural=plural)

    def _goes_on(self, ahead: int) -> bool:
        return self.kind(ahead) == 'word' and self.peek(ahead) not in ENDS

    def _compared(self, rank: Rank) -> Rank:
        """ "closest to the bowl", "nearest the bin"."""
        if rank.word not in ('near', 'far') or self.peek() not in ('to', 'from', 'the'):
            return rank
        if self.peek() == 'the' and self.at < 2:
            return rank
        self.accept('to', 'from')
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
                    self.peek() == 'from' and self.peek(2) in ('left', 'right')):
                side = self.peek(2)
                self.at += 3
                found = replace(found, ranks=tuple(
                    replace(r, word=side) if r.word == ORDER else r for r in found.ranks))
            elif word in ('except', 'but') and (word == 'except' or self.peek(1) in DETERMINERS):
                self.at += 1
                found = replace(found, without=(*found.without, *self._exceptions(found)))
            else:
                return found

    def _exceptions(self, found: NounPhrase) -> tuple[NounPhrase, ...]:
        inner = self.phrases()
        if found.quantity != 'all' and not found.plural:
            raise self.refuse('say "all ... except ..."')
        noun = tuple(w for w in found.words if w not in COLOURS and not w.startswith('-'))
        return tuple(replace(p, words=(*(w for w in p.words if w != 'one'), *noun))
                     if 'one' in p.words or set(p.words) <= COLOURS else p for p in inner)

    def _clause(self, found: NounPhrase) -> NounPhrase:
        start = self.at
        self.at += 1
        if not self.accept('is', 'are', 'stands', 'lies', 'lie', 'stand', 'sits'):
            self.at = start
            raise self.refuse('say which with a colour, a place, or "that is ..."')
        negative = bool(self.accept('not'))
        if self.peek() in RELATIONS:
            place = self.place()
            if place is None or negative:
                raise self.refuse('say which with a colour or a place')
            return replace(found, places=(*found.places, place))
        inner = self._described(self._determined())
        if not inner.words or inner.ranks:
            raise self.refuse('say which with a colour or a place')
        words = tuple(f'-{w}' if negative else w for w in inner.words)
        return replace(found, words=(*found.words, *words))

    # Places

    def place(self) -> Place | None:
        """A place, or None if none starts here. Raises NotUnderstood for one we cannot do."""
        if self.peek() in BEYOND:
            raise self.refuse(f'{self.peek()!r} is no place that the arm can reach for')
        start = self.at
        aside = self._aside()
        if aside is not None:
            return aside
        self.at = start
        word = self.accept(*RELATIONS, 'at', 'to_me', 'down')
        if word in ('to_me', 'down'):
            return Place(Relation.TO_PERSON if word == 'to_me' else Relation.DOWN, sure=True)
        if word == 'at':
            return self._point()
        if not word:
            return None
        if self.peek() in ('me', 'you', 'us', 'yourself', 'robot'):
            if word in ('to', 'towards', 'in_front_of') and self.accept('me', 'us'):
                return Place(Relation.TO_PERSON, sure=True)
            raise self.refuse('say where with an object of the scene')
        relation = RELATIONS[word]
        landmarks = (self._ends() if relation is Relation.BETWEEN else (self.phrase(),))
        return Place(relation, landmarks, sure=word in DESTINATIONS)

    def _ends(self) -> tuple[NounPhrase, ...]:
        first = self.phrase()
        if first.is_several:
            return (first,)
        if not self.accept('and'):
            raise self.refuse('between what and what?')
        return tuple(shared(first, self.phrase()))

    def _point(self) -> Place:
        if self.kind() != 'point':
            raise self.refuse('a place is "at (x, y)" in metres, or in, on, next to an object')
        x, y = self.tokens[self.at].value
        self.at += 1
        return Place(Relation.AT, point=(x, y), sure=True)

    def _aside(self) -> Place | None:
        """ "5 cm to the left", "left by 4 cm", "forward", "a bit to the right"."""
        distance = self._distance()
        start = self.at
        self.accept('more', 'further', 'farther')
        if self.accept('to', 'on', 'towards', 'at'):
            self.accept('the', 'your')
        word = self.accept(*DIRECTIONS)
        ends = self.is_done or self.peek() in ENDS or self.kind() != 'word'
        if word and self.accept('side', 'hand'):
            ends = True
        if not word or not (ends or self.peek() in ('side', 'of')):
            if distance is not None:
                raise self.refuse('a distance needs a direction')
            self.at = start
            return None
        if word in ('closer', 'away') and self.peek() in ('to', 'from', 'towards'):
            self._over_robot()
        if self.accept('by'):
            distance = self._distance()
        elif distance is None:
            distance = self._distance()
        is_bare = self.tokens[start].text == word
        return Place(Relation.ASIDE, direction=DIRECTIONS[word], distance_m=distance,
                     sure=is_bare or self.tokens[start].text == 'to')

    def _over_robot(self) -> None:
        start = self.at
        self.at += 1
        self.accept('the', 'your')
        if not self.accept('robot', 'arm', 'base', 'you', 'yourself'):
            self.at = start

    def _distance(self) -> float | None:
        if self.accept('a_bit'):
            return SMALL_MOVE_M
        return self.value('length')
