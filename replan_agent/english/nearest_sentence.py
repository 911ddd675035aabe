"""After a refusal: a sentence like the one that was said, that may work in this scene."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from replan_agent.domain.kinds import is_loose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.geometry.goal_words import spoken

from .dictionary import fits
from .nouns import singular

# {a} and {b} are loose things of the scene, {c} is a bowl or bin.
PATTERNS = (
    'pick up {a}', 'put {a} in {c}', 'put {a} next to {b}', 'put {a} to the left of {b}',
    'move {a} 10 cm to the left', 'stack {a} on {b}', 'take {a} out of {c}', 'empty {c}',
    'swap {a} and {b}', 'push {a} to the left', 'pull {a} closer', 'turn {a} by 90 degrees',
    'hand me {a}', 'put everything in {c}', 'tidy up', 'go home',
    'open the gripper', 'look around')
# Who says what to avoid, or asks, gets no suggestion to do it.
SIDES = {'left': 'right', 'right': 'left'}
PLAIN = frozenset('put the to up me and'.split())  # a suggestion may say them unasked
SAME = {'into': 'in', 'inside': 'in', 'onto': 'on', 'beside': 'next'}
CONTRARY = frozenset("not don't dont never no neither nor none without except but leave avoid "
                     "nothing stop keep only "
                     "cannot can't what which who where why how when is are".split())
MOST_TRIED = 6
LEAST_LIKE = 0.4


def similar_sentences(said: str, scene: Scene) -> list[str]:
    """The most similar sentences about things here; none if they may be contrary to it."""
    words = re.findall(r"[\w'-]+", said.lower()[:200])
    if not words or CONTRARY & {form for word in words for form in (word, word.split("'")[0])}:
        return []
    ranked = sorted((s for s in _sentences(scene, words) if _likeness(words, s) >= LEAST_LIKE),
                    key=lambda s: -_likeness(words, s))
    return ranked[:MOST_TRIED]


def _sentences(scene: Scene, words: list[str]) -> Iterator[str]:
    loose = _meant_first([o for o in scene.objects if is_loose(o)], words)
    containers = _meant_first([o for o in scene.objects if o.is_container], words)
    said = {SAME.get(word, word) for word in words}
    for pattern in PATTERNS:
        if said & SIDES.keys() == {'right'}:
            pattern = pattern.replace('left', 'right')
        if not {w for w in pattern.split() if not w.startswith('{')} - PLAIN <= said:
            continue  # it would be another task
        names = {'a': loose[:1], 'b': loose[1:2], 'c': containers[:1]}
        used = [key for key in names if f'{{{key}}}' in pattern]
        if all(names[key] for key in used):
            yield pattern.format(**{key: spoken(names[key][0].name) for key in used})


def _meant_first(things: list[SceneObject], words: list[str]) -> list[SceneObject]:
    """The things that a word is about, those first that most of the words are about."""
    said = [singular(word)[0] for word in words]
    meant = [o for o in things if any(fits(word, o) for word in said)]
    return sorted(meant, key=lambda o: -sum(fits(word, o) for word in said))


def _likeness(words: list[str], sentence: str) -> float:
    own = sentence.split()
    same = difflib.SequenceMatcher(None, words, own).ratio()
    return same + 0.3 * (words[0] == own[0])
