# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""From goals to actions: what must be moved first, and what must stay."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Proof, Step
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason, failed
from replan_agent.domain.things import Quantity, Things
from replan_agent.english.dictionary import words
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.judging import is_inside, judge_all
from replan_agent.plan.search.search import Found, Search
from replan_agent.plan.search.wants import Want

SKILLS = standard_skills().specs()
MakeScene = Callable[..., Scene]
MakeObject = Callable[..., SceneObject]


def steps(scene: Scene, *goals: Goal) -> list[str]:
    """The actions as `verb object`; they must lead to the goals."""
    found = Search(SKILLS).find(goals, scene)
    assert found is not None
    assert judge_all(goals, found.scene) is True
    return [f'{a.kind.value} {a.thing or ""}'.strip() for a in found.actions if a.kind]


def on(thing: str, target: str) -> Goal:
    return Goal(Predicate.ON, thing, target)


@pytest.fixture
def tower(make_scene: MakeScene, make_object: MakeObject) -> Scene:
    """Green on blue on red."""
    return make_scene(*(make_object(f'{colour}_cube', 0.45, 0.1, 0.02 + 0.04 * level)
                        for level, colour in enumerate(('red', 'blue', 'green'))))


def test_a_tower_is_taken_apart_to_reach_its_bottom(tower: Scene) -> None:
    assert steps(tower, Goal(Predicate.IN, 'red_cube', 'bowl')) == [
        'take green_cube', 'put_on green_cube', 'take blue_cube', 'put_on blue_cube',
        'take red_cube', 'put_on red_cube']


def test_what_lies_on_the_rim_is_taken_off_if_nothing_should_be_in_it(make_scene, make_object):
    empty = make_scene()
    bowl = empty.get('bowl')
    bar = make_object('yellow_bar', *bowl.position[:2], bowl.top_z + 0.015,
                      size=(bowl.size[0] + 0.04, 0.03, 0.03))
    none = Goal(Predicate.IN, target='bowl', things=Things(
        Quantity.EXACTLY, 0, words=words('bar')))
    scene = replace(empty, objects=(*empty.objects, bar))
    assert steps(scene, none) == ['take yellow_bar', 'put_on yellow_bar']


def test_what_is_on_a_thing_is_on_it_still_in_a_container(make_scene, make_object):
    scene = make_scene(make_object('red_cube', 0.45, 0.1), make_object('blue_cube', 0.45, -0.2),
                       make_object('plate', 0.3, 0.3, 0.005, size=(0.08, 0.08, 0.01)),
                       make_object('green_cube', 0.3, 0.3, 0.03))
    first = Search(SKILLS).find((Goal(Predicate.IN, 'blue_cube', 'bowl'),), scene)
    held = replace(first.scene, held='plate')
    bowl, plate = held.get('bowl'), held.get('plate')
    found = Search(SKILLS)._inside(Want('plate', 'bowl'), plate, bowl, Found((), held))
    load = found.scene.get('green_cube')
    assert found.scene.held is None and is_inside(found.scene.get('plate'), bowl)
    assert [load.position[k] - found.scene.get('plate').position[k] for k in range(3)] \
        == pytest.approx([0.0, 0.0, 0.025])


def test_a_tower_is_turned_upside_down(tower: Scene) -> None:
    done = steps(tower, on('red_cube', 'blue_cube'), on('blue_cube', 'green_cube'))
    assert done[0] == 'take green_cube' and len(done) == 6


def test_nothing_is_put_on_a_tower_whose_bottom_has_to_go_elsewhere(make_scene, make_object):
    scene = make_scene(
        make_object('red_cube', 0.45, 0.1), make_object('green_cube', 0.45, 0.1, 0.06),
        make_object('blue_cube', 0.45, -0.1), make_object('white_cube', 0.45, -0.1, 0.06))
    done = steps(scene, on('blue_cube', 'red_cube'), on('white_cube', 'blue_cube'),
                 on('green_cube', 'white_cube'))
    assert [s for s in done if s.startswith('take')] == [
        'take green_cube', 'take white_cube', 'take blue_cube', 'take white_cube',
        'take green_cube']


def test_a_thing_with_a_place_of_its_own_does_not_follow_its_neighbour(make_scene, make_object):
    scene = make_scene(
        make_object('red_cube', 0.45, 0.2), make_object('green_cube', 0.45, 0.2, 0.06),
        make_object('white_cube', 0.45, 0.2, 0.10), make_object('blue_cube', 0.3, 0.0))
    done = steps(scene, Goal(Predicate.AT, 'blue_cube', position=(0.5, -0.1)),
                 Goal(Predicate.AT, 'red_cube', position=(0.42, -0.1)),
                 Goal(Predicate.NEAR, 'blue_cube', 'red_cube'))
    assert done.count('take blue_cube') == 1


