"""Words that are true of an object because of how the scene is: empty, loose, a tower of three."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from replan_agent.domain.kinds import NOT, OR, is_loose, name_words
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.geometry.judging import is_inside, resting_on

from ..dictionary import KINDS, fits
from ..language.phrases import NounPhrase
from ..language.words import COLOURS
from ..nouns import GROUPS, HAS_OTHER_NAMES, forms_of
from .ranks import TOWERS, is_stacked, tower_of

# How things are now: "the empty bowl", "the loose cubes".
STATES: Mapping[str, Callable[[SceneObject, Scene], bool]] = {
    'empty': lambda o, scene: o.is_container and not resting_on(o, scene),
    'full': lambda o, scene: o.is_container and bool(resting_on(o, scene)),
    'loose': lambda o, scene: is_loose(o) and not is_stacked(o, scene) and not any(
        is_inside(o, c) for c in scene.objects if c.is_container)}
_COUNTS = {'two': 2, 'three': 3, 'four': 4, 'five': 5, '2': 2, '3': 3, '4': 4, '5': 5}
_HIGH = re.compile(rf'({"|".join(_COUNTS)})-(?:cube|block|brick|box|storey|story|high|piece)s?$')

_KNOWN = (COLOURS | KINDS.keys() | STATES.keys() | HAS_OTHER_NAMES | TOWERS).union(
    *GROUPS.values())


def check_known(phrase: NounPhrase, scene: Scene) -> None:
    """Raises Unclear for "no dirty cubes", "if there is a heavy cube": nobody can judge that.

    A thing that is not here is no problem: "if there is a hammer", "no grey hammers". What is
    said not to be must be known: "everything that is not broken" would be everything.
    """
    unknown = {word for word in phrase.words if not all(
        part in _KNOWN or _HIGH.match(part) or any(fits_now(part, o, scene) for o in scene.objects)
        for part in word.removeprefix(NOT).split(OR))}
    known = [word for word in phrase.words if word not in unknown]
    denied = [word for word in unknown if word.startswith(NOT)]
    there = known and any(all(fits_now(w, o, scene) for w in known) for o in scene.objects)
    if denied or unknown and there:
        said = ', '.join(sorted(word.removeprefix(NOT) for word in denied or unknown))
        raise Unclear(Reason.OBJECT_NOT_FOUND, f'what is {said!r}? Nothing here has that name or '
                      f'colour, so {phrase.text!r} cannot be judged')


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
    high = _HIGH.match(word)
    if high is not None:  # "the three-cube tower"
        return is_stacked(thing, scene) and len(tower_of(thing, scene)) == _COUNTS[high[1]]
    return fits(word, thing, scene)
