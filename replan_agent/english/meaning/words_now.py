"""Words that are true of an object because of how the scene is: empty, full, a tower."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from replan_agent.domain.kinds import NOT, OR, is_loose, name_words
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.geometry.judging import resting_on

from ..dictionary import KINDS, fits
from ..nouns import COLOURS, GROUPS, HAS_OTHER_NAMES, TOWERS, forms_of
from ..phrases import NounPhrase

# How things are now: "the empty bowl".
STATES: Mapping[str, Callable[[SceneObject, Scene], bool]] = {
    'empty': lambda o, scene: o.is_container and not resting_on(o, scene),
    'full': lambda o, scene: o.is_container and bool(resting_on(o, scene))}
_KNOWN = (COLOURS | KINDS.keys() | STATES.keys() | HAS_OTHER_NAMES | TOWERS).union(
    *GROUPS.values())


def check_known(phrase: NounPhrase, scene: Scene) -> None:
    """Raises Unclear for "no dirty cubes", "if there is enough time": nobody can judge that.

    A thing that is not here is no problem: "if there is a hammer", "no grey hammers".
    """
    unknown = sorted(word.removeprefix(NOT) for word in phrase.words if not all(
        part in _KNOWN or any(fits_now(part, o, scene) for o in scene.objects)
        for part in word.removeprefix(NOT).split(OR)))
    if unknown:
        raise Unclear(Reason.OBJECT_NOT_FOUND, f'what is {", ".join(unknown)!r}? Nothing here has '
                      f'that name or colour, so {phrase.text!r} cannot be judged')


def knows(phrase: NounPhrase, scene: Scene) -> bool:
    """Whether each of its words names a thing or a colour, or is in the name of something here.

    "The bread" may be a thing that is not seen; "dad" and "nothing else" may be no things at all.
    """
    named = {form for name in scene.names() for form in forms_of(name)}
    return all(word in named or word in _KNOWN and word not in STATES and word not in TOWERS
               for word in phrase.words)


def fits_now(word: str, thing: SceneObject, scene: Scene) -> bool:
    """Whether the word is true of the object in this scene."""
    if word in TOWERS and not any(word in name_words(n) for n in scene.names()):
        return bool(resting_on(thing, scene)) is False and any(
            is_loose(below) and thing in resting_on(below, scene) for below in scene.objects
            if below.name != thing.name)
    if word in STATES and not any(word in name_words(n) for n in scene.names()):
        return STATES[word](thing, scene)
    return fits(word, thing, scene)
