"""Remarks beside an order: "my hands are full", "it is mouldy". They are left out, and said.

A remark has a subject that is not the robot, a verb that says what is so, no object of the scene
and no word that may change an order. One that names an object gives "it" in the next order its
meaning: "the banana has gone off, get rid of it". In doubt nothing is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from replan_agent.domain.kinds import fits, is_thing
from replan_agent.domain.nouns import singular
from replan_agent.domain.scene import Scene

from ..spelling import COMMON_VERBS
from ..words import DETERMINERS as ARTICLES
from ..words import PARTICIPLES, PRONOUNS, QUANTITIES, VERBS
from .asides import PEOPLE
from .forms_of_address import without_address
from .remark_words import (
    ALONE,
    ASIDES,
    CHANGES,
    CONDITIONS,
    DANGLING,
    DETERMINERS,
    DOERS,
    HEADER,
    JOINERS,
    OWNED,
    PERSONS,
    PRAISE,
    PROTECTED,
    PURPOSE,
    THINGS,
    TOGETHER,
    TOLD,
    is_finite,
    may_change,
    plain_words,
    says_a_state,
    told_words,
)

LONGEST_SUBJECT = 6
STOPS = '.;!?\n'
IT, THING, NOUN, PERSON = 'it', 'thing', 'noun', 'person'  # kinds of subjects
STARTS_OBJECT = ARTICLES | QUANTITIES | PRONOUNS.keys()
OF_ALL = ('we', 'somebody', 'someone', 'everybody', 'everyone')
_END = re.compile(r'\s*(?:(?:[;!?\n\u2026]|\.(?!\d)|[,:](?!\s*[-+(]?\d)|\s[-\u2013\u2014]+\s)'
                  r'[\s.;!?,:)]*)')
_ASK = r'(?:please|pls|plz|kindly|(?:can|could|would|will) you)\b'
_VERB = rf'(?:{"|".join(sorted(VERBS, key=len, reverse=True))})'
_OBJECT = r'(?:(?:up|down|away|out|back|off) )?(?:the|my|it|them|that|this|all|both|me|a)\b'
# Where an order begins after a remark without a comma.
_STARTS = re.compile(rf'\s+(?:(?:and|so|then)\s+)*(?={_ASK})|\s+so\s+(?:then\s+)?(?=(?:you (?:can|'
                     rf'could|may) )?(?:just |now |please )*{_VERB} {_OBJECT})', re.IGNORECASE)
# The same without any such word, after "I am hungry"
_BARE_START = re.compile(rf'\s+(?={_VERB} {_OBJECT})', re.IGNORECASE)
_BE = re.compile(r"(?:i'?m|i am|(?:(?:my|the) )?\w+(?:'s| is|'re| are)) (?:so |very |really |"
                 r"quite |too |a bit |all |pretty )?(?!\w+ing\b)[\w'-]+", re.IGNORECASE)
# Where a remark begins after an order without a comma.
_LAST = re.compile(r'\s+(?=(?:and then|and|then)\s+(?:i|we|that\'?s|that is)\b|(?:so that|so)\s+'
                   r"(?:it|they|he|she)\b)|\s+(?=(?:it's|it is|they're|they are)\s)",
                   re.IGNORECASE)
_IT = re.compile(r'\b(?:(?:all|both) of them|it|him|her|them|they|that one|this one|these|those|'
                 r'that|this)\b', re.IGNORECASE)
_GOES = re.compile(r'(?:and |so )?((?:in|into|on|onto|to)\b.+?) (?:it|they) (?:goes|go)\b(.*)',
                   re.IGNORECASE)
_WITH_IT = re.compile(r'(?:so |and )*(?:away|off|out) with (?:it|them|that|this)\b ?(.*)',
                      re.IGNORECASE)
_PEOPLE = re.compile(PEOPLE)
_ALL = frozenset('all every everything each rest others both any'.split())


@dataclass(frozen=True)
class Bare:
    """A task without what is said beside its orders, and the remarks that were left out."""

    text: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Piece:
    """A part of the task, and the mark after it. `topic`: the thing that a remark is about."""

    text: str
    end: str
    is_remark: bool = False
    topic: str = ''
    names_other: bool = False  # its subject is a noun
    protects: bool = False  # what it is about may be meant to stay


def without_remarks(task: str, scene: Scene) -> Bare:
    """The task without its side remarks; as it is if they may be more than remarks."""
    talk = _Talk(scene)
    text = without_address(task, talk.names)
    pieces = talk.pieces(text)
    if all(p.is_remark for p in pieces):
        return Bare(task)
    kept = talk.kept(pieces)
    if kept is None:
        return Bare(text)
    return Bare(kept, tuple(p.text.strip() for p in pieces if p.is_remark
                            and set(plain_words(p.text)) - ASIDES))


class _Talk:
    """Tells remarks from orders in a scene."""

    def __init__(self, scene: Scene) -> None:
        self.things = [o for o in scene.objects if is_thing(o)]
        self.objects = scene.objects

    def names(self, word: str) -> bool:
        """Whether the word is one for an object of the scene."""
        return any(fits(form, o) for form in (word, singular(word)[0]) for o in self.objects)

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

    def pieces(self, text: str) -> list[_Piece]:
        """The parts of the text, with those marked that are remarks."""
        found: list[_Piece] = []
        sentence: list[_Piece] = []
        at = 0
        for match in [*_END.finditer(text), None]:
            end = match.start() if match else len(text)
            mark = match[0] if match else ''
            if text[at:end].strip():
                sentence.append(_Piece(text[at:end], mark))
            elif sentence:
                mark = sentence[-1].end + mark
            at = match.end() if match else end
            if sentence and (match is None or set(mark) & set(STOPS)):
                found += self._judged(sentence)
                sentence = []
        return found

    def _judged(self, sentence: list[_Piece]) -> list[_Piece]:
        """The parts of one sentence. With a condition in it, all of them count."""
        if CONDITIONS & {word for piece in sentence for word in plain_words(piece.text)}:
            return sentence
        return [part for piece in sentence for part in self._cut(piece)]

    def _cut(self, piece: _Piece) -> list[_Piece]:
        whole = self._judge(piece)
        if whole.is_remark:
            return [whole]
        starts = [*_STARTS.finditer(piece.text)]
        starts += [m for m in _BARE_START.finditer(piece.text)
                   if _BE.fullmatch(piece.text[:m.start()].strip())]
        for match in starts:
            head = self._judge(_Piece(piece.text[:match.start()], ', '))
            words = plain_words(head.text)
            if head.is_remark and words[-1] not in DOERS and not TOLD & set(words):
                return [head, *self._cut(_Piece(piece.text[match.end():], piece.end))]
        for match in _LAST.finditer(piece.text):
            order = plain_words(piece.text[:match.start()])
            tail = self._judge(_Piece(piece.text[match.end():], piece.end))
            if tail.is_remark and not tail.topic and (
                    len(order) - 1 in self.named(order) or order[-1] in ('it', 'them', 'away')
                    or tail.text.lower().startswith(('and', 'then', 'so'))):
                return [*self._cut(_Piece(piece.text[:match.start()], ', ')), tail]
        return [piece]

    def _judge(self, piece: _Piece) -> _Piece:
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
        if purpose or HEADER.fullmatch(' '.join(words)) or PRAISE.fullmatch(said) or (
                set(words) <= ASIDES):
            return _Piece(piece.text, piece.end, True)
        return self._statement(piece, words)

    def _statement(self, piece: _Piece, words: list[str]) -> _Piece:
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
        if may_change(words) or not self._goes_on(rest):
            return piece
        if kind in (IT, THING) and says_a_state(rest) or kind in (IT, NOUN) and OWNED & set(rest):
            return piece
        if kind == NOUN and set(words) & {*VERBS, *PARTICIPLES}:
            return piece
        if kind == PERSON and not self._is_own_doing(words):
            return piece
        topic = self._topic(words, named)
        if named and (not topic or kind in (IT, NOUN) or kind == THING and named[-1] > at):
            return piece
        return _Piece(piece.text, piece.end, True, topic, kind in (THING, NOUN),
                      kind != PERSON and bool(PROTECTED & set(rest)))

    def _kind(self, subject: Sequence[str], named: list[int]) -> str:
        """What the words of a subject are; '' if they are none."""
        if len(subject) == 1 and subject[0] in THINGS:
            return IT
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
        about_it = {'it', 'them', 'that', 'this', 'these', 'those'} & set(words)
        return words[0] not in OF_ALL and not about_it and not self.named(words)

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
        if all(self.objects and not any(fits(f, o) for f in (w, singular(w)[0])
                                        for o in self.things) for w in inside):
            return ''  # the table
        article = words[start - 1]
        return ' '.join(['the' if article in ('his', 'her', 'their') else article, *inside])

    def kept(self, pieces: list[_Piece]) -> str | None:
        """What is left without the remarks; None if one of them may be more than that."""
        kept: list[_Piece] = []
        before: list[_Piece] = []  # the remarks since the last order
        for piece in pieces:
            topics = [p.topic for p in before if p.topic]
            if piece.is_remark:
                before.append(piece)
                if kept and set(piece.end) & set(STOPS):
                    kept[-1] = _Piece(kept[-1].text, piece.end)
                continue
            if len(topics) > 1:
                return None
            if topics:
                order = self._about(topics[0], piece.text)
                if not order:
                    return None
                piece = _Piece(order, piece.end)
            elif self._says_it_first(piece.text) and before and (
                    not kept or any(p.names_other for p in before)):
                return None  # "the kettle is hot, put it there"
            before = []
            kept.append(piece)
        text = ''.join(p.text + p.end for p in kept).strip(' ,:;-')
        said = plain_words(text)
        if _ALL & set(said) and any(p.protects and not p.topic for p in pieces):
            return None
        if any(p.topic not in ' '.join(said) or _ALL & set(said) for p in before if p.topic):
            return None
        return text

    def _about(self, topic: str, order: str) -> str:
        """The order with the topic for its "it"; '' if the order is about something else."""
        goes, away = _GOES.fullmatch(order.strip()), _WITH_IT.fullmatch(order.strip())
        if goes:
            return f'{topic} goes {goes[1]}{goes[2]}'
        if away and away[1]:
            return f'put {topic} {away[1]}'
        if self._says_it_first(order):
            return _IT.sub(topic, order, count=1)
        words = ' '.join(plain_words(order))
        return order if topic in words and not _ALL & set(words.split()) else ''

    def _says_it_first(self, order: str) -> bool:
        """Whether "it" stands before any object that the order names."""
        match = _IT.search(order)
        if match is None:
            return False
        before, rest = plain_words(order[:match.end()]), plain_words(order[match.start():])
        article = rest[0] in ARTICLES and 1 in self.named(rest)  # "that banana"
        return not article and not self.named(before)
