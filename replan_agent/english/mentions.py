"""The objects that a task mentions, in its own words."""

from __future__ import annotations

from collections.abc import Iterable

from replan_agent.domain.goal import Predicate
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill_effect import DIRECTIONS
from replan_agent.geometry.relations import SIDES

from .meaning.referents import candidates
from .meaning.said_before import Discourse
from .phrases import NounPhrase
from .readings import noun_phrase, readings

# Guesses about how far, and whose left it is. The rest of such a goal is certain.
SPATIAL = frozenset({*SIDES, *DIRECTIONS, Predicate.NEAR.value, 'closer'})


def mentions(task: str) -> tuple[str, ...]:
    """The noun phrases of the task, each once, in order. Raises NotUnderstood."""
    phrases: list[NounPhrase] = []
    for command in readings(task)[0]:
        phrases += command.things
        phrases += [landmark for place in command.places for landmark in place.landmarks]
    return tuple(dict.fromkeys(p.text for p in phrases if not p.pronoun))


def is_named(phrase: str, scene: Scene) -> bool:
    """Whether the phrase matches one or more objects of the scene."""
    try:
        return bool(noun_phrase(phrase, scene).pronoun or _fitting_names(phrase, scene))
    except NotUnderstood:
        return False


def choices(guesses: Iterable[str], scene: Scene) -> frozenset[str] | None:
    """The objects that guesses may mean: "a cube". None if one is a convention: "tidy up"."""
    found = [_fitting_names(guess, scene) for guess in guesses if guess not in SPATIAL]
    return frozenset().union(*found) if all(found) else None


def _fitting_names(phrase: str, scene: Scene) -> tuple[str, ...]:
    """The objects that fit the phrase; empty if it is no noun phrase."""
    try:
        found = noun_phrase(phrase, scene)
        return tuple(o.name for o in candidates(found, Discourse(scene)))
    except (NotUnderstood, Open, Unclear):
        return ()
