"""Keeps a rewording from losing a word that changes an order: "not", "except", a number.

A wrong reading moves the wrong thing; a refusal costs only a second sentence. So a rule whose
result has fewer of these words than what was said is undone, and the reader refuses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

Words = str | Callable[[re.Match[str]], str]
Rule = tuple[re.Pattern[str], str, str]  # what to look for, what to write, what it may lose

_COUNTS = 'zero two three four five six seven eight nine ten eleven twelve half'
_GUARDED = frozenset(
    f'not no never nor neither nobody nothing none without except excluding but apart only if '
    f'unless until instead rather any or either else otherwise touch touches touching keep keeps '
    f'leave leaves who which whose {_COUNTS}'.split())
_WORD = re.compile(r"[^\W\d][\w'-]*|\d+")
# Whole phrases that say nothing about what to do. Only these may go with such a word in them.
_HARMLESS = re.compile(
    r'\b(?:(?:i|we|he|she|they|it|there|that|this) (?:do|does|did|am|is|are|was|can|could|will|'
    r'would|wo|have|has|may|might) not(?: have any| need any)?|no longer|any ?more|any longer|'
    r'(?:should|must) not be|is not an?|'
    r'no (?:space|room|time|use|good|fun|need|problem|rush|idea)|not (?:any )?(?:good|enough|'
    r'needed|wanted|used|mine|yours)|(?:do|does) not (?:belong|look|smell|need|fit|work)|'
    r'if (?:you please|possible|you do not mind))\b')


def rules(*table: tuple[str, ...]) -> tuple[Rule, ...]:
    """The rules of a table: a pattern, what to write, and if any, the words that it may lose."""
    return tuple((re.compile(pattern), words, ''.join(lose)) for pattern, words, *lose in table)


def lost(before: str, after: str) -> Counter[str]:
    """The guarded words that `after` has fewer of than `before`, harmless phrases left out."""
    said = Counter(_guarded(_HARMLESS.sub(' ', before)))
    return said - Counter(_guarded(after))


def _guarded(text: str) -> list[str]:
    return [w for w in _WORD.findall(text) if w in _GUARDED or w.isdigit()]


def rewritten(pattern: re.Pattern[str], words: Words, text: str, may_lose: str = '',
              count: int = 0) -> str:
    """As `pattern.sub`, but a match that would lose a guarded word stays as it was said."""
    allowed = Counter(may_lose.split())

    def checked(match: re.Match[str]) -> str:
        new = match.expand(words) if isinstance(words, str) else words(match)
        return match[0] if lost(match[0], new) - allowed else new

    return pattern.sub(checked, text, count=count)
