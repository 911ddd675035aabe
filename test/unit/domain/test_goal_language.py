# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Relations, negation and quantities, judged from hand-made scenes."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.things import Quantity, Things
from replan_agent.english.dictionary import words
from replan_agent.geometry.judging import judge

CUBE = (0.04, 0.04, 0.04)


def thing(name: str, x: float, y: float, z: float = 0.02, shape: Shape = Shape.BOX,
          size: tuple[float, float, float] = CUBE, yaw: float = 0.0, roll: float = 0.0
          ) -> SceneObject:
    return SceneObject(name, shape, size, Pose.from_rpy(x, y, z, roll, yaw=yaw),
                       name.split('_')[0], shape is not Shape.TABLE)


TABLE = thing('table', 0.4, 0.0, -0.02, Shape.TABLE, (1.2, 1.2, 0.04))
BOWL = thing('bowl', 0.5, 0.3, 0.03, Shape.BOWL, (0.16, 0.16, 0.06))
A = thing('red_cube', 0.5, 0.0)


def scene(*objects: SceneObject, held: str | None = None) -> Scene:
    return Scene('s', 0.0, (*objects, BOWL, TABLE), 'by_hand', None, held)


def in_bowl(name: str) -> SceneObject:
    return thing(name, 0.5, 0.3, 0.026)


@pytest.mark.parametrize(('predicate', 'dx', 'dy'), [
    (Predicate.LEFT_OF, 0.0, 0.1), (Predicate.RIGHT_OF, 0.0, -0.1),
    (Predicate.IN_FRONT_OF, -0.1, 0.0), (Predicate.BEHIND, 0.1, 0.0)])
def test_the_person_sees_the_opposite_side(predicate: Predicate, dx: float, dy: float) -> None:
    goal = Goal(predicate, 'blue_cube', 'red_cube', viewpoint='arm')
    there, opposite = (scene(A, thing('blue_cube', 0.5 + s * dx, s * dy)) for s in (1, -1))
    assert judge(goal, there) is True and judge(goal, opposite) is False
    person = replace(goal, viewpoint='person')
    assert judge(person, there) is False and judge(person, opposite) is True
    assert 'as the person sees it' in str(person)


@pytest.mark.parametrize('y', [0.01, 0.30])
def test_over_it_or_far_away_is_not_left_of_it(y: float) -> None:
    goal = Goal(Predicate.LEFT_OF, 'blue_cube', 'red_cube', viewpoint='arm')
    assert judge(goal, scene(A, thing('blue_cube', 0.5, y))) is False


@pytest.mark.parametrize(('gap_m', 'met'), [(0.03, True), (0.04, True), (0.05, False),
                                            (0.01, False)])
def test_a_distance_is_the_gap_to_where_the_other_thing_is_now(gap_m: float, met: bool) -> None:
    goal = Goal(Predicate.LEFT_OF, 'blue_cube', 'red_cube', viewpoint='arm', distance=0.03)
    at = thing('blue_cube', 0.5, 0.04 + gap_m)
    assert judge(goal, scene(A, at)) is met
    assert judge(replace(goal, predicate=Predicate.NEAR, viewpoint=''), scene(A, at)) is met
    assert judge(goal, scene(thing('red_cube', 0.6, -0.1), at)) is False


def test_a_distance_may_be_longer_than_next_to_it() -> None:
    goal = Goal(Predicate.LEFT_OF, 'blue_cube', 'red_cube', viewpoint='arm', distance=0.4)
    assert judge(goal, scene(A, thing('blue_cube', 0.5, 0.44))) is True
    assert judge(goal, scene(A, thing('blue_cube', 0.5, -0.44))) is False


def test_near_and_between_need_the_object_to_stand_there() -> None:
    near = Goal(Predicate.NEAR, 'blue_cube', 'red_cube')
    between = Goal(Predicate.BETWEEN, 'blue_cube', 'red_cube', second='green_cube')
    green = thing('green_cube', 0.5, -0.2)
    world = scene(A, green, thing('blue_cube', 0.5, -0.08))
    assert judge(near, world) is True and judge(between, world) is True
    assert judge(near, replace(world, held='blue_cube')) is False
    assert judge(near, scene(A, thing('blue_cube', 0.5, 0.0, 0.06))) is False  # on it
    assert judge(between, scene(A, green, thing('blue_cube', 0.5, 0.2))) is False
    assert judge(between, scene(A, thing('blue_cube', 0.5, -0.1))) is None  # one end is not seen


