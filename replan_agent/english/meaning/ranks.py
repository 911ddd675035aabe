# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which objects a superlative or a size chooses: "leftmost", "second from the left", "small"."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from replan_agent.domain.kinds import name_words
from replan_agent.domain.scene import SceneObject
from replan_agent.geometry.relations import side
from replan_agent.geometry.support import is_guessed
from replan_agent.geometry.towers import foot_of, height, is_stacked, volume

from ..dictionary import is_tower
from ..phrases import ORDER, NounPhrase, Rank
from .said_before import Discourse, which

PLACE_TIE_M = 0.005  # if two are closer than this, neither is the leftmost
SIZE_TIE_M = 0.001
GUESSED_TIE = 0.05  # of a size, where a part of a thing was not seen
CLEARLY_BIGGER = 1.15
DEPTH = 0.1  # how much less it counts than the place in a row
_SIDES = {'left': 'left_of', 'right': 'right_of', 'front': 'in_front_of', 'rear': 'behind'}
BY_PLACE = frozenset({*_SIDES, 'near', 'far', 'middle', 'person', 'not_person'})
SIZES = frozenset({'big', 'small', 'tall', 'short', 'long'})
_LEVELS = ('top', 'bottom')
Measure = Callable[[SceneObject], float]


def chosen(rank: Rank, phrase: NounPhrase, fitting: list[SceneObject], context: Discourse,
           landmark: str) -> list[SceneObject]:
    """Those of the fitting ones that a superlative or size means; `landmark` is what it is to."""
    names = [o.name for o in fitting]
    if rank.word == ORDER:
        if len(fitting) > 1 or rank.ordinal > 1:
            raise which(f'{phrase.text!r}: counted from where? Say for example "{phrase.text} '
                        'from the left".', names)
        return fitting
    called = [o for o in fitting if rank.word in name_words(o.name)]
    of_all = phrase.is_several and phrase.words == ('thing',)  # "everything small"
    if called and not rank.most and rank.ordinal == 1 and not of_all:
        return called  # a left_bowl is not a leftmost bowl
    if rank.word in _LEVELS:  # if nothing is on top, which one is a question
        fitting = [o for o in fitting if is_stacked(o, context.scene)]
        if not fitting:
            return [o for o in context.scene.objects if o.name in names]
    if phrase.is_several and rank.word in _SIDES and not (rank.most or phrase.count) and (
            len(fitting) > 1):
        raise which(f'which ones are {phrase.text!r}? Say for example "the cubes on the left half '
                    'of the table", "the leftmost cube".', names)
    ways = [_largest(rank, phrase, fitting, measure)
            for measure in _measures(rank, phrase, fitting, context, landmark)]
    if ways[0] != ways[-1]:
        raise _which(phrase, [*ways[0], *(o for o in ways[-1] if o not in ways[0])],
                     ' By its solid, or by the room that it takes?')
    if of_all and rank.word in SIZES and called and set(called) != set(ways[0]):
        raise _which(phrase, ways[0])
    return ways[0]


def _largest(rank: Rank, phrase: NounPhrase, fitting: list[SceneObject], measure: Measure
             ) -> list[SceneObject]:
    """The first by a measure, or the one at its place in the order; of several all large ones."""
    if phrase.is_several and not is_tower(phrase):
        if phrase.count and rank.ordinal == 1:
            return _first_of(phrase, fitting, measure)
        if rank.word in SIZES:
            return _clearly(fitting, measure, phrase)
    order = sorted(map(measure, fitting), reverse=True)
    if rank.ordinal > len(order):
        return []
    tie = SIZE_TIE_M if rank.word in SIZES else PLACE_TIE_M
    if rank.word in SIZES and any(map(is_guessed, fitting)):
        tie = GUESSED_TIE * abs(order[rank.ordinal - 1])
    return [o for o in fitting if abs(measure(o) - order[rank.ordinal - 1]) <= tie]


def _first_of(phrase: NounPhrase, fitting: list[SceneObject], measure: Measure
              ) -> list[SceneObject]:
    """ "the three smallest cubes". Raises Unclear if the fourth is as small as the third."""
    count = phrase.count or 0
    order = sorted(fitting, key=measure, reverse=True)
    if len(order) > count and measure(order[count - 1]) - measure(order[count]) <= SIZE_TIE_M:
        raise _which(phrase, order)
    return order[:count]


def _clearly(fitting: list[SceneObject], measure: Measure, phrase: NounPhrase
             ) -> list[SceneObject]:
    """The upper half by a measure, if the sizes differ clearly."""
    values = [measure(o) for o in fitting]
    low, high = min(values), max(values)
    if max(abs(low), abs(high)) < CLEARLY_BIGGER * min(abs(low), abs(high)):
        raise _which(phrase, fitting, ' They are about the same size.')
    return [o for o, value in zip(fitting, values) if value >= (low + high) / 2]


def _which(phrase: NounPhrase, fitting: list[SceneObject], why: str = '') -> Exception:
    return which(f'which ones are {phrase.text!r}?{why}', [o.name for o in fitting])


_LEAST = frozenset({'near', 'not_person', 'bottom', 'short', 'small'})  # the least one wins
_MEASURES: Mapping[str, Measure] = {
    'person': lambda o: o.position[0], 'not_person': lambda o: o.position[0],  # opposite the arm
    'top': lambda o: o.position[2], 'bottom': lambda o: o.position[2], 'tall': height,
    'short': height, 'long': lambda o: max(o.size)}


def _measures(rank: Rank, phrase: NounPhrase, fitting: list[SceneObject], context: Discourse,
              landmark: str) -> list[Measure]:
    """What the rank may compare (m); the largest wins."""
    scene, sign = context.scene, -1.0 if rank.word in _LEAST else 1.0
    if is_tower(phrase) and rank.word in SIZES:
        return [lambda top: sign * (top.top_z - foot_of(top, scene).bottom_z)]
    if rank.word in _SIDES:
        x, y = side(_SIDES[rank.word], context.viewpoint)
        return [lambda o: x * o.position[0] + y * o.position[1]]
    if rank.word in ('near', 'far'):
        place = scene.get(landmark)
        origin = place.position[:2] if place else (0.0, 0.0)
        return [lambda o: (sign * math.dist(o.position[:2], origin) if o.name != landmark
                           else -math.inf)]
    if rank.word == 'middle':  # of a tower; or of a row, and then in depth, too
        mean = [sum(o.position[k] for o in fitting) / len(fitting) for k in range(3)]
        axis = 2 if len({foot_of(o, scene).name for o in fitting}) == 1 else 1
        return [lambda o: -abs(o.position[axis] - mean[axis])
                - DEPTH * abs(o.position[0] - mean[0])]
    if rank.word in ('big', 'small'):
        return [lambda o: sign * volume(o) ** (1 / 3),
                lambda o: sign * math.prod(o.size) ** (1 / 3)]
    return [lambda o: sign * _MEASURES[rank.word](o)]
