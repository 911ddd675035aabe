"""Which object of the scene a phrase means: "the red block", "leftmost cube", "it".

Directions are the robot's own (REP 103: x forward, y left): the leftmost object has the largest y
in the base frame, no matter where the camera shows it. Near and far are from the robot's base.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from replan_agent.domain.goal import Goal, Predicate, judge
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason

PLACE_TIE_M = 0.005  # if two are closer than this, neither is the leftmost
SIZE_TIE_M = 0.001
CUBE_SIDES_WITHIN = 1.25
BAR_LONGER_THAN = 2.0

Rule = Callable[[SceneObject], bool]


@dataclass(frozen=True)
class Resolution:
    """The object that a phrase means, or why there is not exactly one."""

    name: str | None
    reason: Reason | None = None
    detail: str = ''
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Extreme:
    """A superlative: what is measured (m, the largest wins), and how close is a tie."""

    measure: Callable[[SceneObject], float]
    tie_m: float = PLACE_TIE_M


def _shaped(*shapes: Shape) -> Rule:
    return lambda thing: thing.shape in shapes


def _is_cube(thing: SceneObject) -> bool:
    return thing.shape is Shape.BOX and max(thing.size) <= CUBE_SIDES_WITHIN * min(thing.size)


def _is_bar(thing: SceneObject) -> bool:
    _, middle, longest = sorted(thing.size)
    return thing.shape is Shape.BOX and longest >= BAR_LONGER_THAN * middle


def _is_thing(thing: SceneObject) -> bool:
    return thing.shape not in (Shape.TABLE, Shape.WALL)


def _base_distance_m(thing: SceneObject) -> float:
    return math.hypot(thing.position[0], thing.position[1])


def _mean_side_m(thing: SceneObject) -> float:
    return math.prod(thing.size) ** (1 / 3)


def _each(words: str, meaning: Rule) -> dict[str, Rule]:
    return {word: meaning for word in words.split()}


KINDS: Mapping[str, Rule] = {
    **_each('cube', _is_cube),
    **_each('block brick', _shaped(Shape.BOX)),
    **_each('box', _shaped(Shape.BOX, Shape.BIN)),
    **_each('bar stick rod', _is_bar),
    **_each('cylinder can tin', _shaped(Shape.CYLINDER)),
    **_each('ball sphere', _shaped(Shape.SPHERE)),
    **_each('bowl dish', _shaped(Shape.BOWL)),
    **_each('bin basket tray crate', _shaped(Shape.BIN)),
    **_each('container', lambda thing: thing.is_container),
    **_each('table tabletop desk', _shaped(Shape.TABLE)),
    **_each('wall obstacle', _shaped(Shape.WALL)),
    **_each('object thing item one', _is_thing),
}

_LEFT = Extreme(lambda o: o.position[1])
_RIGHT = Extreme(lambda o: -o.position[1])
_NEAR = Extreme(lambda o: -_base_distance_m(o))
_FAR = Extreme(_base_distance_m)
_BIG = Extreme(_mean_side_m, SIZE_TIE_M)
_SMALL = Extreme(lambda o: -_mean_side_m(o), SIZE_TIE_M)

EXTREMES: Mapping[str, Extreme] = {
    'leftmost': _LEFT, 'left': _LEFT, 'rightmost': _RIGHT, 'right': _RIGHT,
    'nearest': _NEAR, 'closest': _NEAR, 'farthest': _FAR, 'furthest': _FAR,
    'biggest': _BIG, 'largest': _BIG, 'smallest': _SMALL,
}

DIRECTIONS = frozenset({'left', 'right'})
PRONOUNS = frozenset({'', 'it', 'this', 'that', 'this one', 'that one'})
_DETERMINERS = re.compile(r'^(?:(?:the|a|an|this|that|my|your)\s+)+')
_WHERE = re.compile(r'(.+?)\s+(?:out of|inside|from|off|in|on)\s+(.+)')
_SPELLINGS = {'gray': 'grey', 'left-most': 'leftmost', 'right-most': 'rightmost'}


def resolve(phrase: str, scene: Scene, mentioned: Sequence[str] = (),
            settled: Iterable[str] = (), apart_from: str | None = None,
            prefer: Rule | None = None) -> Resolution:
    """The one object that `phrase` means in `scene`.

    `mentioned` are the objects acted on so far: "it" is the last, "the other" is any except these.
    `settled` are names that earlier steps of the task already chose for this phrase: after the
    leftmost cube was lifted, another one is the leftmost. `apart_from` is chosen only if nothing
    else fits. The same is true for objects that do not pass `prefer`.
    """
    phrase = ' '.join(phrase.lower().split())
    if phrase in PRONOUNS:
        return _resolve_pronoun(phrase, scene, mentioned)
    exact = _exact(phrase, scene)
    if exact is not None:
        return Resolution(exact)
    if _is_direction(phrase, scene):
        return Resolution(None, Reason.OBJECT_NOT_FOUND,
                          f'{phrase!r} is a direction, not an object; {_inventory(scene)}')
    where = _WHERE.fullmatch(phrase)
    words = _words(where[1] if where else phrase)
    fitting = _described(words, scene, mentioned)
    chosen = next((n for n in settled if any(o.name == n for o in fitting)), None)
    if chosen is not None:
        return Resolution(chosen)
    if where:
        place = resolve(where[2], scene, mentioned)
        if place.name is None:
            return place
        fitting = [o for o in fitting
                   if judge(Goal(Predicate.ON, o.name, place.name), scene) is True]
    fitting = _preferred(fitting, lambda o: o.name != apart_from)
    if prefer is not None:
        fitting = _preferred(fitting, prefer)
    return _only(phrase, _extreme(words, fitting, scene), scene)


def _resolve_pronoun(phrase: str, scene: Scene, mentioned: Sequence[str]) -> Resolution:
    name = mentioned[-1] if mentioned else scene.held
    if name is not None:
        return Resolution(name)
    return Resolution(None, Reason.OBJECT_NOT_FOUND, f'{phrase or "it"!r} means nothing here: no '
                      'object was named before and the gripper is empty; ' + _inventory(scene))


def _exact(phrase: str, scene: Scene) -> str | None:
    """The object with exactly this name.

    "the bowl" is a description: next to a bowl_2 it is ambiguous. "bowl" and "the red_cube" are
    names.
    """
    bare = _DETERMINERS.sub('', phrase)
    for name in scene.names():
        if name.lower() == phrase or (name.lower() == bare and not bare.isalpha()):
            return name
    return None


def _words(phrase: str) -> list[str]:
    words = _DETERMINERS.sub('', phrase).split()
    return [_SPELLINGS.get(word, word) for word in words]


def _described(words: list[str], scene: Scene, mentioned: Sequence[str]) -> list[SceneObject]:
    """The objects that every word fits. Superlatives fit all."""
    fitting = list(scene.objects)
    for word in words:
        if _is_extreme(word, scene):
            fitting = [o for o in fitting if _is_thing(o)]
        elif word == 'other':
            fitting = [o for o in fitting if o.name not in mentioned]
        else:
            fitting = [o for o in fitting if _fits(word, o)]
    return fitting


def _fits(word: str, thing: SceneObject) -> bool:
    return (word in _name_words(thing.name) or word == _SPELLINGS.get(thing.colour, thing.colour)
            or (word in KINDS and KINDS[word](thing)))


def _name_words(name: str) -> list[str]:
    return re.split(r'[_\-\s]+', name.lower())


def _is_extreme(word: str, scene: Scene) -> bool:
    """Whether it is a superlative and not part of a name: a left_bowl is not a leftmost bowl."""
    return word in EXTREMES and not any(word in _name_words(n) for n in scene.names())


def _is_direction(phrase: str, scene: Scene) -> bool:
    """Whether it is only a direction: "the left" names no object, "the left one" does."""
    words = _words(phrase)
    return bool(words) and all(w in DIRECTIONS and _is_extreme(w, scene) for w in words)


def _preferred(things: list[SceneObject], rule: Rule) -> list[SceneObject]:
    return [o for o in things if rule(o)] or things


def _extreme(words: list[str], fitting: list[SceneObject], scene: Scene) -> list[SceneObject]:
    for extreme in (EXTREMES[w] for w in words if _is_extreme(w, scene)):
        if fitting:
            best = max(map(extreme.measure, fitting))
            fitting = [o for o in fitting if extreme.measure(o) >= best - extreme.tie_m]
    return fitting


def _only(phrase: str, fitting: list[SceneObject], scene: Scene) -> Resolution:
    if len(fitting) == 1:
        return Resolution(fitting[0].name)
    if not fitting:
        return Resolution(None, Reason.OBJECT_NOT_FOUND,
                          f'nothing in the scene matches {phrase!r}; {_inventory(scene)}')
    listed = ', '.join(f'{o.name} at ({o.position[0]:.2f}, {o.position[1]:.2f})' for o in fitting)
    return Resolution(None, Reason.AMBIGUOUS_OBJECT,
                      f'{phrase!r} could be {len(fitting)} objects: {listed}; say which, by name, '
                      'colour, or a word like leftmost, nearest, biggest',
                      tuple(o.name for o in fitting))


def _inventory(scene: Scene) -> str:
    return f'the scene has: {", ".join(scene.names()) or "no objects"}'
