"""Reads places from tokens: "in the bowl", "5 cm to the left", "in the corner"."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.refusals import Open

from .cursor import Cursor
from .phrases import NounPhrase, Place, Relation, is_bare
from .words import BEYOND, DESTINATIONS, DIRECTIONS, ENDS, RELATIONS

SMALL_MOVE_M = 0.05
TABLES = ('table', 'desk', 'workspace', 'worktop')
ZONES = ('middle', 'corner', 'edge', 'side', 'end', 'half', 'part')
ZONE_WORDS = {
    'left': 'left', 'left-hand': 'left', 'right': 'right', 'right-hand': 'right', 'far': 'far',
    'far_out': 'far', 'far_at': 'far', 'back': 'far', 'rear': 'far', 'top': 'far',
    'upper': 'far', 'near': 'near', 'front': 'near', 'bottom': 'near', 'lower': 'near',
    'other': 'other', 'opposite': 'other', 'positive-x': 'x+', 'negative-x': 'x-',
    'positive-y': 'y+', 'negative-y': 'y-',
    'very': '', 'dead': ''}
MEASURED = frozenset({Relation.LEFT_OF, Relation.RIGHT_OF, Relation.IN_FRONT_OF, Relation.BEHIND,
                      Relation.APART_FROM, Relation.FROM, Relation.TOWARDS})
MOVING = frozenset('move shift push nudge slide pull drag scoot budge'.split())


class PlaceParser(Cursor):
    """Reads places from where the cursor is."""

    def phrase(self) -> NounPhrase:
        """One noun phrase."""
        raise NotImplementedError

    def place(self) -> Place | None:
        """A place, or None if none starts here. Raises NotUnderstood for one we cannot do."""
        if self.peek() in ('over_there', 'out_of_the_way'):
            raise Open(f'where is "{self.word_said()}"? Name a place, for example '
                       '"next to the bowl"', Cause.PLACE_NOT_SAID)
        if self.peek() in BEYOND:
            raise self.refuse(f'{self.word_said()!r} is no place that the arm can reach for')
        start = self.at
        for read in (self._left_from, self._zone, self._extreme, self._measured, self._aside):
            self.at = start
            found = read()
            if found is not None:
                return found
        self.at = start
        word = self.accept(*RELATIONS, 'at', 'to_me', 'down', 'where')
        step = self._distance_after() if word == 'to_me' else None
        if step is not None:  # they sit opposite the arm
            return Place(Relation.ASIDE, direction='away', distance_m=step, sure=True)
        if word == 'down' and self.tokens[0].text in MOVING and self.is_done:
            raise Open(f'which way is down? "{self.said}" does not say; for example "5 cm back"',
                       Cause.PLACE_NOT_SAID)
        if word in ('to_me', 'down'):
            return Place(Relation.TO_PERSON if word == 'to_me' else Relation.DOWN, sure=True)
        if word == 'at':
            return self._point()
        if word == 'where':
            return self._where(start)
        return self._related(word) if word else None

    def _left_from(self) -> Place | None:
        """ "left from the bowl", "on the right from it"; not after "move", where it is a way."""
        start = self.at
        if self.accept('to', 'on', 'at'):
            self.accept('the')
        side = self.accept('left', 'right')
        if side and self.accept('from') and self.tokens[0].text not in MOVING:
            return Place(RELATIONS[f'{side}_of'], (self.phrase(),))
        self.at = start
        return None

    def _related(self, word: str) -> Place:
        if word in ('in', 'into', 'on', 'onto') and (
                self.is_done or self.kind() == 'comma' or self.peek() in ('and', 'too')):
            return Place(RELATIONS[word], (NounPhrase(word, pronoun='there'),), sure=True)
        if self.peek() in ('me', 'you', 'us', 'yourself', 'robot'):
            if word in ('to', 'towards', 'in_front_of', 'near') and self.accept('me', 'us'):
                return Place(Relation.TO_PERSON, sure=True)
            if word == 'closer_to' and self.accept('me', 'us'):  # they sit opposite the arm
                return Place(Relation.ASIDE, direction='away', sure=True,
                             distance_m=self._distance_after())
            if word in ('closer_to', 'towards', 'apart_from') and self.accept('you', 'yourself'):
                nearer = word != 'apart_from'
                return Place(Relation.ASIDE, direction='closer' if nearer else 'away', sure=True,
                             distance_m=self._distance_after())
            raise self.refuse('say where with an object of the scene')
        relation = RELATIONS[word]
        if relation is Relation.FROM and self.is_done:  # "take the green cube off"
            return Place(relation, sure=True)
        if word in ('closer_to', 'apart_from') and self.is_robot():
            nearer = word == 'closer_to'
            return Place(Relation.ASIDE, direction='closer' if nearer else 'away', sure=True,
                         distance_m=self._distance_after())
        ends = relation in (Relation.BETWEEN, Relation.HALFWAY)
        landmarks = self._ends() if ends else (self.phrase(),)
        sides = {Relation.LEFT_OF: 'left side', Relation.RIGHT_OF: 'right side'}
        if relation in sides and landmarks[0].words in (('table',), ('desk',)) and is_bare(
                landmarks[0]):
            return Place(Relation.ZONE, direction=sides[relation])
        found = Place(relation, landmarks, sure=word in DESTINATIONS)
        moves = relation in (Relation.APART_FROM, Relation.TOWARDS)
        return replace(found, distance_m=self._distance_after()) if moves else found

    def _ends(self) -> tuple[NounPhrase, ...]:
        first = self.phrase()
        if first.is_several:
            return (first,)
        if not self.accept('and'):
            raise self.refuse('between what and what?')
        return self.joined_nouns(first, self.phrase())

    def joined_nouns(self, first: NounPhrase, second: NounPhrase) -> tuple[NounPhrase, ...]:
        """The two with what they share."""
        raise NotImplementedError

    def is_robot(self) -> bool:
        """Goes over "the arm", "the robot", if that follows."""
        start = self.at
        self.accept('the', 'your')
        if self.accept('robot', 'arm', 'base', 'yourself'):
            return True
        self.at = start
        return False

    def _point(self) -> Place:
        if self.kind() != 'point':
            raise self.refuse('a place is "at (x, y)" in metres, or in, on, next to an object')
        x, y = self.tokens[self.at].value
        self.at += 1
        return Place(Relation.AT, point=(x, y), sure=True)

    def _where(self, start: int) -> Place | None:
        """ "where the red cube is"; None for "where it was", which is another place."""
        if self.peek() in ('it', 'they'):
            self.at = start
            return None
        landmark = self.phrase()
        verb = self.accept('is', 'was', 'stands', 'stood', 'lies', 'are', 'were')
        if not verb:
            raise self.refuse('say "where the ... is"')
        self.accept('standing', 'lying', 'sitting')
        when = 'was' if verb in ('was', 'stood', 'were') else ''
        return Place(Relation.WHERE, (landmark,), direction=when, sure=True)

    def _zone(self) -> Place | None:
        """ "in the middle of the table", "in the far left corner", "to the other side"."""
        if not self.accept('in', 'at', 'to', 'into', 'on', 'onto', 'towards', 'near', 'far_out',
                           'far_at') and self.peek() != 'dead':
            return None
        if self.tokens[self.at - 1].text in ('far_out', 'far_at'):
            self.at -= 1
        self.accept('the', 'a', 'one')
        start = self.at
        said = []
        while self.peek() in ZONE_WORDS:
            said.append(ZONE_WORDS[self.peek()])
            self.at += 1
        noun = self.accept(*ZONES, *(z + 's' for z in ZONES))
        directed = [w for w in said if w]
        goes_on = self.kind() == 'word' and self.peek() not in ENDS and self.peek() != 'of'
        if not noun or goes_on or (noun in ('side', 'end', 'half', 'part') and not directed):
            return None
        if noun == 'side' and directed[-1] in ('left', 'right') and self.peek() != 'of':
            return None  # "on the left side": to the left of where it is
        landmarks: tuple[NounPhrase, ...] = ()
        sure = self.tokens[start - 1].text == 'to' or self.tokens[start - 2].text in DESTINATIONS
        if self.accept('of'):
            sure = True
            self.accept('the', 'your', 'my', 'this')
            if not self.accept(*TABLES):
                if noun == 'side' and directed == ['other']:
                    landmarks = (self.phrase(),)
                else:
                    return None
        if self.peek() == 'between':
            return None
        return Place(Relation.ZONE, landmarks, direction=' '.join((*directed, noun)), sure=sure)

    def _extreme(self) -> Place | None:
        """ "as far left as possible", "all the way to the right"."""
        far = self.accept('far_out', 'far_at')
        if not far:
            return None
        self.accept('to')
        self.accept('the')
        word = {'back': 'near', 'forward': 'far', 'away': 'far', 'backwards': 'near'}.get(
            self.peek()) or ZONE_WORDS.get(self.peek(), '')
        if not word or word == 'other':
            raise self.refuse('how far? For example "as far left as possible"')
        self.at += 1
        self.accept('side')
        return Place(Relation.ZONE, direction=f'{word} edge', sure=far == 'far_out')

    def _measured(self) -> Place | None:
        """ "10 cm in front of the bowl", "5 cm away from the bin"."""
        distance = self.value('length')
        if distance is None or RELATIONS.get(self.peek()) not in MEASURED:
            return None
        relation = RELATIONS[self.peek()]
        self.at += 1
        if relation in (Relation.FROM, Relation.APART_FROM):
            if self.accept('you', 'yourself') or self.is_robot():
                return Place(Relation.ASIDE, direction='away', distance_m=distance, sure=True)
            if self.tokens[0].text not in MOVING:
                relation = Relation.FROM  # a gap, not a step
        if relation is Relation.TOWARDS and self.peek() in ('me', 'us', 'you', 'yourself', 'the'):
            if self.accept('me', 'us'):
                return Place(Relation.ASIDE, direction='away', distance_m=distance, sure=True)
            if self.accept('you', 'yourself') or self.is_robot():
                return Place(Relation.ASIDE, direction='closer', distance_m=distance, sure=True)
        if relation is Relation.TOWARDS and self.peek() in ('left', 'right'):
            return None
        if relation is Relation.TOWARDS and self.peek(1) in ('left', 'right', 'front', 'back'):
            return None
        return Place(relation, (self.phrase(),), distance_m=distance, sure=True)

    def _aside(self) -> Place | None:
        """ "5 cm to the left", "left by 4 cm", "forward", "a bit to the right"."""
        distance = self._distance()
        start = self.at
        farther = self.accept('more', 'further')
        first = self.peek()
        if self.accept('to', 'on', 'towards', 'at'):
            self.accept('the', 'your')
        word = self.accept(*DIRECTIONS)
        ends = self.is_done or self.peek() in ENDS or self.kind() != 'word'
        if word and self.accept('side', 'hand'):
            ends = True
        if not word or not (ends or self.peek() in ('side', 'of', 'again')):
            self.at = start
            if distance is not None and self.accept('to_me'):
                return Place(Relation.ASIDE, direction='away', distance_m=distance, sure=True)
            if distance is not None and self.peek() not in RELATIONS:
                raise self.refuse('a distance needs a direction')
            if distance is not None:
                return self._small_step(distance)
            self.at = start
            return None
        if self.accept('by'):
            distance = self._distance()
        elif distance is None:
            distance = self._distance()
        return Place(Relation.ASIDE, direction=DIRECTIONS[word], distance_m=distance,
                     sure=first in (word, 'to') and (not farther or word in ('left', 'right')))

    def _small_step(self, distance: float) -> Place:
        """ "a bit closer to the bowl"."""
        if RELATIONS[self.peek()] not in (Relation.TOWARDS, Relation.APART_FROM):
            raise self.refuse('a distance needs a direction')
        word = self.peek()
        self.at += 1
        return replace(self._related(word), distance_m=distance)

    def _distance_after(self) -> float | None:
        self.accept('by')
        return self._distance()

    def _distance(self) -> float | None:
        if self.accept('a_bit'):
            return SMALL_MOVE_M
        return self.value('length')
