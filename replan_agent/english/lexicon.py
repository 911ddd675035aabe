"""The words of the grammar: which categories each word of a task has (lexicon.txt)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from replan_agent.domain.kinds import name_words
from replan_agent.domain.scene import Scene

from .dictionary import (
    COLOURS,
    DATA,
    GROUPS,
    HAS_OTHER_NAMES,
    KINDS,
    LIKE,
    entries,
    forms_of,
    known,
    singular,
)

_NOUNS = frozenset({*KINDS, *HAS_OTHER_NAMES, *(n for g in GROUPS.values() for n in g), 'tower'}
                   ) - LIKE
_TOKEN = re.compile(r"\"[^\"]*\"|[+-]?\d*\.?\d+|[^\W\d][\w'-]*|->|\S")
_SHORT = {word: long for long, words in known('@SHORT') for word in words}
_ENDINGS = [(ending, long) for long, endings in known('@ENDING') for ending in endings]
_PUNCTUATION = {',': {'_PUNCT'}, ';': {'_STOP'}, '.': {'_STOP'}, '!': {'_STOP'}, '?': {'_QM'}}


class SaidWord(str):
    """A word or phrase of a task, with all of its categories and what it means as each."""

    categories: frozenset[str]
    meanings: dict[str, str]

    def meaning(self, category: str) -> str:
        return self.meanings.get(category, str(self))


class Lexicon:
    """The categories of words and phrases."""

    def __init__(self, text: str) -> None:
        self.words: dict[str, dict[str, str]] = {}  # of each phrase, its meaning by category
        self.literals: dict[str, str] = {}
        for names, meaning, phrases in entries(text):
            for category in names.split() if not names.startswith(DATA) else ():
                for phrase in phrases:
                    self._add(phrase, category, meaning or phrase)
        self.categories = {c for found in self.words.values() for c in found} | {
            'NAME', 'NOUN', 'NOUNS', 'UNKNOWN', 'V_SKILL', 'FIGURE', '_PUNCT', '_STOP', '_QM'}
        self.longest = max(len(phrase.split()) for phrase in self.words)

    def _add(self, phrase: str, category: str, meaning: str) -> None:
        self.words.setdefault(phrase, {}).setdefault(category, meaning)
        if category.startswith('V_'):
            verb, _, rest = phrase.partition(' ')
            for prefix, form in (('G_', _ending(verb, 'ing')), ('PP_', _ending(verb, 'ed'))):
                self.words.setdefault(f'{form} {rest}'.strip(), {})[prefix + category[2:]] = form

    def tokens(self, task: str, names: frozenset[str] = frozenset(),
               verbs: frozenset[str] = frozenset()) -> list[SaidWord]:
        """The words of a task; of phrases the longest one counts. `names`: see `word_names`.

        `verbs` are the names of installed skills: see `skill_verbs`.
        """
        said = split(task)
        found: list[SaidWord] = []
        at = 0
        while at < len(said):
            size = next(n for n in range(min(self.longest, len(said) - at), 0, -1)
                        if n == 1 or self.knows(' '.join(said[at:at + n]))
                        or ' '.join(said[at:at + n]) in verbs)
            found.append(self._word(' '.join(said[at:at + size]), names, verbs))
            at += size
        return found

    def phrases(self) -> Iterator[str]:
        """All words and phrases that are known, without the names of things in a scene."""
        yield from (*self.words, *self.literals, *_NOUNS)

    def skill_verbs(self, skills: Iterable[str]) -> frozenset[str]:
        """Names of skills that are verbs of their own: not pick and place_on, which are words."""
        verbs = (name.replace('_', ' ') for name in skills)
        return frozenset(v for v in verbs if not all(map(self.knows, v.split())))

    def knows(self, phrase: str) -> bool:
        return phrase in self.words or phrase in self.literals

    def _word(self, text: str, names: frozenset[str], verbs: frozenset[str]) -> SaidWord:
        word = SaidWord(text)
        if text.startswith('"'):
            word.meanings, word.categories = {'NAME': text.strip('"')}, frozenset({'NAME'})
            return word
        word.meanings = dict(self.words.get(text, {}))
        categories = {*word.meanings, *_PUNCTUATION.get(text, ())}
        if text in self.literals:
            categories.add(self.literals[text])
        if text in verbs:
            categories.add('V_SKILL')
        if text in names:
            categories.discard('SIDE')  # "the left block" is the left_block
        base, plural = singular(text)
        if text in _NOUNS or text in names:
            categories.add('NOUN')
        if plural and (base in _NOUNS or base in names or base in COLOURS):  # "the reds"
            categories.add('NOUNS')
            word.meanings.setdefault('NOUNS', base)
        if re.fullmatch(r'[+-]?\d*\.?\d+', text):
            categories |= {'FIGURE'} | ({'NUMBER'} if text.isdigit() else set())
        if not categories and text.replace('-', '').replace('_', '').isalnum():
            categories.add('UNKNOWN')
        word.categories = frozenset(categories)
        return word


def split(task: str) -> list[str]:
    """The words of a text in lower case, without contractions."""
    text = task.lower().replace('\u2019', "'").replace('\u2212', '-').replace('\u2192', '->')
    text = re.sub(r'(?<![.;!?,:])\s*\n\s*', ' . ', text.strip())
    words: list[str] = []
    for piece in _TOKEN.findall(re.sub(r'("[^"]*")|(?<=\d)(?=[a-z°])', r'\1 ', text)):
        if piece.startswith('"') and len(piece) > 1:
            words.append(piece)
            continue
        piece = _SHORT.get(piece, piece)
        for ending, long in _ENDINGS:
            if piece.endswith(ending) and len(piece) > len(ending):
                piece = f'{piece.removesuffix(ending)} {long}'
                break
        words += re.sub(r'^non-', 'non ', piece).strip("'").split()
    return words


@lru_cache(maxsize=32)
def word_names(scene: Scene | None) -> frozenset[str]:
    """The words that name a thing of the scene."""
    if scene is None:
        return frozenset()
    return frozenset(form for o in scene.objects for form in (
        o.name, *(w for w in forms_of(o.name) if not w.isdigit()))
        if form not in COLOURS or form not in name_words(o.colour))


def _ending(verb: str, ending: str) -> str:
    """ "put" + "ing": putting; "place" + "ed": placed; "tidy" + "ed": tidied."""
    if verb.endswith('e') and not verb.endswith('ee'):
        return f'{verb[:-1]}{ending}'
    if ending == 'ed' and re.search(r'[^aeiou]y$', verb):
        return f'{verb[:-1]}ied'
    doubled = verb[-1] if re.fullmatch(r'[^aeiou]*[aeiou][bdgmnpt]', verb) else ''
    return f'{verb}{doubled}{ending}'
