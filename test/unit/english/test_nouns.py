# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plurals, other names and groups: which words mean which objects."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hand_scenes import BIN, BOWL, ball, cube, long_thing, plate, scene, thing

from replan_agent import Pose
from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.piece import box_piece
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.things import Things
from replan_agent.english.dictionary import fits, is_named, singular, words
from replan_agent.english.stages import fitting
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.model.goals import goals_by_words

SKILLS = standard_skills().specs()

PEN = long_thing('blue_pen', 0.4, 0.0, (0.02, 0.12, 0.02), 'blue', 0.0)
MARKER = long_thing('red_marker', 0.5, 0.0, (0.02, 0.12, 0.02), 'red', 0.0)


@pytest.mark.parametrize(('plural', 'one'), [
    ('batteries', 'battery'), ('cookies', 'cookie'), ('knives', 'knife'), ('leaves', 'leaf'),
    ('boxes', 'box'), ('brushes', 'brush'), ('torches', 'torch'), ('glasses', 'glass'),
    ('tomatoes', 'tomato'), ('shoes', 'shoe'), ('gloves', 'glove'), ('cubes', 'cube'),
    ('mice', 'mouse')])
def test_a_plural_has_its_singular(plural: str, one: str) -> None:
    assert singular(plural) == (one, True)


@pytest.mark.parametrize('word', ['glass', 'bus', 'cube', 'gas'])
def test_what_is_no_plural_stays(word: str) -> None:
    assert singular(word) == (word, False)


@pytest.mark.parametrize('name', ['scissors', 'pliers', 'sticky_notes', 'keys'])
def test_a_name_in_the_plural_is_found_by_its_plural(name: str) -> None:
    word = name.split('_')[-1]
    assert fits(singular(word)[0], thing(name, 0.5, 0.0))


def test_another_name_counts_if_nothing_has_the_word_itself() -> None:
    assert Things(words=words('pen')).names(scene(MARKER)) == ('red_marker',)
    assert Things(words=words('pen')).names(scene(MARKER, PEN)) == ('blue_pen',)


def test_a_group_is_what_has_such_a_name() -> None:
    things = [thing(n, 0.5, 0.0) for n in ('claw_hammer', 'screwdriver', 'spatula')]
    assert [o.name for o in things if fits('tool', o)] == ['claw_hammer', 'screwdriver']


def test_a_shape_is_no_name() -> None:
    assert is_named(['bin'], BIN)
    assert fits('ball', ball('lemon', 0.5, 0.0)) and not is_named(['ball'],
                                                                  ball('lemon', 0.5, 0.0))


def test_a_word_carries_its_meaning_so_that_it_is_judged_without_a_dictionary() -> None:
    fruit, plain = words('fruit'), Things.from_dict({'quantity': 'all', 'words': ['fruit']})
    seen = scene(thing('green_apples', 0.5, 0.0), thing('fruit_bar', 0.6, 0.0))
    sent = Things.from_dict(json.loads(json.dumps(Things(words=fruit).as_dict())))
    assert sent.words == fruit and sent.names(seen) == ('green_apples', 'fruit_bar')
    assert plain.names(seen) == ('fruit_bar',)
    goal = Goal(Predicate.IN, target='bowl', things=Things(words=fruit))
    assert 'meanings' in goal.as_dict()['things']
    assert 'meanings' not in goal.without_meanings()['things']


def unclear(name: str, size: tuple[float, float, float]) -> SceneObject:
    return replace(thing(name, 0.5, 0.0), shape=Shape.IRREGULAR, size=size, colour='orange',
                   pieces=(box_piece(size),))


