# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A condition is judged with its quantifier, as goals are. Red and blue cube are in the bowl."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hand_scenes import SCENES

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

READER = build_reader()
SKILLS = standard_skills().specs()


def planned(task: str) -> PlanReply:
    return SearchPlanner(READER).plan(PlanRequest(task, SCENES['bowl_full'], SKILLS), Context())


def goals(task: str) -> list[str]:
    return list(map(str, planned(task).goals))


@pytest.mark.parametrize(('condition', 'is_so'), [
    ('the three cubes are in the bowl', False), ('each cube is on the table', False),
    ('every cube that is not green is in the bowl', True),  # all of them
    ('the green cube or the blue cube is in the bin', False),  # one of them
    ('the bin or the green cube is in the bowl', False),
    ('the red cube or the green cube is in the bowl', True),
    ('at most one cube is in the bowl', False),  # so many
    ('there are no more than three cubes in the bowl', True),
    ('just two cubes are in the bowl', True),
    ('the rightmost cube is in the bowl', False), ('some cube is in the bowl', True),
])
def test_a_condition_is_judged_with_its_quantifier(condition: str, is_so: bool) -> None:
    otherwise = f'if {condition}, pick up the red cube, otherwise pick up the green cube'
    assert goals(otherwise) == [f'holding({"red" if is_so else "green"}_cube)']
    unless = goals(f'pick up the green cube unless {condition}')
    assert ('holding(green_cube)' in unless) is not is_so


@pytest.mark.parametrize(('condition', 'is_so'), [
    ('at least one cube is not in the bowl', True), ('any cube is not in the bowl', True),
    ('something is not on the table', True), ('at most one cube is not in the bowl', True),
    ('at least two cubes are not in the bowl', False),
    ('the bowl does not contain all cubes', True), ('the bowl does not contain a cube', False),
    ('there is not a cube in the bin', True), ('there is not anything in the bowl', False),
    ('all cubes are not in the bin', True), ('a cube is not in the bin', True),  # none, or not all
    ('cubes are not in the bin', True), ('the bin does not contain the cubes', True),
    ('every cube that is not green is not in the bowl', False),
])
def test_a_denied_condition_is_judged_with_its_quantifier(condition: str, is_so: bool) -> None:
    test_a_condition_is_judged_with_its_quantifier(condition, is_so)


@pytest.mark.parametrize('condition', [
    'all cubes are not', 'the three cubes are not', 'a cube is not', 'one of the cubes is not'])
def test_a_denial_of_several_asks_if_none_and_not_all_differ_here(condition: str) -> None:
    reply = planned(f'if {condition} in the bowl, put the green cube in the bin')
    assert ', or not all? Now there: red_cube, blue_cube' in reply.detail and not reply.steps


@pytest.mark.parametrize(('task', 'why'), [
    ('keep the red cube there if the bin is empty and put everything in the bin', 'make no task'),
    ('leave the blue cube alone unless the bin is empty, and put the cubes in the bin',
     'make no task'),
    ('put the cubes in the bin, and do not move the red cube if it is in the bowl',
     'make no task'),
    ('put the green cube in the bin unless no cube is not in the bowl', 'make no task'),
    ('if two cubes are not in the bowl, put the green cube in the bin', 'make no task'),
    ('if the red cube is in the bin, put the green cube in it, else put it on the table',
     "which one is 'it'? It could be red_cube, green_cube"),
    ('if the bowl is empty, put the green cube in it, then put the red cube in the bin',
     'what is meant'),
    ('if there is a lemon, put it in the bowl and afterwards put the green cube in the bin',
     'what is meant'),
    ('unless the bowl contains a cube, put the green cube in it and put the red cube in the bin',
     'what is meant'),
    ('put the green cube in the bin and put the red cube in the bin if the bowl is empty',
     'what is meant'),
    ('Is there a lemon? If so, put it in the bin, then put the green cube in the bowl',
     'what is meant'),
    ('put the green cube in the bin and the red one in the bowl if the bowl is empty',
     'make no task'),
    ('Put the green cube in the bin if the bowl is empty. The same with the red cube.',
     'make no task'),
])
def test_what_may_mean_two_things_is_refused(task: str, why: str) -> None:
    reply = planned(task)
    assert reply.kind in (ReplyKind.UNRECOGNIZED, ReplyKind.FAILED) and why in reply.detail


