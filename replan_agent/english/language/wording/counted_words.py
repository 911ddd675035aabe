"""Keeps a rewording from losing what was said: no rule drops a word that it does not spell.

A wrong reading moves the wrong thing; a refusal costs only a second sentence. So a match that
would lose such a word stays as it was said, and the reader refuses. A rule may lose the words
that its own pattern spells, but never a guarded one ("not", "except", a number) that its table
does not name. A reason or a remark may have words that nobody foresaw; it may not name a colour,
a kind of thing or a container, because then it may be a part of the task.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable

from ...dictionary import KINDS
from ...nouns import singular
from ..words import COLOURS, HOLDERS, SIZES, SUPERLATIVES, VERBS

Words = str | Callable[[re.Match[str]], str]
Rule = tuple[re.Pattern[str], str, str]  # what to look for, what to write, what it may lose

_COUNTS = 'zero two three four five six seven eight nine ten eleven twelve half'
_GUARDED = frozenset(
    f'not no never nor neither nobody nothing none without except excluding but apart only if '
    f'unless until instead rather any or either else otherwise touch touches touching keep keeps '
    f'leave leaves who which whose twice thrice again back all every each both few most '
    f'{_COUNTS}'.split())
# They say nothing alone: articles, pronouns, "be", "have", "would".
_LIGHT = frozenset(
    'a an the this that these those my your our his her their its i you we he she it they me him '
    'them us am is are was were be been being do does did done have has had having can could '
    'will would shall should may might must to of and so then please just now as for '
    'very really quite too also there here'.split())
# In a reason they are rarely about a thing of the task.
_TALK = frozenset('can object thing item one stuff table tabletop desk round flat square left '
                  'right light dark back middle front rubbish garbage trash'.split())
_TASK = (COLOURS | KINDS.keys() | HOLDERS | SIZES.keys() | SUPERLATIVES.keys()) - _TALK
_WORD = re.compile(r"[^\W\d][\w'-]*|\d+")
_PLACED = re.compile(r'\band (?:the|my|both|all|every|a|an) [\w ]+? (?:in|into|on|onto|to|next|'
                     r'behind|beside) |\b(?:the|a|my|this|that) can\b')
# Who must do something is no reason: "you must put", "we are to keep"
_DUTY = re.compile(rf'\b(?:you|nobody|no one|must|should|to|not) (?:\w+ ){{0,2}}?'
                   rf'(?:{"|".join(sorted(VERBS))}|touch) '
                   r'(?:the|my|all|both|every|any|it|them|that|this|these|those)\b')
# Whole phrases that say nothing about what to do. Only these may go with such a word in them.
_HARMLESS = re.compile(
    r'\b(?:(?:should|must|does|do) not (?:be|belong|stand|lie) (?:in|on|next to|near|behind|at|by)'
    r' (?:the|my) \w+(?: \w+)?(?=$|[,.;!?])|'
    r'(?:i|we|he|she|they|it|there|that|this) (?:do|does|did|am|is|are|was|can|could|will|would|'
    r'wo|have|has|may|might) not(?: have any| need any)?|no longer|any ?more|any longer|'
    r'too (?:close|near|far)(?: to| from) the \w+|is not an? \w+|'
    r'is full of \w+|one [\w ]+? (?:in|on) the \w+ is enough|(?:too|so|very|'
    r'quite|rather) (?:big|small|long|short|tall|large|little)|'
    r'no (?:space|room|time|use|good|fun|need|problem|rush|idea)|not (?:any )?(?:good|enough|'
    r'needed|wanted|used|mine|yours)|(?:do|does) not (?:belong|look|smell|need|fit|work)|'
    r'if (?:you please|possible|you do not mind))\b')


def rules(*table: tuple[str, ...]) -> tuple[Rule, ...]:
    """The rules of a table: a pattern, what to write, and if any, the words that it may lose.

    A star stands for all words that are not guarded.
    """
    return tuple((re.compile(pattern), words, ''.join(lose)) for pattern, words, *lose in table)


def lost(before: str, after: str) -> Counter[str]:
    """The words that `after` has fewer of than `before`; without light words and harmless phrases.
    """
    return _said(_HARMLESS.sub(' ', before)) - _said(after)


def _said(text: str) -> Counter[str]:
    return Counter(singular(w)[0] for w in _WORD.findall(text) if w not in _LIGHT)


def is_guarded(word: str) -> bool:
    return word in _GUARDED or word.isdigit()


def is_about_the_task(word: str) -> bool:
    """Whether a reason or a remark with this word may be a part of the task."""
    return is_guarded(word) or word in _TASK


def says_nothing_to_do(remark: str, kept: str = '', again: str = '') -> bool:
    """Whether a reason or a remark can be left out.

    `kept` is the part that is not left out, and `again` is what follows and may repeat a word.
    """
    rest = remark.replace(kept, '', 1)
    return not _PLACED.search(rest) and not any(map(is_about_the_task, lost(rest, again)))


@functools.cache
def _spelled(pattern: str) -> frozenset[str]:
    return frozenset(singular(w)[0] for w in re.findall(r'[a-z]+', re.sub(r'\\.', ' ', pattern)))


def rewritten(pattern: re.Pattern[str], words: Words, text: str, may_lose: str = '',
              count: int = 0) -> str:
    """As `pattern.sub`, but a match that would lose a word stays as it was said."""
    def checked(match: re.Match[str]) -> str:
        allowed, spelled = Counter(may_lose.split()), _spelled(pattern.pattern)
        new = match.expand(words) if isinstance(words, str) else words(match)
        gone = lost(match[0], new)
        too_many = any(is_guarded(w) for w in gone - allowed)
        unknown = '*' not in allowed and any(w not in spelled and w not in allowed for w in gone)
        return match[0] if too_many or unknown else new

    return pattern.sub(checked, text, count=count)


def left_out(pattern: re.Pattern[str], text: str) -> str:
    """The text without the reasons that the pattern finds, if they say nothing to do.

    What the first group of the pattern matches, the end of the sentence before, is kept.
    """
    def checked(match: re.Match[str]) -> str:
        kept = match[1] or '' if match.re.groups else ''
        asks = _DUTY.search(match[0]) or not says_nothing_to_do(match[0], kept)
        return match[0] if asks else kept

    return pattern.sub(checked, text)
