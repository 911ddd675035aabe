"""One of two named things: "of A and B take the bigger one"."""

from __future__ import annotations

import functools
import re

from ...nouns import singular
from ..words import HOLDERS
from .constructions import NAMED, PUT_VERB, START, TO
from .counted_words import rewritten

_MORE = r'(?:bigg|small|larg|tall|short|long|high|wid)er'
_TAKE = r'(?:take|grab|get|fetch|choose|pick(?: up| out)?)'
_PUT_IT = rf',? and (?:then )?({PUT_VERB}) it(?= {TO} )'
_STOP = rf'(?= {TO} |$|[.;!?])'
_BOTH = rf'(?:out )?of ({NAMED}) (?:and|or) ({NAMED})'
_CHOICES = tuple(map(re.compile, (
    rf'{START}{_BOTH},? (?:please )?{_TAKE} the ({_MORE}) one{_PUT_IT}',
    rf'{START}{_BOTH},? (?:please )?({PUT_VERB}|pick up) the ({_MORE}) one{_STOP}',
    rf'\b{_TAKE} the ({_MORE})(?: one)? {_BOTH}{_PUT_IT}',
    rf'\b({PUT_VERB}|pick up) the ({_MORE}) one {_BOTH}{_STOP}')))
_PLAIN = (r'\1\5 the \4 of \2 and \3', r'\1\4 the \5 of \2 and \3', r'\4 the \1 of \2 and \3',
          r'\1 the \2 of \3 and \4')


def with_choices(text: str) -> str:
    """The text with these choices as "the bigger of A and B"."""
    for pattern, words in zip(_CHOICES, _PLAIN):
        text = rewritten(pattern, functools.partial(_chosen, words), text, 'or')
    return text


def _chosen(words: str, match: re.Match[str]) -> str:
    """The choice in plain words, if it is between two things and no container is one of them."""
    plain = match.expand(words)
    both = re.split(r' (?:and|or) ', plain.split(' of ')[-1])
    last = [name.split()[-1] for name in both]
    return match[0] if any(singular(n)[1] or n in HOLDERS for n in last) else plain
