# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What bans, exceptions and "not" are about, and wishes that cannot both come true."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hand_scenes import SCENES

from replan_agent.domain.orders import final_goals
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene
from replan_agent.english.reader import EnglishReader
from replan_agent.english.said_later import remarks
from replan_agent.geometry.steps.after_step import put_down

TABLETOP = SCENES['tabletop']


def moved(task: str) -> set[str]:
    """What the goals of the task move."""
    reading = EnglishReader().read(PlanRequest(task, TABLETOP, ()), lambda order, now, *_: now)
    assert reading.refusal is None, reading.refusal
    return {part.object for goal in final_goals(reading.orders, TABLETOP)
            for part in goal.named(TABLETOP)}


def asked(task: str, after: Callable[..., Scene] = lambda order, now, *_: now) -> str:
    """What is asked about the task; '' if nothing. Raises NotUnderstood."""
    try:
        refusal = EnglishReader().read(PlanRequest(task, TABLETOP, ()), after).refusal
    except (Open, Unclear) as why:
        refusal = why
    return str(refusal or '')


@pytest.mark.parametrize('task', [
    'never touch any cube, and throw everything away', 'all things but a cube belong in the bin',
    'without disturbing either of the cubes, put everything into the bin'])
def test_any_thing_that_is_spared_is_each_of_them(task: str) -> None:
    assert moved(task) == {'green_cylinder', 'yellow_bar'}


@pytest.mark.parametrize('task', [
    'bin everything that is not green and not a cube',
    'put all things that are not cubes nor green in the bowl',
    'everything that is not a cube and not left of the bar should be in the bin, except the can'])
def test_a_thing_that_is_neither_is_not_one_of_them(task: str) -> None:
    assert moved(task) == {'yellow_bar'}


@pytest.mark.parametrize('task', [
    'put both the bar and the cube in the bin', 'both the cube and the bar belong in the bowl',
    'throw both my cube and the can away'])
def test_both_the_cube_and_another_thing_leaves_open_which_cube(task: str) -> None:
    assert 'It could be red_cube, blue_cube' in asked(task)


@pytest.mark.parametrize('task', [
    'put the cubes except the blue one and the bar in the bin',
    'throw away every cube but not the red one, and the can',
    'all cubes apart from the red cube and the can belong in the bowl'])
def test_what_follows_an_exception_that_it_is_no_part_of_is_asked_about(task: str) -> None:
    assert asked(task).startswith('what is meant: in(all cube except ')


@pytest.mark.parametrize('task', [
    'put everything except the cubes and the bar in the bin',
    'throw away all things but the red cube, the blue cube and the bar',
    'everything apart from the bar and the cubes belongs in the bowl'])
def test_exceptions_of_which_each_could_be_meant_are_all_exceptions(task: str) -> None:
    assert moved(task) == {'green_cylinder'}


@pytest.mark.parametrize('task', [
    'the bar should be in the bowl and the bowl must be empty',
    'no cube must be in the bin and both cubes belong in the bin',
    'The can should not be in the bin. The can should be in the bin.',
    'make sure that the bin is empty and the bar is in the bin',
    'at most one cube should be in the bowl and every cube should be in the bowl',
    'exactly one cube should be in the bowl and at least two cubes should be in the bowl',
    'the can should be left of the bar and the bar should be left of the can',
    'put the red cube on the blue cube and the blue cube on the red cube'])
def test_wishes_that_cannot_both_come_true_are_asked_about(task: str) -> None:
    assert re.match('which (one|place) counts, .* Both cannot be so at the end', asked(task))


@pytest.mark.parametrize('task', [
    'empty the bowl, then put both cubes in it', 'exactly two cubes should be in the bin and '
    'the red cube should be in the bin, and the blue cube too',
    'at least one cube should be in the bowl and both cubes should be in the bowl'])
def test_wishes_that_can_both_come_true_are_not_asked_about(task: str) -> None:
    assert moved(task) == {'red_cube', 'blue_cube'}


@pytest.mark.parametrize(('task', 'asks'), [
    ('put the rightmost of the cubes and the bar in the bowl',
     'in(blue_cube, bowl) or in(blue_cube, bowl), in(yellow_bar, bowl)?'),
    ('only cubes belong in the bin', 'must all of them be there, or only nothing else?'),
    ('put the bar and the can in the bin and leave the can there', 'which one counts?'),
    ('put everything in the bin and leave the red cube there', 'where is "there"'),
    ('put everything in the bowl except the bar and the can in the bin',
     'in(yellow_bar, bin), in(green_cylinder, bin) or in(all thing')])
def test_what_may_be_about_one_or_all_of_a_list_is_asked_about(task: str, asks: str) -> None:
    assert asks in asked(task)


@pytest.mark.parametrize('task', [
    'leave the red cube and the bar in the bowl', 'keep the can and the bar in the bin',
    "don't touch the bar and the can in the bin"])
def test_what_follows_what_is_left_alone_has_a_verb_of_its_own(task: str) -> None:
    with pytest.raises(NotUnderstood, match='make no task together'):
        asked(task)
    assert moved(task.replace('and the', 'and put the')) != set()


@pytest.mark.parametrize('task', [
    'put the can in the bin and do the same with the bar', 'the bar and the can belong in the bin',
    'Grab the can, put it in the bin. The same with the bar.',
    'both the can and the bar should be in the bowl'])
