"""Words that are true of an object because of how the scene is: empty, loose, a tower of three."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from replan_agent.domain.goal import is_inside, resting_on
from replan_agent.domain.kinds import fits_here, is_loose
from replan_agent.domain.nouns import name_words
from replan_agent.domain.scene import Scene, SceneObject

from .ranks import TOWERS, is_stacked, tower_of

# How things are now: "the empty bowl", "the loose cubes".
STATES: Mapping[str, Callable[[SceneObject, Scene], bool]] = {
    'empty': lambda o, scene: o.is_container and not resting_on(o, scene),
    'full': lambda o, scene: o.is_container and bool(resting_on(o, scene)),
    'loose': lambda o, scene: is_loose(o) and not is_stacked(o, scene) and not any(
        is_inside(o, c) for c in scene.objects if c.is_container)}
_COUNTS = {'two': 2, 'three': 3, 'four': 4, 'five': 5, '2': 2, '3': 3, '4': 4, '5': 5}
_HIGH = re.compile(rf'({"|".join(_COUNTS)})-(?:cube|block|brick|box|storey|story|high|piece)s?$')


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
    return fits_here(word, thing, scene)
