"""What a word was meant to be that nothing here knows: "rde" is "red"."""

from __future__ import annotations

import functools
import re

from replan_agent.domain.scene import Scene

from .lexicon import split, word_names
from .nouns import singular
from .parser import parser

MOST_WORDS = 3
FEW_WORDS = 3  # of fewer it cannot be told which language they are
LEAST_LETTERS = 3
LONG_WORD = 8  # letters; it may have two mistakes
_WORD = re.compile(r"(?<![\w'-])[a-z]+(?![\w'-])", re.IGNORECASE)


@functools.lru_cache(maxsize=1)
def _vocabulary() -> frozenset[str]:
    return frozenset(w for phrase in parser().lexicon.phrases() for w in phrase.split()
                     if w.isalpha())


def is_known(word: str, scene: Scene) -> bool:
    """Whether the grammar uses the word, or something here is called so."""
    forms = {word, singular(word)[0]}
    return bool(forms & _vocabulary() or forms & word_names(scene))


def suggestion(task: str, scene: Scene) -> str:
    """A question for each word that is almost a known one: "did you mean 'red'?"; or ''."""
    found, here = [], word_names(scene) | {o.colour.lower() for o in scene.objects if o.colour}
    for word in dict.fromkeys(w.lower() for w in _WORD.findall(task[:1000])):
        if len(word) < LEAST_LETTERS or is_known(word, scene):
            continue
        near = _nearest(word, here) or _nearest(word, _vocabulary())
        if near:
            found.append(f'did you mean {near!r} where you wrote {word!r}?')
    return ' '.join(found[:MOST_WORDS])


def knows_words(task: str, scene: Scene) -> bool:
    """Whether the grammar uses all words of the task, or they name something in the scene."""
    return all(is_known(w, scene) for w in split(task[:1000]) if w.isalpha())


def is_foreign(task: str, scene: Scene) -> bool:
    """Whether most words of the task are no words that are known here."""
    said = [w for w in split(task[:1000]) if w[0].isalpha()]
    letters = ''.join(said)
    if sum(not letter.isascii() for letter in letters) * 2 > len(letters):
        return True  # another script
    letters_known = {''.join(sorted(w)) for w in _vocabulary()}  # "teh" is English, too
    known = [w for w in said if is_known(w, scene) or ''.join(sorted(w)) in letters_known]
    return len(said) >= FEW_WORDS and len(known) * 3 < len(said)


def _nearest(word: str, known: frozenset[str]) -> str:
    """The known word that differs by one typing mistake, or two in a long word."""
    most = 1 if len(word) < LONG_WORD else 2
    close = [(edits(word, other), other[0] != word[0], other) for other in sorted(known)
             if len(other) > 1 and abs(len(other) - len(word)) <= most]
    best = min(close, default=(99, True, ''))
    return best[2] if best[0] <= most else ''


@functools.lru_cache(maxsize=4096)
def edits(a: str, b: str) -> int:
    """How many letters to add, drop, change or swap with their neighbour to get from a to b."""
    if abs(len(a) - len(b)) > 2:
        return 3
    before, last = list(range(len(b) + 1)), list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
