"""The nouns of objects: plurals, names for the same thing, and what belongs to a group."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from replan_agent.domain.kinds import name_words

Entry = tuple[str, str, list[str]]  # a category of lexicon.txt, what its words mean, the words
DATA = '@'  # categories that say what is known of things; the others are those of the grammar


def entries(text: str) -> Iterator[Entry]:
    for line in re.sub(r'\n[ \t]+', ' ', text).splitlines():
        name, _, phrases = line.partition(':')
        if phrases and not line.startswith('#'):
            category, _, meaning = name.partition('=')
            yield category, meaning, [p for p in map(str.strip, phrases.split(',')) if p]


LEXICON = (Path(__file__).parent / 'lexicon.txt').read_text(encoding='utf-8')
_ENTRIES = tuple(entries(LEXICON))


def known(category: str) -> Iterator[tuple[str, list[str]]]:
    """The meanings and words of a category."""
    return ((meaning, phrases) for name, meaning, phrases in _ENTRIES if name == category)


def _words(category: str) -> frozenset[str]:
    return frozenset(meaning or word for meaning, words in known(category) for word in words)


BINS = _words('@BIN')
HOLDERS = BINS | _words('@HOLDER')  # what things are put in or on
TOWERS = _words('@TOWER')
COLOURS = _words('COLOUR')
SHADES = tuple(frozenset(words) for _, words in known('@SHADE'))
SAME_THING = (BINS, *(frozenset(words) for _, words in known('@SAME')))
HAS_OTHER_NAMES = frozenset().union(*SAME_THING)
GROUPS: dict[str, frozenset[str]] = {}
for _name, _members in known('@GROUP'):  # a group may be part of a later one
    GROUPS[_name] = frozenset().union(*(GROUPS.get(m, {m}) for m in _members), {_name})
IRREGULAR: Mapping[str, str] = {w: one for one, words in known('@PLURAL') for w in words}


def singular(word: str) -> tuple[str, bool]:
    """The word without its plural ending, and whether it had one."""
    if word in IRREGULAR:
        return IRREGULAR[word], True
    if len(word) < 4 or not word.endswith('s') or word.endswith(('ss', 'us')):
        return word, False
    if word.endswith('ies') and len(word) > 4:
        return f'{word[:-3]}y', True
    if word.endswith('ves'):
        return f'{word[:-3]}f', True
    if word.endswith(('xes', 'ches', 'shes', 'sses', 'zzes', 'oes')):
        return word[:-2], True
    return word[:-1], True


@lru_cache(maxsize=512)
def forms_of(name: str) -> frozenset[str]:
    """The words of a name, as they are and without a plural ending: scissors, scissor."""
    return frozenset(form for word in name_words(name) for form in (word, singular(word)[0]))


@lru_cache(maxsize=512)
def named(word: str) -> frozenset[str]:
    """The word, and the others that name the same thing."""
    return frozenset({word}).union(*(g for g in (*SAME_THING, *SHADES) if word in g))


def written(*words: str) -> frozenset[str]:
    """The words, and all plurals of them: the reverse of `forms_of`."""
    plurals = {plural for word in words for plural in (
        f'{word}s', f'{word}es', f'{word[:-1]}ies', f'{word[:-1]}ves', *IRREGULAR)
        if singular(plural)[0] == word}
    return frozenset({*words, *plurals})
