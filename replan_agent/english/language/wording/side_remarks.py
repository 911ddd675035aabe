"""Remarks beside an order: "my hands are full", "it is mouldy". They are left out, and said.

A remark has a subject that is not the robot, a verb that says what is so, no object of the scene
and no word that may change an order. One that names an object gives "it" in the next order its
meaning: "the banana has gone off, get rid of it". In doubt nothing is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from replan_agent.domain.scene import Scene

from ...nouns import singular
from ..words import DETERMINERS as ARTICLES
from ..words import VERBS
from .dictation import with_marks
from .forms_of_address import without_address
from .remark_kinds import Talk, TaskPart
from .remark_words import ASIDES, CONDITIONS, DOERS, TOGETHER, TOLD, plain_words

STOPS = '.;!?\n'
SOUNDS = frozenset('er erm err ehm um uh uhm hm hmm ah oh well'.split())
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
_ASKS = VERBS | frozenset('goes go should must please pls plz want need belongs belong'.split())
_MANY = frozenset('them they these those'.split())
_ALL = frozenset('all every everything each rest others both any'.split())


@dataclass(frozen=True)
class Bare:
    """A task without what is said beside its orders, and the remarks that were left out."""

    text: str
    remarks: tuple[str, ...] = ()


def without_remarks(task: str, scene: Scene) -> Bare:
    """The task without its side remarks; as it is if they may be more than remarks."""
    talk = Talk(scene)
    text = with_marks(without_address(task, talk.names), scene)
    pieces = _pieces(text, talk)
    if all(p.is_remark for p in pieces):
        return Bare(task)
    kept = _kept(pieces, talk)
    if kept is None:
        return Bare(text)
    return Bare(kept, tuple(p.text.strip() for p in pieces if p.is_remark
                            and set(plain_words(p.text)) - ASIDES))


def _pieces(text: str, talk: Talk) -> list[TaskPart]:
    """The parts of the text, with those marked that are remarks."""
    found: list[TaskPart] = []
    sentence: list[TaskPart] = []
    at = 0
    for match in [*_END.finditer(text), None]:
        end = match.start() if match else len(text)
        mark = match[0] if match else ''
        if text[at:end].strip():
            sentence.append(TaskPart(text[at:end], mark))
        elif sentence:
            mark = sentence[-1].end + mark
        at = match.end() if match else end
        if sentence and (match is None or set(mark) & set(STOPS)):
            found += _judged(sentence, talk)
            sentence = []
    return found


def _judged(sentence: list[TaskPart], talk: Talk) -> list[TaskPart]:
    """The parts of one sentence. With a condition in it, all of them count."""
    if CONDITIONS & {word for piece in sentence for word in plain_words(piece.text)}:
        return sentence
    return [part for piece in sentence for part in _cut(piece, talk)]


def _cut(piece: TaskPart, talk: Talk) -> list[TaskPart]:
    whole = talk.judge(piece)
    if whole.is_remark:
        return [whole]
    starts = [*_STARTS.finditer(piece.text)]
    starts += [m for m in _BARE_START.finditer(piece.text)
               if _BE.fullmatch(piece.text[:m.start()].strip())]
    for match in starts:
        head = talk.judge(TaskPart(piece.text[:match.start()], ', '))
        words = plain_words(head.text)
        if head.is_remark and words[-1] not in DOERS and not TOLD & set(words):
            return [head, *_cut(TaskPart(piece.text[match.end():], piece.end), talk)]
    for match in _LAST.finditer(piece.text):
        order = plain_words(piece.text[:match.start()])
        tail = talk.judge(TaskPart(piece.text[match.end():], piece.end))
        if tail.is_remark and not tail.topic and (
                len(order) - 1 in talk.named(order) or order[-1] in ('it', 'them', 'away')
                or tail.text.lower().startswith(('and', 'then', 'so'))):
            return [*_cut(TaskPart(piece.text[:match.start()], ', '), talk), tail]
    return [piece]


def _kept(pieces: list[TaskPart], talk: Talk) -> str | None:
    """What is left without the remarks; None if one of them may be more than that."""
    kept: list[TaskPart] = []
    before: list[TaskPart] = []  # the remarks since the last order
    for piece in pieces:
        topics = [p.topic for p in before if p.topic]
        if piece.is_remark:
            if kept and (piece.is_header or not _may_follow(piece)):
                return None  # "pick up a cube, the small one", "put it there. That is bad"
            before.append(piece)
            if kept and set(piece.end) & set(STOPS):
                kept[-1] = replace(kept[-1], end=piece.end)
            continue
        if len(topics) > 1:
            return None
        if topics:
            order = _about(topics[0], piece.text, talk)
            if not order:
                return None
            piece = replace(piece, text=order)
        elif _says_it_first(piece.text, talk) and before and (
                not kept or any(p.names_other for p in before)):
            return None  # "the kettle is hot, put it there"
        if kept and before and _names_instead(kept[-1], before, piece):
            return None
        before = []
        kept.append(piece)
    if any(p.is_story and ':' in p.end for p in pieces) or (
            any(p.is_story and not p.topic for p in pieces)
            and not _acts(kept[0].text, talk)):
        return None  # "we did it: red cube in the bowl"
    text = ''.join(p.text + p.end for p in kept).strip(' ,:;-')
    said = plain_words(text)
    if _ALL & set(said) and any(p.protects and not p.topic for p in pieces):
        return None
    if any(p.topic not in ' '.join(said) or _ALL & set(said) for p in before if p.topic):
        return None
    return text


def _names_instead(order: TaskPart, remarks: list[TaskPart], piece: TaskPart) -> bool:
    """Whether a sound stands between two things: "the can, er, the bar" is no list."""
    words = {word for remark in remarks for word in plain_words(remark.text)}
    return words <= SOUNDS and not set(order.end) & set(STOPS) and (
        plain_words(piece.text)[0] in ARTICLES)


def _may_follow(remark: TaskPart) -> bool:
    """Whether a remark after an order can only be about something else than the order."""
    words = plain_words(remark.text)
    return (TOGETHER.fullmatch(' '.join(words)) is not None
            or not {'that', 'this', 'those', 'these'} & set(words[:1]))


def _acts(order: str, talk: Talk) -> bool:
    """Whether the words ask for something, also without the remark before them."""
    words = plain_words(order)
    named = talk.named(words)
    return any(w in _ASKS for i, w in enumerate(words) if i not in named)


def _about(topic: str, order: str, talk: Talk) -> str:
    """The order with the topic for its "it"; '' if the order is about something else."""
    goes, away = _GOES.fullmatch(order.strip()), _WITH_IT.fullmatch(order.strip())
    if goes:
        return f'{topic} goes {goes[1]}{goes[2]}'
    if away and away[1]:
        return f'put {topic} {away[1]}'
    said = _IT.search(order)
    if said is not None and _says_it_first(order, talk):
        several = ' and ' in topic or singular(topic.split()[-1])[1]
        many = bool(_MANY & set(plain_words(said[0])))
        return _IT.sub(topic, order, count=1) if several is many else ''
    words = ' '.join(plain_words(order))
    return order if topic in words and not _ALL & set(words.split()) else ''


def _says_it_first(order: str, talk: Talk) -> bool:
    """Whether "it" stands before any object that the order names."""
    match = _IT.search(order)
    if match is None:
        return False
    before, rest = plain_words(order[:match.end()]), plain_words(order[match.start():])
    article = rest[0] in ARTICLES and 1 in talk.named(rest)  # "that banana"
    return not article and not talk.named(before)