@pytest.mark.parametrize(('beside_m', 'size', 'met'), [
    (0.0, CUBE, True), (0.018, CUBE, True), (0.025, CUBE, False), (0.09, CUBE, False),
    (0.018, (0.01, 0.1, 0.02), True), (0.055, (0.12, 0.12, 0.03), True)])
def test_between_is_where_the_line_runs_under_the_thing(
        beside_m: float, size: tuple[float, float, float], met: bool) -> None:
    goal = Goal(Predicate.BETWEEN, 'blue_cube', 'red_cube', second='green_cube')
    middle = thing('blue_cube', 0.5 + beside_m, -0.3, size[2] / 2, size=size)
    assert judge(goal, scene(A, thing('green_cube', 0.5, -0.6), middle)) is met


def test_a_turn_is_judged_as_far_as_the_shape_shows_it() -> None:
    bar = thing('red_bar', 0.5, 0.0, size=(0.03, 0.12, 0.03), yaw=math.radians(30))
    turned = Goal(Predicate.TURNED, 'red_bar', degrees=-150)
    assert judge(turned, scene(bar)) is True
    assert judge(replace(turned, degrees=120), scene(bar)) is False
    cube = replace(bar, size=CUBE)
    assert judge(replace(turned, degrees=120), scene(cube)) is True
    assert judge(turned, scene(replace(bar, shape=Shape.SPHERE, size=CUBE))) is None


def test_upright_is_the_longest_axis() -> None:
    can = thing('red_can', 0.5, 0.0, 0.05, Shape.CYLINDER, (0.05, 0.05, 0.1))
    goal = Goal(Predicate.UPRIGHT, 'red_can')
    assert judge(goal, scene(can)) is True
    assert judge(goal, scene(thing('red_can', 0.5, 0.0, 0.025, Shape.CYLINDER, (0.05, 0.05, 0.1),
                                   roll=math.pi / 2))) is False


def test_clear_is_nothing_on_it_or_in_it() -> None:
    assert judge(Goal(Predicate.CLEAR, 'bowl'), scene(A)) is True
    assert judge(Goal(Predicate.CLEAR, 'bowl'), scene(A, in_bowl('blue_cube'))) is False
    assert judge(Goal(Predicate.CLEAR, 'red_cube'),
                 scene(A, thing('blue_cube', 0.5, 0.0, 0.06))) is False


def test_what_walls_hide_is_neither_in_a_container_nor_not() -> None:
    deep = replace(scene(A), objects=(A, replace(BOWL, inside_hidden=True), TABLE))
    none = Goal(Predicate.IN, target='bowl', things=Things(Quantity.EXACTLY, 0, words('cube')))
    assert judge(Goal(Predicate.CLEAR, 'bowl'), deep) is None
    assert judge(none, scene(A)) is True and judge(none, deep) is None
    assert judge(Goal(Predicate.IN, 'red_cube', 'bowl'), deep) is False


def test_a_negation_turns_the_verdict_and_leaves_the_unknown() -> None:
    goal = Goal(Predicate.IN, 'red_cube', 'bowl', negated=True)
    assert judge(goal, scene(A)) is True
    assert judge(goal, scene(in_bowl('red_cube'))) is False
    assert judge(goal, scene()) is None


ALL_CUBES = Goal(Predicate.IN, target='bowl', things=Things(words=words('cube')))


def test_all_counts_what_is_seen_now() -> None:
    done = scene(in_bowl('red_cube'), in_bowl('blue_cube'))
    assert judge(ALL_CUBES, done) is True
    assert judge(ALL_CUBES, scene(*done.objects[:2], thing('green_cube', 0.4, 0.0))) is False


