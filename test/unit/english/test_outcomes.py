# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tasks that say how things should be: towers, groups, neighbours, sides of the table."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Predicate
from replan_agent.domain.plan import PlanRequest, ReplyKind
from replan_agent.domain.scene import Scene, Shape
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.relations import NEAR_M
from replan_agent.geometry.support import footprint
from replan_agent.plan.search.search_planner import SearchPlanner

SKILLS = standard_skills().specs()


@pytest.fixture
def kitchen(make_object, make_scene) -> Scene:
    """Apples and limes in disorder, and cubes: two blue ones, a red one with a blue one on it."""
    def ball(name, x, y):
        return make_object(name, x, y, 0.02, Shape.SPHERE)

    return make_scene(
        ball('apple_1', 0.35, 0.30), ball('apple_2', 0.60, -0.05), ball('lime_1', 0.60, 0.02),
        ball('lime_2', 0.40, 0.30), make_object('red_cube', 0.35, 0.05),
        make_object('blue_cube_1', 0.35, 0.05, 0.06), make_object('blue_cube_2', 0.50, 0.20))


def plan(task: str, scene: Scene, viewpoint: str = 'arm'):
    return SearchPlanner(build_reader(viewpoint)).plan(PlanRequest(task, scene, SKILLS), Context())


def spots(reply) -> dict[str, tuple[float, float]]:
    assert reply.kind is ReplyKind.STEPS, reply.detail
    assert {g.predicate for g in reply.goals} <= {Predicate.AT, Predicate.NEAR}
    return {g.object: g.position for g in reply.goals if g.predicate is Predicate.AT}


def near(reply) -> list[str]:
    return [str(g) for g in reply.goals if g.predicate is Predicate.NEAR]


def is_asked_or_refused(reply) -> bool:
    return reply.kind in (ReplyKind.FAILED, ReplyKind.UNRECOGNIZED) and not reply.steps


def gaps(names, others, found, scene):
    """The gaps between the things of two lists in the end."""
    def at(name):
        return found.get(name, scene.get(name).position[:2])

    return [math.dist(at(a), at(b)) - footprint(scene.get(a)) - footprint(scene.get(b))
            for a in names for b in others if a != b]


@pytest.mark.parametrize('task', [
    'group the apples and the limes',
    'put the apples and the limes into separate groups'])
def test_groups_stand_close_to_their_own_and_apart_from_all_else(kitchen, task):
    found = spots(plan(task, kitchen))
    apples, limes = ['apple_1', 'apple_2'], ['lime_1', 'lime_2']
    assert set(found) == {*apples, *limes}
    others = ['red_cube', 'blue_cube_1', 'blue_cube_2', 'bowl']
    for own, apart in ((apples, [*limes, *others]), (limes, [*apples, *others])):
        assert min(gaps(own[:1], own[1:], found, kitchen)) <= NEAR_M
        assert min(gaps(own, apart, found, kitchen)) >= 2 * NEAR_M - 1e-6


def test_one_kind_is_a_group_alone_and_what_lies_on_it_goes_elsewhere(kitchen):
    found = spots(plan('group the red cubes', kitchen))
    assert set(found) == {'red_cube', 'blue_cube_1'}
    assert min(gaps(['red_cube'], ['blue_cube_1', 'blue_cube_2', 'lime_2'], found, kitchen)) >= (
        2 * NEAR_M - 1e-6)


def test_a_group_by_colour_is_made_of_what_is_named(kitchen):
    found = spots(plan('group the cubes by colour', kitchen))
    assert set(found) == {'red_cube', 'blue_cube_1', 'blue_cube_2'}
    assert max(gaps(['blue_cube_1'], ['blue_cube_2'], found, kitchen)) <= NEAR_M
    assert min(gaps(['red_cube'], ['blue_cube_1', 'blue_cube_2'], found, kitchen)) >= (
        2 * NEAR_M - 1e-6)


def test_what_is_grouped_already_stays(make_object, make_scene):
    scene = make_scene(make_object('red_cube_1', 0.5, 0.2), make_object('red_cube_2', 0.57, 0.2),
                       make_object('blue_cube', 0.4, -0.1))
    assert plan('group the red cubes', scene).kind is ReplyKind.DONE


def test_what_a_group_must_be_beside_that_is_not_left_out(kitchen):
    reply = plan('group the apples and the limes in a corner', kitchen)
    assert reply.kind is not ReplyKind.STEPS and not reply.steps


@pytest.mark.parametrize('task', [
    'make sure that all cubes are next to at least one cube',
    'put every cube next to another cube'])
def test_each_has_a_neighbour_and_those_that_have_one_stay(make_object, make_scene, task):
    scene = make_scene(*(make_object(f'{c}_cube', x, y) for c, x, y in (
        ('red', 0.40, 0.20), ('blue', 0.46, 0.20), ('green', 0.60, -0.10))))
    reply = plan(task, scene)
    assert near(reply) == ['near(red_cube, blue_cube)', 'near(blue_cube, red_cube)',
                           'near(green_cube, blue_cube)']
    assert spots(reply) == {}
    assert {step.args['object'] for step in reply.steps if 'object' in step.args} == {'green_cube'}


