"""Tells a remark from an order: what kind of subject it has, and what it says of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from replan_agent.domain.kinds import is_thing
from replan_agent.domain.scene import Scene, SceneObject

from ...dictionary import fits
from ...nouns import singular
from ..spelling import COMMON_VERBS
from ..words import DETERMINERS as ARTICLES
from ..words import PARTICIPLES, STARTS_OBJECT, VERBS
from .asides import PEOPLE
from .remark_words import (
    ALONE,
    ASIDES,
    CHANGES,
    DANGLING,
    DETERMINERS,
    GOALS,
    HEADER,
    JOINERS,
    OWNED,
    PERSONS,
    PRAISE,
    PROTECTED,
    PURPOSE,
    SIGH,
    THINGS,
    TOGETHER,
    is_finite,
    is_ordinary,
    is_past,
    may_change,
    plain_words,
    says_a_state,
    told_words,
)

LONGEST_SUBJECT = 6
IT, THING, NOUN, PERSON = 'it', 'thing', 'noun', 'person'  # kinds of subjects
OF_ALL = ('we', 'somebody', 'someone', 'everybody', 'everyone')
PLACED = frozenset('in on at under behind near by inside beside between above below onto into '
                   'to'.split())
ABOUT_IT = frozenset('it them that this these those'.split())
_PEOPLE = re.compile(PEOPLE)


@dataclass(frozen=True)
class TaskPart:
    """A part of the task, and the mark after it. `topic`: the thing that a remark is about."""

    text: str
    end: str
    is_remark: bool = False
    topic: str = ''
    names_other: bool = False  # its subject is a noun
    protects: bool = False  # what it is about may be meant to stay
    is_story: bool = False  # it tells what was, or what is done
    is_header: bool = False  # it announces an order


class Talk:
    """Tells remarks from orders in a scene."""

    def __init__(self, scene: Scene) -> None:
        self.things = [o for o in scene.objects if is_thing(o)]
        self.objects = scene.objects

    def names(self, word: str, objects: Sequence[SceneObject] = ()) -> bool:
        """Whether the word is one for an object of the scene, or for one of these."""
        return any(fits(form, o) for form in (word, singular(word)[0])
                   for o in objects or self.objects)

    def named(self, words: Sequence[str]) -> list[int]:
        """Where the words name an object. In "you can bin it" neither "can" nor "bin" does."""
        found: list[int] = []
        for i, word in enumerate(words):
            described = i > 0 and (words[i - 1] in ARTICLES or i - 1 in found)
            acts = word == 'can' or word in VERBS and words[i + 1:i + 2] and (
                words[i + 1] in STARTS_OBJECT)
            if self.names(word) and (described or not acts):
                found.append(i)
        return found

    def judge(self, piece: TaskPart) -> TaskPart:
        """The piece, marked if it is a remark."""
        words = plain_words(piece.text)
        said = ' '.join(words)
        if '?' in piece.end or not words:
            return piece
        purpose = PURPOSE.fullmatch(said) or TOGETHER.fullmatch(said)
        aim = words[2:3] if words[1:2] == ['that'] else words[1:2]
        if words[0] == 'so' and set(aim) & THINGS and not purpose:
            return piece  # what it says should become so
        while len(words) > 1 and words[0] in ASIDES | JOINERS:
            words = words[1:]
        bare = ' '.join(words)
        if HEADER.fullmatch(bare) or SIGH.fullmatch(bare):
            return replace(piece, is_remark=True, is_header=True)
        if purpose or PRAISE.fullmatch(said) or (
                set(words) <= ASIDES and not self.named(words)):
            return replace(piece, is_remark=True)
        return self._statement(piece, words)

    def _statement(self, piece: TaskPart, words: list[str]) -> TaskPart:
        """The piece, marked if it says what is so, and nothing that may count."""
        told = told_words(words)
        named = [i for i in self.named(words) if told[i]]
        verbs = zip(words[1:LONGEST_SUBJECT], [*words[2:], ''])
        at, kind = next(((i, k) for i, (word, after) in enumerate(verbs, 1)
                         if i not in named and (k := self._kind(words[:i], named))
                         and is_finite(word, k in (IT, THING), after)), (0, ''))
        rest = words[at + 1:]
        if not kind or words[-1] in DANGLING or not (rest or words[at] in ALONE):
            return piece
        if may_change(words) or not self._goes_on(rest) or not is_ordinary(words, named):
            return piece
        if kind in (IT, THING) and says_a_state(rest) or kind in (IT, NOUN) and OWNED & set(rest):
            return piece
        if kind == NOUN and set(words) & {*VERBS, *PARTICIPLES}:
            return piece
        if kind == PERSON and (words[-1] in ABOUT_IT or not self._is_own_doing(words)):
            return piece
        topic = self._topic(words, named)
        if named and (not topic or kind in (IT, NOUN) or kind == THING and named[-1] > at):
            return piece
        return replace(piece, is_remark=True, topic=topic, names_other=kind in (THING, NOUN),
                       protects=kind != PERSON and bool(PROTECTED & set(rest)),
                       is_story=is_past(words[at]) or bool({'done', 'finished'} & set(rest))
                       and not piece.text.lower().startswith(('and ', 'then ')))

    def _kind(self, subject: Sequence[str], named: list[int]) -> str:
        """What the words of a subject are; '' if they are none."""
        if len(subject) == 1 and subject[0] in THINGS:
            return IT
        if subject[0] in ('its', 'their') and 1 < len(subject) < 4 and not named:
            return '' if set(subject) & {*VERBS, *CHANGES, *GOALS, 'and'} else IT
        if subject[0] in PERSONS:
            return PERSON if len(subject) <= 2 and not set(subject[1:]) & VERBS else ''
        if _PEOPLE.fullmatch(' '.join(subject)):
            return PERSON if subject[0] not in ('you', 'they') else ''
        inside = {i for i, word in enumerate(subject) if word not in ('and', *DETERMINERS)}
        if inside & set(named):
            return THING if subject[0] in DETERMINERS and inside <= set(named) else ''
        if subject[0] in DETERMINERS:
            return NOUN if 1 < len(subject) < 5 and not set(subject) & VERBS else ''
        known = {*VERBS, *COMMON_VERBS, *CHANGES, 'they'}
        return NOUN if len(subject) == 1 and subject[0] not in known else ''

    def _goes_on(self, rest: list[str]) -> bool:
        """Whether no order begins after an "and" in the remark."""
        for i, word in enumerate(rest):
            if word not in ('and', 'so', 'then', 'plus'):
                continue
            after = rest[i + 1:]
            if not after or after[0] in VERBS | COMMON_VERBS:
                return False
            states = any(is_finite(w, False) for w in after[1:LONGEST_SUBJECT])
            if not states and len(after) > 2:
                return False
        return True

    def _is_own_doing(self, words: list[str]) -> bool:
        """Whether a person tells about themselves: "we tidy up" is an order to us both."""
        if not set(words) & VERBS:
            return True
        return words[0] not in OF_ALL and not ABOUT_IT & set(words) and not self.named(words)

    def _topic(self, words: list[str], named: list[int]) -> str:
        """The one thing that the words name, with its article; '' if there is none, or more."""
        if not named:
            return ''
        start, end = named[0], named[-1]
        inside = [words[i] for i in range(start, end + 1)]
        joins = all(i in named or words[i] in ('and', *DETERMINERS)
                    for i in range(start, end + 1))
        if not joins or start == 0 or words[start - 1] not in DETERMINERS - {'a', 'an', 'some'}:
            return ''
        if start > 1 and words[start - 2] in PLACED:
            return ''  # "the cat is in the bowl"
        if not any(self.names(word, self.things) for word in inside):
            return ''  # the table
        article = words[start - 1]
        return ' '.join(['the' if article in ('his', 'her', 'their') else article, *inside])