def test_what_is_already_there_stays(tower: Scene) -> None:
    assert steps(tower, on('green_cube', 'blue_cube'), on('blue_cube', 'red_cube')) == []


def test_two_things_change_places_over_a_free_spot(make_scene: MakeScene) -> None:
    scene = make_scene()
    red, blue = (scene.get(n) for n in ('red_cube', 'blue_cube'))
    assert red is not None and blue is not None
    done = steps(scene, Goal(Predicate.AT, 'red_cube', position=blue.position[:2]),
                 Goal(Predicate.AT, 'blue_cube', position=red.position[:2]))
    assert len(done) == 6 and {d.split()[1] for d in done} == {'red_cube', 'blue_cube'}


def test_a_bowl_is_emptied_before_it_is_moved(make_scene: MakeScene,
                                              make_object: MakeObject) -> None:
    scene = make_scene(make_object('red_cube', 0.5, -0.3, 0.026))
    assert steps(scene, Goal(Predicate.AT, 'bowl', position=(0.5, 0.3))) == [
        'take red_cube', 'put_at red_cube', 'take bowl', 'put_at bowl']


def test_what_stands_at_the_goal_is_moved_aside(make_scene: MakeScene) -> None:
    assert steps(make_scene(), Goal(Predicate.AT, 'red_cube', position=(0.55, 0.0))) == [
        'take green_cube', 'put_at green_cube', 'take red_cube', 'put_at red_cube']


@pytest.mark.parametrize('predicate', [Predicate.LEFT_OF, Predicate.RIGHT_OF, Predicate.BEHIND,
                                       Predicate.IN_FRONT_OF, Predicate.NEAR])
def test_a_relation_gets_a_free_spot(predicate: Predicate, make_scene: MakeScene) -> None:
    viewpoint = '' if predicate is Predicate.NEAR else 'arm'
    goal = Goal(predicate, 'red_cube', 'blue_cube', viewpoint=viewpoint)
    assert steps(make_scene(), goal) == ['take red_cube', 'put_at red_cube']


def test_a_number_of_things_is_reached_from_both_sides(make_scene: MakeScene,
                                                       make_object: MakeObject) -> None:
    one = Goal(Predicate.IN, target='bowl', things=Things(Quantity.EXACTLY, 1, words('cube')))
    assert len(steps(make_scene(), one)) == 2
    full = make_scene(make_object('red_cube', 0.5, -0.3, 0.026),
                      make_object('blue_cube', 0.52, -0.28, 0.026))
    assert len(steps(full, one)) == 2


def test_each_gets_a_target_of_its_own(make_scene: MakeScene, make_object: MakeObject) -> None:
    plates = [make_object(f'plate_{n}', 0.5, 0.2 * n, 0.005, Shape.CYLINDER, (0.12, 0.12, 0.01))
              for n in (0, 1)]
    scene = make_scene(*plates, make_object('red_cube', 0.35, 0.1),
                       make_object('blue_cube', 0.35, -0.1))
    goal = Goal(Predicate.ON, things=Things(words=words('cube')),
                targets=Things(words=words('plate')))
    assert len(steps(scene, goal)) == 4


def test_what_is_held_is_put_down_before_something_else_is_taken(make_scene: MakeScene) -> None:
    assert steps(make_scene(held='blue_cube'), Goal(Predicate.HOLDING, 'red_cube')) == [
        'put_on blue_cube', 'take red_cube']


def test_the_arm_goes_home_last(make_scene: MakeScene) -> None:
    assert steps(make_scene(), Goal(Predicate.HOME), Goal(Predicate.IN, 'red_cube', 'bowl')) == [
        'take red_cube', 'put_on red_cube', 'go_home']


@pytest.mark.parametrize('goal', [
    Goal(Predicate.UPRIGHT, 'bowl', negated=True), Goal(Predicate.ON, 'table', 'bowl'),
    Goal(Predicate.IN, 'ghost', 'bowl')])
def test_what_no_skill_can_reach_is_not_planned(goal: Goal, make_scene: MakeScene) -> None:
    assert Search(SKILLS).find((goal,), make_scene()) is None


def test_a_hopeless_call_is_not_used(make_scene: MakeScene) -> None:
    proof = Proof(Step(1, 'pick', {'object': 'red_cube'}), make_scene(),
                  failed(Reason.UNREACHABLE, 'too far'))
    search = Search(SKILLS, lambda step, thing: proof if step.call == proof.step.call else None)
    assert search.find((Goal(Predicate.HOLDING, 'red_cube'),), make_scene()) is None
    assert search.refused == [proof]


EVERYTHING_IN_BIN = Goal(Predicate.IN, target='bin', things=Things(words=words('cube')))