@pytest.mark.parametrize(('task', 'goal'), [
    ('if the bowl is empty, put the green cube in it, otherwise put it in the bin',
     'in(green_cube, bin)'),
    ('if there is nothing in the bowl, put the blue cube in the bin, else put it next to the bin',
     'near(blue_cube, bin)'),
    ('if the green cube is in the bin, put it in the bowl, otherwise put it in the bin',
     'in(green_cube, bin)'),
])
def test_it_is_the_thing_of_the_order_and_not_what_the_condition_looked_into(task: str, goal: str
                                                                              ) -> None:
    assert goals(task) == [goal]
    nobody = planned('if a cube is in the bin, put it in the bowl, otherwise put it on the table')
    assert "what is 'it'?" in nobody.detail


@pytest.mark.parametrize(('task', 'why'), [
    ('if there is a banana, put the green cube in the bin', 'no banana is on the table'),
    ('if three cubes are in the bowl, put the green cube in the bin',
     'exactly 2 cubes are in the bowl'),
    ('if all cubes are in the bowl, put the green cube in the bin',
     'the green cube is not in the bowl'),
    ('if a ball or a can is in the bowl, put the green cube in the bin',
     'no ball is in the bowl, and no can is in the bowl'),
    ('put the green cube in the bin unless a cube is not in the bin',
     'the red cube is not in the bin'),
    ('if a cube is in the bin, put the green cube in the bin, else do nothing',
     'no cube is in the bin'),
])
def test_an_order_whose_condition_is_false_is_done_and_says_why(task: str, why: str) -> None:
    told = f'nothing is done about "put the green cube in the bin", because {why}'
    reply = planned(task)
    assert reply.kind is ReplyKind.DONE and reply.goals and reply.warnings == (told,)
    assert told in planned(f'Go home. {task}').warnings


@pytest.mark.parametrize('join', [' and', ', then', ' and then'])
def test_a_condition_after_a_pick_and_a_placement_may_be_about_both(join: str) -> None:
    reply = planned(f'pick up the green cube{join} put it in the bin if there is a ball')
    assert reply.kind is not ReplyKind.DONE
    assert reply.detail == ('what is meant: the condition is about "pick up the green cube" and '
                            '"put it in the bin", or only about "put it in the bin"?')


def test_what_a_condition_leaves_out_does_not_end_what_is_held() -> None:
    assert 'holding(green_cube)' in goals(
        'pick up the green cube. If there is a ball, put it in the bin')


@pytest.mark.parametrize('condition', ['the bin is empty', 'there is a cube in the bin',
                                       'nothing is in the bin', 'at most one cube is in the bin'])
def test_what_walls_hide_decides_no_condition(condition: str) -> None:
    scene = SCENES['bowl_full']
    deep = replace(scene, objects=tuple(replace(o, inside_hidden=o.name == 'bin')
                                        for o in scene.objects))
    reply = SearchPlanner(READER).plan(
        PlanRequest(f'if {condition}, pick up the green cube', deep, SKILLS), Context())
    assert reply.kind is ReplyKind.FAILED and 'its walls hide' in reply.detail


def test_what_is_seen_elsewhere_is_not_behind_walls() -> None:
    scene = SCENES['bowl_full']
    deep = replace(scene, objects=tuple(replace(o, inside_hidden=o.name == 'bin')
                                        for o in scene.objects))
    task = 'pick up the green cube unless the green cube is in the bin'
    assert SearchPlanner(READER).plan(PlanRequest(task, deep, SKILLS), Context()).steps
