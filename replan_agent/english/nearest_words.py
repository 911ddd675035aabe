"""After a refusal: what a word was meant to be, and sentences like the one that was said."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterator

from replan_agent.domain.kinds import is_loose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.geometry.goal_words import spoken

from .dictionary import fits, known, singular, split, word_names
from .parser import parser

MOST_WORDS = 3
FEW_WORDS = 3  # of fewer it cannot be told which language they are
LEAST_LETTERS = 3
LONG_WORD = 8  # letters; it may have two mistakes
_WORD = re.compile(r"(?<![\w'-])[a-z]+(?![\w'-])", re.IGNORECASE)
MOST_TRIED = 6
LEAST_LIKE = 0.4


@functools.cache
def _said(category: str) -> tuple[str, ...]:
    return tuple(phrase for _, phrases in known(category) for phrase in phrases)


@functools.lru_cache(maxsize=1)
def _vocabulary() -> frozenset[str]:
    return frozenset(w for phrase in parser().lexicon.phrases() for w in phrase.split()
                     if w.isalpha())


def is_known(word: str, scene: Scene) -> bool:
    """Whether the grammar uses the word, or something here is called so."""
    forms = {word, singular(word)[0]}
    return bool(forms & _vocabulary() or forms & word_names(scene))


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
    found = [w for w in said if is_known(w, scene) or ''.join(sorted(w)) in letters_known]
    return len(said) >= FEW_WORDS and len(found) * 3 < len(said)


# Words

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


def _nearest(word: str, words: frozenset[str]) -> str:
    """The known word that differs by about one typing mistake, or two in a long word."""
    most = 1 if len(word) < LONG_WORD else 2
    like = [w for w in sorted(words) if len(w) > 1 and abs(len(w) - len(word)) <= most]
    near = difflib.get_close_matches(word, like, 1, 0.99 - most / len(word))
    return near[0] if near else ''


# Sentences

def similar_sentences(said: str, scene: Scene) -> list[str]:
    """The most similar sentences about things here; none if they may be contrary to it."""
    words = re.findall(r"[\w'-]+", said.lower().replace('’', "'")[:200])
    if not words or any(word.endswith("n't") or not {word, word.split("'")[0]}.isdisjoint(
            _said('@CONTRARY')) for word in words):
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
    same = {word: meaning for meaning, others in known('@SIMILAR') for word in others}
    said = {same.get(word, word) for word in words} | {*_said('@UNASKED')}
    for pattern in _said('@SENTENCE'):
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
