# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""After a refusal: what a word was meant to be, and sentences like the one that was said."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from replan_agent.domain.kinds import is_loose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.geometry.goal_words import spoken

from .dictionary import fits, meanings, singular, split, word_names
from .parser import parser

MOST_WORDS, LEAST_LETTERS = 3, 3
FEW_WORDS = 3  # of fewer it cannot be told which language they are
LONG_WORD = 8  # letters; it may have two mistakes
_WORD = re.compile(r"(?<![\w'-])[a-z]+(?![\w'-])", re.IGNORECASE)
MOST_TRIED, LEAST_LIKE = 6, 0.4
SENTENCES, SIMILAR = meanings('@SENTENCE'), meanings('@SIMILAR')
UNASKED, CONTRARY = meanings('@UNASKED').keys(), meanings('@CONTRARY').keys()


def is_known(word: str, scene: Scene) -> bool:
    """Whether the grammar uses the word, or something here is called so."""
    forms = {word, singular(word)[0]}
    return bool(forms & (parser().lexicon.vocabulary | word_names(scene) | scene.state_words))


def is_foreign(task: str, scene: Scene) -> bool:
    """Whether most words of the task are no words that are known here."""
    said = [w for w in split(task[:1000]) if w[0].isalpha()]
    letters = ''.join(said)
    if sum(not letter.isascii() for letter in letters) * 2 > len(letters):
        return True  # another script
    mixed = {''.join(sorted(w)) for w in parser().lexicon.vocabulary}  # "teh" is English, too
    found = [w for w in said if is_known(w, scene) or ''.join(sorted(w)) in mixed]
    return len(said) >= FEW_WORDS and len(found) * 3 < len(said)


# Words

def suggestion(task: str, scene: Scene) -> str:
    """A question for each word that is almost a known one: "did you mean 'red'?"; or ''."""
    found, here = [], word_names(scene) | {o.colour.lower() for o in scene.objects if o.colour}
    for word in dict.fromkeys(w.lower() for w in _WORD.findall(task[:1000])):
        if len(word) < LEAST_LETTERS or is_known(word, scene):
            continue
        near = _nearest(word, here) or _nearest(word, parser().lexicon.vocabulary)
        if near:
            found.append(f'did you mean {near!r} where you wrote {word!r}?')
    return ' '.join(found[:MOST_WORDS])


def _nearest(word: str, words: frozenset[str]) -> str:
    """The known word that differs by about one typing mistake, or two in a long word."""
    most = 1 if len(word) < LONG_WORD else 2
    like = [w for w in sorted(words) if w[:1] == word[0] and abs(len(w) - len(word)) <= most
            and (len(word) > LEAST_LETTERS or sorted(w) == sorted(word))]
    near = difflib.get_close_matches(word, like, 1, 0.99 - most / len(word))
    return near[0] if near else ''


# Sentences

def similar_sentences(said: str, scene: Scene) -> list[str]:
    """The most similar sentences about things here; none if they may be contrary to it."""
    words = re.findall(r"[\w'-]+", said.lower().replace('’', "'")[:200])
    if not words or any(word.endswith("n't") or {word, word.split("'")[0]} & CONTRARY
                        for word in words):
        return []

    def likeness(sentence: str) -> float:
        own = sentence.split()
        return difflib.SequenceMatcher(None, words, own).ratio() + 0.3 * (words[0] == own[0])

    like = [s for s in _sentences(scene, words) if likeness(s) >= LEAST_LIKE]
    return sorted(like, key=likeness, reverse=True)[:MOST_TRIED]


def _sentences(scene: Scene, words: list[str]) -> Iterator[str]:
    """Sentences with the things that the words are about, without a word that was not said."""
    loose = _meant_first([o for o in scene.objects if is_loose(o)], words)
    containers = _meant_first([o for o in scene.objects if o.is_container], words)
    names = {'{a}': loose[:1], '{b}': loose[1:2], '{c}': containers[:1]}
    said = {SIMILAR.get(word, word) for word in words} | UNASKED
    for pattern in SENTENCES:
        if said & {'left', 'right'} == {'right'}:
            pattern = pattern.replace('left', 'right')
        if {*pattern.split()} <= said | {slot for slot, things in names.items() if things}:
            for slot, things in names.items():
                pattern = pattern.replace(slot, spoken(things[0].name)) if things else pattern
            yield pattern


def _meant_first(things: list[SceneObject], words: list[str]) -> list[SceneObject]:
    """The things that a word is about, those first that most of the words are about."""
    said = {o.name: sum(fits(singular(word)[0], o) for word in words) for o in things}
    return sorted((o for o in things if said[o.name]), key=lambda o: -said[o.name])
