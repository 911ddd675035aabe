"""Reads what stands around a noun: how many, "that is red", "closest to ...", "except ..."."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.kinds import OR
from replan_agent.domain.refusals import Open

from .cursor import text_of
from .joined_nouns import completed
from .phrases import ORDER, NounPhrase, Place, Rank, Relation
from .place_parser import PlaceParser
from .words import (
    ALL,
    ANY,
    COLOURS,
    DETERMINERS,
    ENDS,
    FETCH_VERBS,
    HOLDERS,
    INDEFINITE,
    LYING,
    POINTED_AT,
    QUANTITIES,
    RELATIONS,
    TOWERS,
    UNDER,
    WITH_VERBS,
)

IS_THERE = tuple('is are was were stands stand lies lie sits sit rests rest'.split())


COUNTING = (QUANTITIES - {'only'}) | frozenset(
    '# at_least at_most rest remaining others other another else different own separate'.split())
# How they may follow each other: "any two", "all the others"; not "every other cube".
COUNTED = frozenset(
    [(first, '#') for first in 'any either another exactly all any_one at_least at_most other '
     'everything rest'.split()]
    + [(first, rest) for first in ('all', 'everything', 'anything', 'any')
       for rest in ('other', 'others', 'rest', 'remaining', 'else')]
    + [('all', 'other', '#'), ('all', 'but', 'any_one'), ('all', 'any_one'), ('all', '#', 'other'),
       ('each', 'own'), ('all', 'own')])
BOUNDS = (('at_least',), ('at_most',))  # they need a number


class NounTails(PlaceParser):
    """Reads the rest of a noun phrase from where the cursor is.

    `contrast` is what was said not to be meant: "the red cube, not the blue one".
    """

    contrast: NounPhrase | None = None

    def phrases(self) -> tuple[NounPhrase, ...]:
        """Noun phrases joined by "and"."""
        raise NotImplementedError

    def starts_phrase(self) -> bool:
        raise NotImplementedError

    def _described(self, found: NounPhrase) -> NounPhrase:
        raise NotImplementedError

    def _goes_on(self, ahead: int) -> bool:
        return self.kind(ahead) == 'word' and self.peek(ahead) not in ENDS

    def described_further(self, found: NounPhrase) -> NounPhrase:
        """The phrase with a "that is ..." that follows its place."""
        return self._clause(found) if self.peek() in ('that', 'which') else found

    def _after_noun(self, found: NounPhrase) -> NounPhrase:
        """ "that is not red", "on the left", "closest to the bowl", "except the bar"."""
        while True:
            word = self.peek()
            ending = self._end_of_tower(found) if word in ('at', 'on', 'of') else None
            if ending is not None:
                found = ending
            elif word in ('that', 'which') or word in LYING and self.peek(1) in RELATIONS:
                found = self._clause(found)
            elif word in ('to', 'from') and self._is_nearest(found):
                start = self.at
                found = self._nearest_to(found)
                if self.at == start:
                    return found
            elif word in ('nearest', 'closest', 'farthest', 'furthest', 'leftmost', 'rightmost'):
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
            elif word in ('with', 'without') and self._holds_follow(found):
                found = self._holding(found)
            elif (found.quantity in ('all', 'some') or found.plural) and self.excepts():
                found = self.left_out(found)
                if self.kind() == 'comma' and self.peek(1) in RELATIONS:
                    self.at += 1
            elif word == 'over_there' and (self.peek(1) in RELATIONS
                                           or self.tokens[0].text in POINTED_AT):
                if found.is_several:
                    raise Open(f'which ones are over there? "{self.said}" does not say')
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

    def compared_with(self, rank: Rank) -> Rank:
        """Nearest or farthest with what it is measured from: a thing, "you", "me"."""
        if self.accept('you', 'yourself') or self.is_robot():
            return rank  # near and far are from the robot
        if self.accept('me', 'us', 'to_me'):
            return replace(rank, word='person' if rank.word == 'near' else 'not_person')
        return replace(rank, landmark=self.phrase())

    def _end_of_tower(self, found: NounPhrase) -> NounPhrase | None:
        """ "the cube at the bottom of the tower", "the top cube of the tower"; else None."""
        start = self.at
        end = self.peek(1) if self.accept('at', 'on') else ''
        if end in ('top', 'bottom'):
            self.at += 2
        ends = (Rank(end),) if end in ('top', 'bottom') else ()
        of = (ends or found.words and self.at == start) and self.accept('of')
        tower = self.phrase() if of and self.starts_phrase() else None
        if tower is None or not set(TOWERS) & set(tower.words):
            self.at = start
            return None
        if tower.is_several and (found.ranks or ends):  # "the top cube of each tower"
            raise Open(f'of which tower? "{self.said}" names several; say it for each')
        return replace(found, ranks=(*found.ranks, *ends), places=(
            *found.places, Place(Relation.ON, (tower,))))

    def _holds_follow(self, found: NounPhrase) -> bool:
        first = self.tokens[0].text  # "into the bin with the can": the can goes there
        return bool({*HOLDERS, 'one'} & set(found.words[-1:])) and self._goes_on(1) and (
            first not in WITH_VERBS and first not in RELATIONS)

    def _holding(self, found: NounPhrase) -> NounPhrase:
        """ "the bowl with the eggs (in it)", "the plate without a biscuit"."""
        negated = self.accept('with', 'without') == 'without'
        inside = self.phrase()
        if inside.quantity == 'no':  # "with nothing in it"
            negated, inside = not negated, replace(inside, quantity='', definite=False)
        if self.peek() in ('in', 'on') and self.peek(1) in ('it', 'them'):
            self.at += 2
        return replace(found, places=(*found.places, Place(
            Relation.WITH, (inside,), negated=negated)))

    def _is_nearest(self, found: NounPhrase) -> bool:
        return bool(found.words) and self._goes_on(1) and any(
            r.word in ('near', 'far') and r.landmark is None for r in found.ranks)

    def _nearest_to(self, found: NounPhrase) -> NounPhrase:
        """ "put the closest cube to the bowl in the bin"; in "move the closest cube to the bowl"
        it is where the cube goes, and "take the closest cube to the bowl" may mean both."""
        start = self.at
        self.at += 1
        landmark = self.phrase()
        verb = self.tokens[0].text
        ends = self.is_done or self.peek() not in (*RELATIONS, 'goes', 'go', 'stays')
        if ends and verb in FETCH_VERBS - POINTED_AT:
            raise Open(f'the closest to {landmark.text}, or should it go there? "{self.said}" may '
                       'mean both')
        if ends and verb not in POINTED_AT:
            self.at = start
            return found
        return replace(found, ranks=tuple(
            replace(r, landmark=landmark) if r.word in ('near', 'far') and r.landmark is None
            else r for r in found.ranks))

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
                self.kind(ends) != 'word' or self.peek(ends) in (*ENDS, 'go')):
            count = self.value('number')
            self.at += 0 if count is not None else 1
            return replace(found, quantity='all_but', count=int(count or 1))
        return replace(found, without=(*found.without, *self.exceptions(found)))

    def exceptions(self, found: NounPhrase) -> tuple[NounPhrase, ...]:
        """What "except" leaves out of a phrase; for one thing it is only said in contrast."""
        inner = tuple(completed(p, found) for p in self.phrases())
        if found.quantity not in ('all', 'some') and not found.is_several:
            if len(inner) > 1:
                raise self.refuse('name one thing that is not meant')
            self.contrast = inner[0]
            return ()
        return inner

    def _clause(self, found: NounPhrase) -> NounPhrase:
        start = self.at
        if self.accept('that', 'which') and not self.accept(*IS_THERE):
            self.at = start
            raise self.refuse('say which with a colour, a place, or "that is ..."')
        self.accept(*LYING)
        if self.accept('neither'):
            return replace(found, words=(*found.words, *self._none_of()))
        negative = bool(self.accept('not'))
        compared = {'closer_to': 'near', 'apart_from': 'far'}.get(self.peek())
        if compared and not negative:  # "that is closer to the bin"
            self.at += 1
            return replace(found, ranks=(*found.ranks, self.compared_with(Rank(compared))))
        if not negative and self.accept('closer'):  # "whichever bowl is closer"
            return replace(found, ranks=(*found.ranks, Rank('near')))
        if self.peek() in RELATIONS:
            place = self.place()
            if place is None:
                raise self.refuse('say which with a colour or a place')
            near = tuple(completed(n, found) if n.words else n for n in place.landmarks)
            return replace(found, places=(*found.places, replace(
                place, landmarks=near, negated=negative)))
        begins = self.at
        inner = self._described(self._determined())
        if inner.quantity not in ('', 'some') or inner.count is not None or (
                'some' in [t.text for t in self.tokens[begins:self.at]]):
            raise self.refuse('say which with a colour or a place')
        if inner.ranks and self.tokens[self.at - 1].text in ('left', 'right'):
            raise Open(f'left over, or on one side? "{self.said}" does not say; for example "the '
                       'one on the left", "the rest"')
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

    def _none_of(self) -> list[str]:
        """ "red nor blue nor green", as words that do not fit."""
        colours = [self.accept(*COLOURS)]
        while colours[-1] and self.accept('nor'):
            colours.append(self.accept(*COLOURS))
        if len(colours) < 2 or not all(colours):
            raise self.refuse('say which with colours: "that is neither red nor blue"')
        return [f'-{colour}' for colour in colours]

    def _determined(self) -> NounPhrase:
        """The words before the noun that say how many."""
        start, quantity, count, definite = self.at, '', None, False
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
            elif word in ('other', 'else') and quantity == 'no':
                raise self.refuse('say "and nothing else"')
            elif word in ('other', 'another', 'else'):
                quantity = 'other' if quantity != 'all' else 'rest'
            elif word in ('different', 'own', 'separate'):
                quantity = 'own'
            elif word == 'one' and definite and not self._goes_on(1):
                break  # "the one on the left": a noun
            elif word in ('at_least', 'at_most'):
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
        self._check_quantity(start)
        others = quantity == 'other' and (count or 1) > 1  # "the other two"
        return NounPhrase('', words, quantity, count, definite, others)

    def _check_quantity(self, start: int) -> None:
        """Raises NotUnderstood for "seven two cubes", "some of all", "every other cube"."""
        said = [('#' if t.kind == 'number' else t.text) for t in self.tokens[start:self.at]]
        how_many = tuple(w for w in said if w in COUNTING)
        if len(how_many) > 1 and how_many not in COUNTED or how_many in BOUNDS:
            raise self.refuse(f'how many? {text_of(self.tokens[start:self.at])!r} does not say')
        if {'no', 'each', 'every'} & set(said) and {'the', 'my', 'your', 'our'} & set(said) and (
                'of' not in said):  # "no the red one": perhaps a correction
            raise self.refuse('say only what counts in the end')