def cubes(make_object: MakeObject, count: int, side: float = 0.04) -> list[SceneObject]:
    return [make_object(f'cube_{k}', 0.3 + 0.1 * k, 0.2, side / 2, size=(side,) * 3)
            for k in range(count)]


def box(make_object: MakeObject, side: float) -> SceneObject:
    return make_object('bin', 0.5, -0.4, 0.04, Shape.BIN, (side, side, 0.08))


def test_what_does_not_fit_in_a_container_is_not_brought_there(make_scene: MakeScene,
                                                               make_object: MakeObject) -> None:
    scene = make_scene(*cubes(make_object, 1, 0.07), box(make_object, 0.08))
    search = Search(SKILLS)
    assert search.find((EVERYTHING_IN_BIN,), scene) is None
    (left,) = search.no_room.values()
    assert left.cause is Cause.DOES_NOT_FIT and '70 x 70 mm' in left.why and '66' in left.why
    assert search.find_what_fits((EVERYTHING_IN_BIN,), scene) is None


def test_a_full_container_gets_as_much_as_fits(make_scene: MakeScene,
                                               make_object: MakeObject) -> None:
    scene = make_scene(*cubes(make_object, 6), box(make_object, 0.09))
    search = Search(SKILLS)
    assert search.find((EVERYTHING_IN_BIN,), scene) is None
    found = search.find_what_fits((EVERYTHING_IN_BIN,), scene)
    assert found is not None and 2 <= len(found.actions) <= 10
    assert {left.cause for left in search.no_room.values()} == {Cause.CONTAINER_FULL}