def test_neighbours_that_are_hardly_near_come_closer(make_object, make_scene):
    scene = make_scene(make_object('red_cube', 0.40, 0.20), make_object('blue_cube', 0.40, 0.298))
    reply = plan('make sure that all cubes are next to at least one cube', scene)
    assert reply.kind is ReplyKind.STEPS and near(reply) == ['near(blue_cube, red_cube, 0.03 m)']


def test_all_of_a_kind_that_is_not_here_is_told_and_the_others_of_the_list_count(kitchen):
    reply = plan('Make sure that all blue cubes and white cubes are in the bowl', kitchen)
    assert [str(g) for g in reply.goals] == ['in(all blue cube, bowl)']
    assert [w for w in reply.warnings if 'nothing here matches' in w] == [
        "nothing here matches 'white cubes': there is nothing to do about it"]
    assert plan('stack all green cubes', kitchen).kind is ReplyKind.FAILED


def test_several_things_on_one_side_have_a_spot_each_and_those_there_stay(kitchen):
    found = spots(plan('make sure that all apples and limes are on the left side of the table',
                       kitchen))
    assert found['apple_1'] == (0.35, 0.30) and found['lime_2'] == (0.40, 0.30)
    assert all(y > 0.1 for _, y in found.values())
    assert all(math.dist(a, b) > 0.04 for a, b in combinations(found.values(), 2))


def test_one_of_several_at_a_point_is_one(kitchen):
    found = spots(plan('put one apple at (0.5, -0.1)', kitchen))
    assert list(found.values()) == [(0.5, -0.1)]


def test_things_of_several_names_are_grouped_by_colour_if_that_is_said(make_object, make_scene):
    scene = make_scene(make_object('red_cube', 0.40, 0.20), make_object('blue_cube', 0.50, -0.10),
                       make_object('red_ball', 0.42, 0.00, 0.02, Shape.SPHERE, colour='red'),
                       make_object('blue_ball', 0.60, 0.10, 0.02, Shape.SPHERE, colour='blue'))
    assert sorted(near(plan('group the cubes and the balls by colour', scene))) == [
        'near(blue_ball, blue_cube)', 'near(red_ball, red_cube)']


def test_what_stands_on_another_is_neither_next_to_it_nor_a_group_with_it(make_object, make_scene):
    scene = make_scene(make_object('red_cube', 0.5, 0.2), make_object('blue_cube', 0.5, 0.2, 0.06))
    for task in ('put every cube next to another cube', 'group the cubes'):
        reply = plan(task, scene)
        assert near(reply) and len(reply.steps) == 2


def test_round_things_have_neighbours_too(make_object, make_scene):
    scene = make_scene(*(make_object(f'{c}_ball', x, y, 0.02, Shape.SPHERE) for c, x, y in (
        ('red', 0.40, 0.20), ('blue', 0.45, 0.00), ('green', 0.60, -0.10))))
    reply = plan('put all balls next to some ball', scene)
    assert len(near(reply)) == 2 and len(reply.steps) == 4


def test_long_things_of_a_group_are_near_by_their_outlines(make_object, make_scene):
    scene = make_scene(*(make_object(f'carrot_{i}', x, y, size=(0.03, 0.09, 0.03))
                         for i, x, y in ((1, 0.40, 0.20), (2, 0.60, 0.00))))
    reply = plan('group the carrots', scene)
    assert near(reply) == ['near(carrot_2, carrot_1)'] and reply.kind is ReplyKind.STEPS


@pytest.mark.parametrize('task', [
    'put all red cubes and all purple cubes in the bowl', 'stack all blue cubes and all balls',
    'make sure to put all red cubes and all purple cubes in the bowl',
    'i want all red cubes and all purple cubes in the bowl', 'group all apples, pears and limes'])
def test_no_part_of_an_order_is_left_out(kitchen, task):
    assert is_asked_or_refused(plan(task, kitchen))


def test_blue_ones_are_of_the_kind_that_was_named_before(make_object, make_scene):
    scene = make_scene(make_object('red_cube', 0.40, 0.20), make_object('blue_cube', 0.50, -0.10),
                       make_object('blue_ball', 0.60, 0.10, 0.02, Shape.SPHERE, colour='blue'))
    for task in ('put all red cubes and blue ones in the bowl',
                 'put the red cubes and the blue ones in the bowl',
                 'put the red cubes in the bowl and the blue ones in the bowl'):
        goals = [str(g) for g in plan(task, scene).goals]
        assert goals == ['in(all red cube, bowl)', 'in(all blue cube, bowl)'], task