@pytest.mark.parametrize(('said', 'size', 'is_meant'), [
    ('the orange box', (0.02, 0.07, 0.09), True), ('the orange can', (0.05, 0.05, 0.09), True),
    ('the orange cube', (0.04, 0.04, 0.05), True), ('the orange cube', (0.02, 0.07, 0.09), False),
    ('the orange ball', (0.04, 0.04, 0.05), True), ('the orange ball', (0.02, 0.07, 0.09), False),
    ('the orange bar', (0.02, 0.02, 0.09), True), ('the orange bar', (0.05, 0.05, 0.05), False),
    ('the blue box', (0.02, 0.07, 0.09), False), ('the orange bowl', (0.05, 0.05, 0.09), False),
    ('the orange hammer', (0.02, 0.07, 0.09), False)])
def test_a_thing_of_no_clear_shape_is_what_its_sides_do_not_contradict(said, size, is_meant):
    assert fitting(said, scene(unclear('orange_thing', size))) == ('orange_thing',) * is_meant


def test_a_word_for_a_shape_means_what_clearly_has_it_first() -> None:
    box = replace(unclear('orange_box', (0.02, 0.07, 0.09)), shape=Shape.BOX, pieces=())
    assert fitting('the orange box', scene(box, unclear('orange_thing', (0.02, 0.07, 0.09)))) == (
        'orange_box',)
    assert fitting('the box', scene(unclear('hammer', (0.02, 0.07, 0.09)))) == ()


@pytest.mark.parametrize(('place', 'meant'), [
    ('from table center', 'red_cube_1'), ('in the middle of the table', 'red_cube_1'),
    ('at the table centre', 'red_cube_1'), ('on the dish', 'red_cube_2')])
def test_of_two_the_one_nearest_to_the_middle_of_the_table_is_in_its_middle(place, meant):
    cubes = cube('red_cube_1', 0.48, 0.05), cube('red_cube_2', 0.3, -0.3, on=0.02)
    dish = thing('dish', 0.3, -0.3, size=(0.1, 0.1, 0.02))
    said = f'pick the red cube {place} and put it in the bowl'
    goals = goals_by_words(PlanRequest(said, scene(*cubes, dish, BOWL), SKILLS), Context(),
                           build_reader()).goals
    assert goals == (Goal(Predicate.IN, meant, 'bowl'),)


def test_a_bowl_that_leans_in_a_ramekin_is_meant_as_the_one_on_the_ramekin():
    ramekin = thing('ramekin', 0.5, 0.2, Shape.BOWL, (0.09, 0.09, 0.042))
    bowls = [SceneObject(name, Shape.BOWL, (0.107, 0.107, 0.051), pose) for name, pose in (
        ('black_bowl_1', Pose((0.4, -0.2, 0.026))),
        ('black_bowl_2', Pose.from_rpy(0.5, 0.2, 0.06, pitch=0.28)))]
    there = scene(ramekin, *bowls, plate('plate', 0.3, 0.3))
    said = 'pick the black bowl on the ramekin and put it on the plate'
    goals = goals_by_words(PlanRequest(said, there, SKILLS), Context(), build_reader()).goals
    assert goals == (Goal(Predicate.ON, 'black_bowl_2', 'plate'),)


@pytest.mark.parametrize(('gap_m', 'over', 'is_meant'), [
    (0.03, (), True), (0.08, (), False), (0.08, ((0.12, 0.12, 0.01), 0.06), True),
    (0.08, ((0.2, 0.02, 0.15), 0.075), False), (0.08, ((0.02, 0.02, 0.3), 0.15), False)])
def test_a_fragment_near_a_larger_part_or_below_what_hides_both_is_no_thing_of_its_own(
        gap_m, over, is_meant) -> None:
    large = replace(cube('red_box', 0.4, 0.0), confidence=0.5)
    small = replace(cube('red_bar', 0.4, 0.03 + gap_m), size=(0.02, 0.02, 0.02),
                    confidence=0.4)
    there = [SceneObject('slab', Shape.BOX, over[0], Pose((0.4, 0.055, over[1])))] if over else []
    reply = build_reader().read(PlanRequest('pick up the red object', scene(
        large, small, *there), SKILLS), lambda _, now, *more: now)
    assert (reply.refusal is None) is is_meant
    assert is_meant or 'They may be parts of one' in str(reply.refusal)
