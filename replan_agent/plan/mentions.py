"""The objects that a task mentions, in its own words."""

from __future__ import annotations

from replan_agent.domain.scene import Scene

from .language.grammar import parse
from .language.noun_parser import NounParser
from .language.phrases import NounPhrase
from .language.refusals import NotUnderstood
from .language.tokens import tokenise
from .meaning.referents import Context, candidates
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
        found = NounParser(tokenise(phrase)).phrase()
        return bool(found.pronoun or candidates(found, Context(scene)))
    except (NotUnderstood, Unclear):
        return False
