# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The goal score rises with what helps: room for fingers, less reach, a freed target."""

from __future__ import annotations

import math

import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.replan.local.score import (
    blocking,
    occupants,
    pick_loss,
    place_loss,
    score_of,
    surrounded,
)

TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0, -0.02)), movable=False)
PUT_AT = Effect(EffectKind.PUT_AT, x='x', y='y')
PUT_ON = Effect(EffectKind.PUT_ON, target='target')


def pick_score(*of):
    return score_of(pick_loss(*of))


def place_score(*of):
    return score_of(place_loss(*of))


def cube(name: str, x: float, y: float, z: float = 0.02, yaw: float = 0.0) -> SceneObject:
    return SceneObject(name, Shape.BOX, (0.04, 0.04, 0.04), Pose.from_rpy(x, y, z, yaw=yaw))


def scene(*things: SceneObject, held: str | None = None) -> Scene:
    return Scene('s', 0.0, (TABLE, *things), 'fake', held=held, hand=PANDA.hand)


def around(gap: float, sides: tuple[int, ...], yaw: float = 0.0) -> list[SceneObject]:
    away = 0.04 + gap
    return [cube(f'n{k}', 0.5 + away * math.cos(yaw + k * math.pi / 2),
                 away * math.sin(yaw + k * math.pi / 2), yaw=yaw) for k in sides]


@pytest.mark.parametrize('yaw', [0.0, 0.4, 1.2])
def test_two_free_opposite_sides_are_enough_room(yaw):
    red = cube('red', 0.5, 0.0, yaw=yaw)
    assert [] in blocking(red, scene(red, *around(0.005, (0, 2), yaw)))
    assert [] not in blocking(red, scene(red, *around(0.005, (0, 1), yaw)))


def test_clearing_one_of_four_neighbours_raises_the_score_and_two_opposite_ones_raise_it_more():
    red = cube('red', 0.5, 0.0)
    scores = [pick_score(red, scene(red, *around(0.01, sides)))
              for sides in ((0, 1, 2, 3), (1, 2, 3), (1, 3))]
    assert scores[0] < scores[1] < scores[2] < pick_score(red, scene(red)) == 9


def test_a_lower_or_distant_thing_takes_no_room():
    red = cube('red', 0.5, 0.0)
    flat = SceneObject('flat', Shape.BOX, (0.3, 0.3, 0.004), Pose((0.5, 0, 0.002)))
    assert surrounded(red, scene(red, flat, cube('far', 0.6, 0.0))) == 0


def test_reach_a_thing_on_top_and_a_full_hand_cost_points():
    red = cube('red', 0.5, 0.0)
    best = pick_score(red, scene(red))
    far = cube('red', 0.8, 0.0)
    farther = cube('red', 0.85, 0.0)
    assert best > pick_score(far, scene(far)) > pick_score(farther, scene(farther))
    assert best > pick_score(red, scene(red, cube('top', 0.5, 0.0, 0.06)))
    assert best > pick_score(red, scene(red, cube('other', 0.3, 0.3), held='other'))


def test_what_stands_at_the_target_is_its_occupant():
    red, blue = cube('red', 0.4, 0.3), cube('blue', 0.5, 0.0)
    at = Step(1, 'place_at', {'x': 0.5, 'y': 0.02})
    assert [o.name for o in occupants(at, PUT_AT, red, scene(red, blue, held='red'))] == ['blue']
    assert not occupants(at, PUT_AT, red, scene(red, cube('blue', 0.5, 0.2), held='red'))
    on = Step(1, 'stack', {'target': 'blue'})
    top = cube('green', 0.5, 0.0, 0.06)
    found = occupants(on, PUT_ON, red, scene(red, blue, top, held='red'))
    assert [o.name for o in found] == ['green']
    assert not occupants(on, PUT_ON, red, scene(red, blue, held='red'))


def test_a_freed_target_scores_higher_and_so_does_holding_what_goes_there():
    red, blue = cube('red', 0.4, 0.3), cube('blue', 0.5, 0.0)
    at = Step(1, 'place_at', {'x': 0.5, 'y': 0.02})
    taken = place_score(at, PUT_AT, red, scene(red, blue, held='red'))
    free = place_score(at, PUT_AT, red, scene(red, cube('blue', 0.5, 0.2), held='red'))
    lost = place_score(at, PUT_AT, red, scene(red, cube('blue', 0.5, 0.2)))
    assert free == 9 and taken < free and lost < free
