"""The objects that a task mentions, in its own words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from replan_agent.domain.goal import Predicate
from replan_agent.domain.kinds import name_words
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill_effect import DIRECTIONS
from replan_agent.geometry.relations import SIDES

from .dictionary import KINDS
from .language.grammar import parse
from .language.noun_parser import NounParser
from .language.phrases import NounPhrase
from .language.tokens import tokenise
from .language.wording.counted_words import is_about_the_task
from .meaning.referents import candidates
from .meaning.said_before import Discourse
from .nouns import singular

# Guesses about how far, and whose left it is. The rest of such a goal is certain.
SPATIAL = frozenset({*SIDES, *DIRECTIONS, Predicate.NEAR.value, 'closer'})
_WORD = re.compile(r"[a-z0-9][\w'-]*")
_SENTENCE = re.compile(r'(?:[^.;!?\n]|\.(?=\d))+[.;!?]*')


def mentions(task: str) -> tuple[str, ...]:
    """The noun phrases of the task, each once, in order. Raises NotUnderstood."""
    phrases: list[NounPhrase] = []
    for command in parse(task):
        phrases += command.things
        phrases += [landmark for place in command.places for landmark in place.landmarks]
    return tuple(dict.fromkeys(p.text for p in phrases if not p.pronoun))


def check_all_read(task: str, scene: Scene) -> None:
    """Raises NotUnderstood if the task names an object in words that nobody reads.

    A reason may be left out before a task is read, but not with the name of a thing in it: "put
    the pen away because it is empty and the key in the tray" may be two commands.
    """
    said = {singular(word)[0] for word in _WORD.findall(task.lower())}
    read = {singular(word)[0] for token in tokenise(task)
            for word in _WORD.findall(f'{token.text} {token.said or ""}')}
    names = {word for thing in scene.movable() for word in name_words(thing.name)
             if word not in KINDS and not is_about_the_task(word)}  # the rewording keeps those
    unread = sorted(said & names - read)
    if unread:
        raise NotUnderstood(task.strip(), f'what about {", ".join(unread)}? Say it in a sentence '
                            'of its own')


def is_named(phrase: str, scene: Scene) -> bool:
    """Whether the phrase matches one or more objects of the scene."""
    try:
        return bool(NounParser(tokenise(phrase)).phrase().pronoun or _fitting_names(phrase, scene))
    except NotUnderstood:
        return False


def choices(guesses: Iterable[str], scene: Scene) -> frozenset[str] | None:
    """The objects that guesses may mean: "a cube". None if one is a convention: "tidy up"."""
    found = [_fitting_names(guess, scene) for guess in guesses if guess not in SPATIAL]
    return frozenset().union(*found) if all(found) else None


def _fitting_names(phrase: str, scene: Scene) -> tuple[str, ...]:
    """The objects that fit the phrase; empty if it is no noun phrase."""
    try:
        found = NounParser(tokenise(phrase)).phrase()
        return tuple(o.name for o in candidates(found, Discourse(scene)))
    except (NotUnderstood, Open, Unclear):
        return ()


def own_words(read: str, task: str) -> str:
    """The part of the task that was read as these words; its sentence if they were changed."""
    text = ' '.join(task.split())
    at = text.lower().find(read.lower())
    if read and at >= 0:
        return text[at:at + len(read)]
    said = set(re.findall(r'\w+', read.lower()))
    sentences = [s for s in map(str.strip, _SENTENCE.findall(task)) if s]
    return max(sentences, default=text,
               key=lambda s: len(said & set(re.findall(r'\w+', s.lower()))))
