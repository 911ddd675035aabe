"""The objects that a task mentions, in its own words."""

from __future__ import annotations

import re

from replan_agent.domain.kinds import KINDS
from replan_agent.domain.nouns import name_words, singular
from replan_agent.domain.scene import Scene

from .language.grammar import parse
from .language.noun_parser import NounParser
from .language.phrases import NounPhrase
from .language.refusals import NotUnderstood
from .language.tokens import tokenise
from .language.wording.counted_words import is_about_the_task
from .meaning.referents import candidates
from .meaning.said_before import Context
from .meaning.unclear import Unclear

_WORD = re.compile(r"[a-z0-9][\w'-]*")


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
        return bool(NounParser(tokenise(phrase)).phrase().pronoun or fitting_names(phrase, scene))
    except NotUnderstood:
        return False


def fitting_names(phrase: str, scene: Scene) -> tuple[str, ...]:
    """The objects that fit the phrase; empty if it is no noun phrase."""
    try:
        found = NounParser(tokenise(phrase)).phrase()
        return tuple(o.name for o in candidates(found, Context(scene)))
    except (NotUnderstood, Unclear):
        return ()
