"""One object out of those that fit a phrase: by its exact name, or as the only one."""

from __future__ import annotations

from collections.abc import Callable

from replan_agent.domain.cause import Cause
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import Reason

from ..nouns import HOLDERS
from ..phrases import NounPhrase
from .said_before import inventory

CONTAINERS = HOLDERS - {'plate', 'saucer'}  # what things are put in


def exact_name(phrase: NounPhrase, scene: Scene) -> str | None:
    """The object with exactly this name: "red_cube", "the red_cube", "bowl" without "the"."""
    if phrase.ranks or phrase.places or phrase.quantity:
        return None
    name = '_'.join(phrase.words)
    written = ' '.join(phrase.words)
    for known in scene.names():
        if known.lower() == written and (not written.isalpha() or not phrase.definite):
            return known
        if known.lower() == name and any(w.isdigit() for w in phrase.words):
            return known
    return None


def preferred(things: list[SceneObject], rule: Callable[[SceneObject], bool]) -> list[SceneObject]:
    """Those that pass the rule, or all if none does."""
    return [o for o in things if rule(o)] or things


def only_one(phrase: NounPhrase, fitting: list[SceneObject], scene: Scene) -> str:
    """The name of the only one that fits. Raises Unclear if there are none or several."""
    if len(fitting) == 1:
        return fitting[0].name
    if not fitting:
        raise Unclear(Reason.OBJECT_NOT_FOUND, f'nothing in the scene matches '
                      f'{phrase.text!r}; {inventory(scene)}',
                      cause=Cause.NO_CONTAINER if CONTAINERS & set(phrase.words) else None,
                      not_seen=phrase.text)
    listed = ', '.join(f'{o.name} at ({o.position[0]:.2f}, {o.position[1]:.2f})' for o in fitting)
    raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which one is {phrase.text!r}? It could be '
                  f'{len(fitting)} objects: {listed}; say which, by name, colour, or a word like '
                  'leftmost, nearest, biggest', [o.name for o in fitting])