def test_the_same_with_another_thing_goes_to_the_place_that_was_said(task: str) -> None:
    assert moved(task) == {'green_cylinder', 'yellow_bar'}
    with pytest.raises(NotUnderstood, match='make no task together'):
        asked('put the can in the bin and the bar in the bowl, and do the same with the red cube')


@pytest.mark.parametrize('task', [
    'leave one cube and put the others in the bowl', 'keep one cube where it is and put the other '
    'one in the bowl', 'leave one cube alone and put the rest of the cubes in the bowl'])
def test_one_that_is_left_alone_spares_one(task: str) -> None:
    assert len(moved(task) & {'red_cube', 'blue_cube'}) == 1


def goals(task: str) -> list[str]:
    """The goals of a task that is read, in words."""
    reading = EnglishReader().read(PlanRequest(task, TABLETOP, ()), lambda order, now, *_: now)
    assert reading.refusal is None, reading.refusal
    return [str(goal) for order in reading.orders for goal in order.goals]


@pytest.mark.parametrize(('task', 'name'), [
    ('put the leftmost cube in the bowl, then put the leftmost cube in the bin', 'red_cube'),
    ('throw the nearest cube away and put the nearest cube in the bowl', 'blue_cube')])
def test_which_one_is_the_leftmost_after_it_was_moved_is_asked_about(task: str, name: str) -> None:
    assert 'after what was moved before? It could be red_cube, blue_cube' in asked(
        task, lambda order, now, *_: put_down(now, name, at=(0.6, 0.25)))


@pytest.mark.parametrize('task', [
    'put the leftmost cube in the bowl and the rightmost cube in the bin',
    'the rightmost cube goes in the bin, then put the leftmost in the bowl'])
def test_a_superlative_for_what_was_not_moved_is_the_one_that_was_seen_so(task: str) -> None:
    assert set(goals(task)) == {'in(red_cube, bowl)', 'in(blue_cube, bin)'}


@pytest.mark.parametrize('task', ['put a cubes in the bin', 'throw some cubes away'])
def test_a_number_of_things_that_is_not_said_is_not_one(task: str) -> None:
    with pytest.raises(NotUnderstood, match='make no task together'):
        asked(task)


def test_what_stays_where_it_is_counts_there() -> None:
    assert goals('at most one cube should be on the table, and leave the red cube alone') == [
        'on(at_most 1 cube, table)']


def test_a_thing_goes_where_another_one_was_before_this_task() -> None:
    reading = EnglishReader().read(
        PlanRequest('put the red cube in the bowl, the can where the red cube was', TABLETOP, ()),
        lambda order, now, *_: put_down(now, 'red_cube', at=(0.6, 0.25)))
    x, y, _ = TABLETOP.get('red_cube').position
    assert str(reading.orders[-1].goals[0]) == f'at(green_cylinder, {x:.3f}, {y:.3f})'
    assert 'where should green_cylinder go?' in asked('put the can where the red cube was')


def test_a_thing_that_is_called_as_a_determiner_is_meant_in_quotation_marks_only() -> None:
    scene = replace(TABLETOP, objects=tuple(
        replace(o, name='all') if o.name == 'red_cube' else o for o in TABLETOP.objects))
    read = EnglishReader().read
    with pytest.raises(NotUnderstood):
        read(PlanRequest('put all in the bowl', scene, ()), lambda order, now, *_: now)
    reading = read(PlanRequest('put "all" in the bowl', scene, ()), lambda order, now, *_: now)
    assert [str(g) for o in reading.orders for g in o.goals] == ['in(all, bowl)']


@pytest.mark.parametrize('task', [
    'if there is a cube in the bin that is not blue, put the can in the bowl',
    'put all cubes on the table except the blue one in the bowl',
    'put the red cube 10 cm away from the bowl', 'put the can in the bowl, then back'])
def test_what_may_be_about_the_things_or_about_their_place_is_not_read(task: str) -> None:
    with pytest.raises(NotUnderstood):
        asked(task)


@pytest.mark.parametrize(('task', 'asks'), [
    ('throw the bin away', 'itself'),
    ('put everything on the table that is not a cube in the bin', 'how the things are'),
    ('take the things out of the bowl that are not red', 'how the things are'),
    ('put the cubes on the plate containing the can in the bin', 'how the things are'),
    ('put the bar next to the bowl and next to the bin', 'which place counts')])
def test_a_place_that_may_be_another_one_is_asked_about(task: str, asks: str) -> None:
    assert asks in asked(task)


@pytest.mark.parametrize('said', [
    'is there a cube in the bin which is not blue?', 'no, the can in the bowl that is red',
    'how many cubes are in the bowl with the can?'])
def test_a_remark_about_things_or_their_place_is_not_read_as_one(said: str) -> None:
    assert not any(remark.place for remark in remarks(said, TABLETOP))


def test_a_remark_about_a_place_alone_may_say_which_one() -> None:
    said = [remark.place for remark in remarks('no, in the bowl that is red', TABLETOP)]
    assert said == ['in the bowl that is red']


def test_a_wish_that_is_true_already_moves_no_other_thing() -> None:
    assert goals('there should be a cube in the bowl') == ['in(at_least 1 cube, bowl)']