def test_one_thing_that_cannot_be_taken_does_not_keep_the_others_from_the_bin(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    fixed = replace(make_object('cube_9', 0.6, 0.2), movable=False)
    scene = make_scene(*cubes(make_object, 2), fixed, box(make_object, 0.3))
    every = Goal(Predicate.IN, target='bin', things=Things(named=('cube_9', 'cube_0', 'cube_1')))
    search = Search(SKILLS)
    assert search.find((every,), scene) is None
    found = search.find_what_fits((every,), scene)
    assert found is not None
    assert [a.thing for a in found.actions] == ['cube_0', 'cube_0', 'cube_1', 'cube_1']


def test_a_held_thing_that_does_not_fit_is_put_on_the_table(make_scene: MakeScene,
                                                            make_object: MakeObject) -> None:
    scene = make_scene(*cubes(make_object, 1, 0.07), box(make_object, 0.08), held='cube_0')
    search = Search(SKILLS)
    assert search.find((EVERYTHING_IN_BIN,), scene) is None
    found = search.find_what_fits((EVERYTHING_IN_BIN,), scene)
    assert found is not None and [a.target for a in found.actions] == ['table']


def test_two_things_go_side_by_side_on_a_plate(make_scene: MakeScene,
                                               make_object: MakeObject) -> None:
    plate = make_object('plate', 0.5, 0.2, 0.005, Shape.CYLINDER, (0.24, 0.24, 0.01))
    scene = make_scene(plate, make_object('red_cube', 0.5, 0.13, 0.03),
                       make_object('blue_cube', 0.35, -0.1))
    assert steps(scene, on('red_cube', 'plate'), on('blue_cube', 'plate')) == [
        'take blue_cube', 'put_on blue_cube']
    assert steps(scene, on('blue_cube', 'plate')) == ['take blue_cube', 'put_on blue_cube']


def test_a_pile_is_taken_from_its_top_and_what_could_not_be_taken_comes_last(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    low, high, other = (make_object(f'cube_{n}', 0.3 + 0.1 * n, 0.2, z)
                        for n, z in enumerate((0.02, 0.05, 0.02)))
    scene = make_scene(low, high, other, box(make_object, 0.3))
    for not_taken, order in (((), 'cube_1 cube_0 cube_2'), (('cube_0',), 'cube_1 cube_2 cube_0')):
        found = Search(SKILLS, not_taken=not_taken).find((EVERYTHING_IN_BIN,), scene)
        assert found is not None
        assert ' '.join(a.thing or '' for a in found.actions[::2]) == order


def test_what_is_missed_again_and_again_does_not_keep_the_thing_below_from_being_taken(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    low, high = make_object('cube_0', 0.3, 0.2, 0.02), make_object('cube_1', 0.3, 0.2, 0.06)
    scene = make_scene(low, high, box(make_object, 0.3))
    for missed, first in ((1, 'cube_1'), (4, 'cube_0')):
        found = Search(SKILLS, not_taken=('cube_1',) * missed).find((EVERYTHING_IN_BIN,), scene)
        assert found is not None and found.actions[0].thing == first


def test_what_is_not_seen_any_more_is_named_and_the_others_are_planned_for(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    every = Goal(Predicate.IN, target='bin', things=Things(named=('lost', 'cube_0', 'cube_1')))
    search = Search(SKILLS)
    scene = make_scene(*cubes(make_object, 2), box(make_object, 0.3))
    assert search.find((every,), scene) is None
    assert list(search.dead_ends) == ['lost is not seen any more']
    found = search.find_what_fits((every,), scene)
    assert found is not None
    assert [a.thing for a in found.actions] == ['cube_0', 'cube_0', 'cube_1', 'cube_1']


def plate(make_object: MakeObject) -> SceneObject:
    return make_object('blue_plate', 0.5, 0.2, 0.006, size=(0.12, 0.12, 0.012))


def test_two_things_on_one_plate_are_put_side_by_side(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    scene = make_scene(plate(make_object), make_object('red_cube', 0.4, -0.1),
                       make_object('green_cube', 0.5, -0.1))
    found = Search(SKILLS).find((on('red_cube', 'blue_plate'), on('green_cube', 'blue_plate')),
                                scene)
    assert found is not None
    first, second = (a.position for a in found.actions if a.target)
    assert first and second and math.dist(first, second) > 0.04


def test_what_has_no_room_on_a_plate_is_said_with_numbers(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    scene = make_scene(plate(make_object), make_object('red_cube', 0.5, 0.2, 0.032),
                       make_object('green_cube', 0.5, -0.1))
    search = Search(SKILLS)
    goals = (on('red_cube', 'blue_plate'), on('green_cube', 'blue_plate'))
    assert search.find(goals, scene) is None
    [why] = (each.why for each in search.no_room.values())
    assert '40 x 40 mm' in why and '120 x 120 mm' in why and 'beside red_cube' in why


def test_a_thing_with_a_high_neighbour_is_moved_before_something_is_put_on_it(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    scene = make_scene(make_object('green_cube', 0.5, 0.1),
                       make_object('red_cube', 0.5, 0.1, 0.06),
                       make_object('blue_cube', 0.5, 0.05), make_object('black_cube', 0.4, -0.1))
    done = steps(scene, on('red_cube', 'green_cube'), on('black_cube', 'blue_cube'))
    assert [d.split()[1] for d in done] == ['blue_cube'] * 2 + ['black_cube'] * 2


def test_with_a_free_choice_what_fits_is_chosen(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    long = make_object('black_bar', 0.3, 0.0, size=(0.3, 0.04, 0.04))  # the nearest one
    scene = make_scene(long, make_object('red_cube', 0.5, 0.2))
    any_one = Things(Quantity.EXACTLY, 1, words('thing'))
    done = steps(scene, Goal(Predicate.IN, target='bowl', things=any_one))
    assert done == ['take red_cube', 'put_on red_cube']


def test_a_distance_is_planned_from_where_the_landmark_will_be(make_scene: MakeScene) -> None:
    wanted = Goal(Predicate.LEFT_OF, 'red_cube', 'blue_cube', viewpoint='arm', distance=0.03)
    assert steps(make_scene(), Goal(Predicate.AT, 'blue_cube', position=(0.45, -0.15)), wanted
                 ) == ['take blue_cube', 'put_at blue_cube', 'take red_cube', 'put_at red_cube']


def test_what_stands_where_a_distance_leads_goes_aside_and_the_landmark_stays(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    others = [make_object(f'green_cube_{n}', 0.45 + 0.07 * n, -0.12) for n in (-1, 0, 1)]
    wanted = Goal(Predicate.LEFT_OF, 'red_cube', 'blue_cube', viewpoint='arm', distance=0.03)
    moved = steps(make_scene(make_object('red_cube', 0.3, 0.3),
                             make_object('blue_cube', 0.45, -0.2), *others), wanted)
    assert len(moved) > 2 and moved[-1] == 'put_at red_cube' and 'take blue_cube' not in moved


def test_a_distance_without_room_for_the_fingers_has_no_plan(make_scene: MakeScene) -> None:
    search = Search(SKILLS)
    assert search.find([Goal(Predicate.NEAR, 'red_cube', 'blue_cube', distance=0.005)],
                       make_scene()) is None
    assert 'the fingers need 25 mm' in ''.join(search.dead_ends)


def test_between_two_things_without_room_for_the_fingers_there_is_no_plan(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    plates = [make_object(f'plate_{n}', 0.55, y, 0.005, size=(0.12, 0.12, 0.01))
              for n, y in enumerate((0.20, 0.02))]
    search = Search(SKILLS)
    assert search.find([Goal(Predicate.BETWEEN, 'red_cube', 'plate_0', second='plate_1')],
                       make_scene(make_object('red_cube', 0.38, 0.1), *plates)) is None
    assert 'the fingers need 25 mm' in ''.join(search.dead_ends)
