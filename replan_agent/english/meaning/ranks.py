"""Which objects a superlative or a size chooses: "leftmost", "second from the left", "small"."""

from __future__ import annotations

import math
from collections.abc import Callable

from replan_agent.domain.kinds import is_loose, name_words
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.geometry.judging import is_resting_on
from replan_agent.geometry.relations import side

from ..nouns import TOWERS
from ..phrases import ORDER, NounPhrase, Rank

PLACE_TIE_M = 0.005  # if two are closer than this, neither is the leftmost
SIZE_TIE_M = 0.001
CLEARLY_BIGGER = 1.15
_SIDES = {'left': 'left_of', 'right': 'right_of', 'front': 'in_front_of', 'rear': 'behind'}
BY_PLACE = frozenset({*_SIDES, 'near', 'far', 'middle', 'person', 'not_person'})
SIZES = frozenset({'big', 'small', 'tall', 'short', 'long'})


def ranked(phrase: NounPhrase, fitting: list[SceneObject], scene: Scene, viewpoint: str,
           find: Callable[[NounPhrase], str]) -> list[SceneObject]:
    """Those that the superlatives and sizes choose; `find` says what a landmark means."""
    of_tower = bool(TOWERS & set(phrase.words))  # what fits are the tops of towers
    for rank in sorted(phrase.ranks, key=lambda r: of_tower and r.word in ('top', 'bottom')):
        if not fitting:
            break
        if of_tower and rank.word in ('top', 'bottom'):
            fitting = fitting if rank.word == 'top' else [foot_of(o, scene) for o in fitting]
            continue
        if rank.word == ORDER:
            _check_alone(phrase, rank, fitting)
            continue
        called = [o for o in fitting if rank.word in name_words(o.name)]
        of_all = phrase.is_several and phrase.words == ('thing',)  # "everything small"
        if called and not rank.most and rank.ordinal == 1 and not of_all:
            fitting = called
            continue  # a left_bowl is not a leftmost bowl
        if rank.word in ('top', 'bottom'):
            stacked = [o for o in fitting if is_stacked(o, scene)]
            if not stacked and len(fitting) > 1:
                return fitting  # nothing is on top: which one is a question
            fitting = stacked or fitting
        measure = _measure(rank, fitting, scene, viewpoint, find)
        if of_tower and rank.word in SIZES:
            measure = _of_tower(rank, scene)
        elif phrase.is_several and phrase.count and rank.ordinal == 1:
            fitting = _first_of(phrase, fitting, measure)
            continue
        elif phrase.is_several and rank.word in _SIDES and not rank.most and len(fitting) > 1:
            names = [o.name for o in fitting]
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which ones of {", ".join(names)} does '
                          f'{phrase.text!r} mean? For example "the cubes on the left half of the '
                          'table", "the leftmost cube"', names)
        elif phrase.is_several and rank.word in SIZES:
            fitting = _clearly(fitting, measure, phrase)
            if called and set(called) != set(fitting):
                raise _which(phrase, fitting)
            continue
        order = sorted(fitting, key=measure, reverse=True)
        if rank.ordinal > len(order):
            return []
        best = measure(order[rank.ordinal - 1])
        tie = SIZE_TIE_M if rank.word in SIZES else PLACE_TIE_M
        tied = [o for o in fitting if abs(measure(o) - best) <= tie]
        fitting = _in_both(tied, fitting) if rank.word == 'middle' else tied
    return fitting


def _in_both(tied: list[SceneObject], fitting: list[SceneObject]) -> list[SceneObject]:
    """Of those that are in the middle from left to right, the ones in the middle in depth, too."""
    mean = sum(o.position[0] for o in fitting) / len(fitting)
    least = min(abs(o.position[0] - mean) for o in tied)
    return [o for o in tied if abs(o.position[0] - mean) <= least + PLACE_TIE_M]


def _first_of(phrase: NounPhrase, fitting: list[SceneObject],
              measure: Callable[[SceneObject], float]) -> list[SceneObject]:
    """ "the three smallest cubes". Raises Unclear if the fourth is as small as the third."""
    count = phrase.count or 0
    order = sorted(fitting, key=measure, reverse=True)
    if len(order) > count and measure(order[count - 1]) - measure(order[count]) <= SIZE_TIE_M:
        raise _which(phrase, order)
    return order[:count]


