"""What a word was meant to be that nothing here knows: "rde" is "red"."""

from __future__ import annotations

import re

from replan_agent.domain.kinds import FRUIT, KINDS, SAME_THING, name_words
from replan_agent.domain.scene import Scene

from . import words
from .everyday import PHRASES, SPELLINGS, verb_form
from .ordinary_words import ORDINARY

MOST_WORDS = 3


def _vocabulary() -> frozenset[str]:
    said = [*PHRASES, *PHRASES.values(), *SPELLINGS, *words.VERBS, *words.ENDS,
            *words.DETERMINERS, *words.QUANTITIES, *words.SUPERLATIVES, *words.SIZES,
            *words.ORDINALS, *words.PRONOUNS, *words.COLOURS, *words.DIRECTIONS, *KINDS, *FRUIT,
            *(word for group in SAME_THING for word in group),
            'degrees', 'colour', 'size', 'height', 'shape', 'tower', 'row', 'gripper', 'clockwise']
    return frozenset(w for text in said for w in re.findall(r"[a-z][a-z'-]+", text.lower()))


VOCABULARY = _vocabulary()
USUAL = words.PUT_VERBS | words.PICK_VERBS | words.COLOURS | KINDS.keys() | words.DETERMINERS


def suggestion(task: str, scene: Scene) -> str:
    """A question for each word that is almost a known one: "did you mean 'red'?"; or ''."""
    here = {w for o in scene.objects for w in (*name_words(o.name), o.colour.lower())}
    found = []
    for word in dict.fromkeys(re.findall(r"[a-z][a-z'-]+", task.lower()[:1000])):
        stem, _ = words.singular(word)
        if {word, stem, verb_form(word, words.VERBS)} & (VOCABULARY | here):
            continue
        if {word, stem} & ORDINARY:  # "the read cube" may still be meant to be red
            near = _nearest(word, here & words.COLOURS) if len(word) > 3 else ''
        else:
            near = _nearest(word, here) or _nearest(word, _alike(word))
        if near:
            found.append(f'did you mean {near!r} where you wrote {word!r}?')
    return ' '.join(found[:MOST_WORDS])


def _alike(word: str) -> set[str]:
    """The vocabulary that begins like the word, or with its first two letters swapped."""
    return {w for w in VOCABULARY if w[0] == word[0] or sorted(w[:2]) == sorted(word[:2])}


def _nearest(word: str, known: frozenset[str] | set[str]) -> str:
    """The known word that differs by one typing mistake, or two in a long word."""
    most = 1 if len(word) < 8 else 2
    close = [(edits(word, other), other[0] != word[0], other not in USUAL, other)
             for other in sorted(known)
             if len(other) > 1 and abs(len(other) - len(word)) <= most]
    best = min(close, default=(99, True, True, ''))
    return best[3] if best[0] <= most else ''


def edits(a: str, b: str) -> int:
    """How many letters to add, drop, change or swap with their neighbour to get from a to b."""
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
