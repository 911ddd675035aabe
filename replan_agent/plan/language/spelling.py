"""What a word was meant to be that nothing here knows: "rde" is "red"."""

from __future__ import annotations

import re

from replan_agent.domain.kinds import FRUIT, KINDS, SAME_THING, name_words
from replan_agent.domain.scene import Scene

from . import words
from .everyday import PHRASES, SPELLINGS, verb_form

MOST_WORDS = 3
# Words that nothing here understands, and that are no typing mistakes.
OTHER_WORDS = frozenset(
    'cut eat wash break close paint wipe fold bend kick smash cook pour cover hide count show '
    'tell find draw write read wear feed heat cool mix shake spoon fork knife cat dog hat mat rat '
    'pan pen key toy tea car bat jar lid ring book hook cook soup boat coat bell doll hall wall '
    'reverse whole per got fit fits does did done had has very such than what whom whose why how '
    'able about above after age air also always am ask back bad been best better both call came '
    'can care come could day deal does down each edge end even ever far fast few fine first food '
    'from full gave gone good great guy half happy hard has here high him his hold hour idea just '
    'kind know last late less lets life like line list little live long lot love made mark mean '
    'mine more most much must myself name need never nice none off often old only open other ours '
    'over own part past pick piece pick pretty rather ready real really rest room same say says '
    'see seem self sell send set she should side since sit some soon sort spot stay still stuff '
    'such sure take talk than thank then they think tidy time tiny too top town true try two upon '
    'us use used want was way week well went were when while who wide will wish with word work '
    'would year yes yet young yours heavy heavier heaviest light lighter lightest weigh'.split())


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
        is_word = bool({word, stem} & OTHER_WORDS)  # "read" may still be meant to be "red"
        near = _nearest(word, here) if not is_word or len(word) > 3 else ''
        near = near or ('' if is_word else _nearest(word, _alike(word)))
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