@pytest.mark.parametrize('task', [
    'group the apples on the right half of the table',
    'group the apples in the middle of the table',
    'group the limes without moving lime_1', 'group the apples next to the bowl'])
def test_a_group_at_a_place_or_with_what_stays_is_not_something_else(kitchen, task):
    assert is_asked_or_refused(plan(task, kitchen))


OF_A_GROUP = ('Each group must: 1. Contain all objects of the same type 2. Contain only things of '
              'the same type 3. Form a single connected group 4. Be apart from other groups')


@pytest.mark.parametrize('task', [
    'arrange things so that apples, limes form separate clusters based on their types',
    f'the apples and the limes should form groups. {OF_A_GROUP}',
    'group the apples and the limes. Each group should be separated from the other groups.'])
def test_what_is_said_of_every_group_is_what_a_group_is(kitchen, task):
    assert plan(task, kitchen).goals == plan('group the apples and limes', kitchen).goals


@pytest.mark.parametrize('task', [
    'group the cubes by colour. Each group must contain only things of the same type.',
    'put the apples in the bowl. Each group must be apart from other groups.',
    'group the apples. Each group must be in the bowl'])
def test_what_contradicts_the_groups_is_refused(kitchen, task):
    assert is_asked_or_refused(plan(task, kitchen))


@pytest.mark.parametrize('last', [
    'Other types of objects cannot be included in a tower.', 'Nothing else may be in it.',
    'Other things must not be part of the tower.'])
def test_a_tower_of_nothing_else_stands_on_the_table_and_its_top_is_clear(kitchen, last):
    goals = [str(g) for g in plan(f'All blue cubes should form a tower. {last}', kitchen).goals]
    assert goals == ['on(blue_cube_1, table)', 'stacked(blue_cube_2, blue_cube_1)',
                     'clear(blue_cube_2)']


def test_nothing_else_in_a_container_that_was_named(kitchen):
    goals = [str(g) for g in plan('put the limes in the bowl. No other things may be in the bowl',
                                  kitchen).goals]
    assert goals == ['in(all lime, bowl)', 'in(exactly 0 thing except bowl + lime_1 + lime_2, '
                     'bowl)']
    assert is_asked_or_refused(plan('stack the blue cubes. Nothing else may be in the bowl',
                                    kitchen))


@pytest.mark.parametrize(('task', 'viewpoint', 'is_read'), [
    ('put the red cube on the left side of the table (positive y)', 'arm', True),
    ('put the red cube on the left side of the table (positive y)', 'person', False),
    ('put the red cube on the right half of the table (+y)', 'arm', False),
    ('move the red cube 5 cm forward (positive x axis)', 'arm', True),
    ('put the red cube next to the bowl (positive y)', 'arm', False)])
def test_an_axis_in_brackets_must_agree_with_the_words(kitchen, task, viewpoint, is_read):
    assert (plan(task, kitchen, viewpoint).kind is ReplyKind.STEPS) is is_read


def test_things_that_were_stacked_have_a_spot_each_on_their_side(make_object, make_scene):
    scene = make_scene(make_object('red_cube', 0.4, -0.2),
                       make_object('blue_cube', 0.4, -0.2, 0.06))
    found = spots(plan('make sure that all cubes are on the left side of the table', scene))
    assert math.dist(*found.values()) > 0.04


def test_all_statements_after_so_that_count(kitchen):
    goals = [str(g) for g in plan('arrange things so that the red cube is in the bowl, apple_1 is '
                                  'next to the bowl and the limes are in the bowl', kitchen).goals]
    assert goals == ['in(red_cube, bowl)', 'near(apple_1, bowl)', 'in(all lime, bowl)']


@pytest.mark.parametrize(('task', 'is_read'), [
    ('1. put apple_1 in the bowl 2. put lime_1 in the bowl', True),
    ('1) put apple_1 in the bowl. 2) put lime_1 in the bowl.', True),
    ('1. put apple_1 in the bowl 3. put lime_1 in the bowl', False),
    ('put apple_1, lime_1 in the bowl', True),
    ('put apple_1, the small one in the bowl', False)])
def test_numbered_points_and_lists_with_commas_alone(kitchen, task, is_read):
    wanted = ['in(apple_1, bowl)', 'in(lime_1, bowl)'] if is_read else []
    assert [str(g) for g in plan(task, kitchen).goals] == wanted


def test_a_group_of_apples_is_near(kitchen):
    assert near(plan('group the apples', kitchen)) == ['near(apple_2, apple_1)']


def test_what_is_taken_from_a_group_later_is_not_near_it_any_more(make_scene):
    reply = plan('group the cubes. the green one goes in the bowl', make_scene())
    assert reply.kind is ReplyKind.STEPS and 'green' not in ' '.join(near(reply))
    assert 'in(green_cube, bowl)' in map(str, reply.goals)
    assert len([g for g in reply.goals if g.predicate is Predicate.AT]) == 2