def test_all_of_nothing_and_a_named_one_that_is_not_seen_are_unknown() -> None:
    assert judge(ALL_CUBES, scene(thing('red_ball', 0.5, 0.0, shape=Shape.SPHERE))) is None
    named = replace(ALL_CUBES, things=Things(words=words('cube'), named=('red_cube', 'blue_cube')))
    assert judge(named, scene(in_bowl('red_cube'))) is None


def test_exceptions_and_words_that_must_not_fit() -> None:
    world = scene(in_bowl('red_cube'), thing('blue_cube', 0.4, 0.0))
    assert judge(replace(ALL_CUBES, things=Things(words=words('cube'), without=('blue_cube',))),
                 world) is True
    assert judge(replace(ALL_CUBES, things=Things(words=words('thing', '-blue'))), world) is True
    assert judge(replace(ALL_CUBES, things=Things(words=words('thing', '-red'))), world) is False


@pytest.mark.parametrize(('inside', 'exactly', 'at_least', 'at_most'), [
    (1, False, False, True), (2, True, True, True), (3, False, True, False)])
def test_numbers_are_counted(inside: int, exactly: bool, at_least: bool, at_most: bool) -> None:
    names = ['red_cube', 'blue_cube', 'green_cube']
    world = scene(*(in_bowl(n) if i < inside else thing(n, 0.4, -0.1 * i)
                    for i, n in enumerate(names)))
    two = Things(Quantity.EXACTLY, 2, words('cube'))
    assert judge(replace(ALL_CUBES, things=two), world) is exactly
    assert judge(replace(ALL_CUBES, things=replace(two, quantity=Quantity.AT_LEAST)),
                 world) is at_least
    assert judge(replace(ALL_CUBES, things=replace(two, quantity=Quantity.AT_MOST)),
                 world) is at_most


@pytest.mark.parametrize(('verdicts', 'known'), [
    ([True, None], None), ([False, None], True), ([True, True, None], False)])
def test_at_most_one_is_known_only_if_what_is_not_seen_cannot_be_too_many(
        verdicts: list[bool | None], known: bool | None) -> None:
    assert Things(Quantity.AT_MOST, 1).verdict(verdicts) is known


def test_each_on_a_different_one() -> None:
    plates = [thing(f'plate_{n}', 0.4, -0.2 * n, 0.01, Shape.CYLINDER, (0.12, 0.12, 0.02))
              for n in (0, 1)]
    goal = Goal(Predicate.ON, things=Things(words=words('cube')),
                targets=Things(words=words('plate')))
    cubes = [thing(f'red_cube_{n}', 0.4, -0.2 * n, 0.04) for n in (0, 1)]
    assert judge(goal, scene(*plates, *cubes)) is True
    beside = thing('red_cube_1', 0.43, 0.0, 0.04)
    assert judge(goal, scene(*plates, cubes[0], beside)) is False


@pytest.mark.parametrize('goal', [
    Goal(Predicate.HOME), Goal(Predicate.AT, 'a', position=(0.4, -0.1)),
    Goal(Predicate.BETWEEN, 'a', 'b', second='c', negated=True),
    Goal(Predicate.NEAR, 'a', 'b', distance=0.03),
    Goal(Predicate.TURNED, 'a', degrees=0.0), Goal(Predicate.BEHIND, 'a', 'b', viewpoint='person'),
    Goal(Predicate.ON, things=Things(Quantity.EXACTLY, 2, words('red', '-cube'), ('x',), ('y',)),
         targets=Things(words=words('plate'))),
])
def test_a_goal_survives_json(goal: Goal) -> None:
    assert Goal.from_dict(json.loads(json.dumps(goal.as_dict()))) == goal


def test_what_is_in_the_same_stack_is_not_next_to_it() -> None:
    world = scene(A, thing('blue_cube', 0.5, 0.0, 0.06), thing('green_cube', 0.5, 0.0, 0.10))
    for name, other in (('green_cube', 'red_cube'), ('red_cube', 'blue_cube')):
        assert judge(Goal(Predicate.NEAR, name, other), world) is False