def _which(phrase: NounPhrase, fitting: list[SceneObject]) -> Unclear:
    names = [o.name for o in fitting]
    return Unclear(Reason.AMBIGUOUS_OBJECT, f'which ones are {phrase.text!r}? It could be '
                   f'{", ".join(names)}', names)


def _of_tower(rank: Rank, scene: Scene) -> Callable[[SceneObject], float]:
    """How high the tower with this top is (m), or how low."""
    sign = 1.0 if rank.word in ('tall', 'big', 'long') else -1.0
    return lambda top: sign * (top.top_z - foot_of(top, scene).bottom_z)


def _check_alone(phrase: NounPhrase, rank: Rank, fitting: list[SceneObject]) -> None:
    """Raises Unclear if "the second" and "the last" do not say from where to count."""
    if len(fitting) == 1 and rank.ordinal < 2:
        return
    names = [o.name for o in fitting]
    raise Unclear(Reason.AMBIGUOUS_OBJECT, f'{phrase.text!r}: counted from where? It could be '
                  f'{", ".join(names)}; say for example "the second from the left"', names)


def _measure(rank: Rank, fitting: list[SceneObject], scene: Scene, viewpoint: str,
             find: Callable[[NounPhrase], str]) -> Callable[[SceneObject], float]:
    """What the rank compares (m); the largest wins."""
    if rank.word in _SIDES:
        x, y = side(_SIDES[rank.word], viewpoint)
        return lambda o: x * o.position[0] + y * o.position[1]
    if rank.word in ('near', 'far'):
        landmark = find(rank.landmark) if rank.landmark else ''
        place = scene.get(landmark)
        origin = place.position[:2] if place else (0.0, 0.0)
        sign = -1.0 if rank.word == 'near' else 1.0
        return lambda o: (sign * math.dist(o.position[:2], origin) if o.name != landmark
                          else -math.inf)
    if rank.word in ('person', 'not_person'):  # they sit opposite the arm
        return lambda o: (1.0 if rank.word == 'person' else -1.0) * o.position[0]
    if rank.word == 'middle':
        axis = 2 if len({foot_of(o, scene).name for o in fitting}) == 1 else 1  # of a tower
        mean = sum(o.position[axis] for o in fitting) / len(fitting)
        return lambda o: -abs(o.position[axis] - mean)
    if rank.word in ('top', 'bottom'):
        return lambda o: (1.0 if rank.word == 'top' else -1.0) * o.position[2]
    if rank.word in ('tall', 'short'):
        return lambda o: (1.0 if rank.word == 'tall' else -1.0) * (o.top_z - o.bottom_z)
    if rank.word == 'long':
        return lambda o: max(o.size)
    return lambda o: (1.0 if rank.word == 'big' else -1.0) * volume(o) ** (1 / 3)


def volume(thing: SceneObject) -> float:
    """How big it is (m³): the box around it."""
    return math.prod(thing.size)


def _clearly(fitting: list[SceneObject], measure: Callable[[SceneObject], float],
             phrase: NounPhrase) -> list[SceneObject]:
    """The upper half by a measure, if the sizes differ clearly."""
    values = [measure(o) for o in fitting]
    low, high = min(values), max(values)
    if max(abs(low), abs(high)) < CLEARLY_BIGGER * min(abs(low), abs(high)):
        names = [o.name for o in fitting]
        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which ones are {phrase.text!r}? '
                      f'{", ".join(names)} are about the same size', names)
    return [o for o, value in zip(fitting, values) if value >= (low + high) / 2]


def foot_of(thing: SceneObject, scene: Scene) -> SceneObject:
    """The lowest loose thing of the stack that it is on; itself if it is on none."""
    below = next((o for o in scene.without([thing.name]) if is_loose(o)
                  and is_resting_on(thing, o)), None)
    return foot_of(below, scene) if below is not None else thing


def tower_of(thing: SceneObject, scene: Scene) -> list[SceneObject]:
    """All loose things of the stack that it is part of."""
    foot = foot_of(thing, scene)
    return [o for o in scene.objects if is_loose(o) and foot_of(o, scene) == foot]


def is_stacked(thing: SceneObject, scene: Scene) -> bool:
    """Whether it is part of a stack of loose things."""
    others = [o for o in scene.without([thing.name]) if is_loose(o)]
    return is_loose(thing) and any(is_resting_on(thing, o) or is_resting_on(o, thing)
                                   for o in others)
