"""The objects that a task mentions, in its own words."""

from __future__ import annotations

from replan_agent.domain.scene import Scene

from .language.grammar import parse
from .language.noun_parser import NounParser
from .language.phrases import NounPhrase
from .language.refusals import NotUnderstood
from .language.tokens import tokenise
from .meaning.referents import candidates
from .meaning.said_before import Context
from .meaning.unclear import Unclear


def mentions(task: str) -> tuple[str, ...]:
    """The noun phrases of the task, each once, in order. Raises NotUnderstood."""
    phrases: list[NounPhrase] = []
    for command in parse(task):
        phrases += command.things
        phrases += [landmark for place in command.places for landmark in place.landmarks]
    return tuple(dict.fromkeys(p.text for p in phrases if not p.pronoun))


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
