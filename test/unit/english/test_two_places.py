# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Places and order: two places for one thing are a question, or one after the other."""

from __future__ import annotations

import pytest
from hand_scenes import SCENES

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

READER = build_reader()
SKILLS = standard_skills().specs()


def planned(task: str) -> PlanReply:
    return SearchPlanner(READER).plan(PlanRequest(task, SCENES['tabletop'], SKILLS), Context())


@pytest.mark.parametrize('task', [
    'put the red cube in the bowl and put the red cube in the bin',
    'put the red cube in the bowl and put it in the bin',
    'put the red cube in the bowl and the red one in the bin',
    'put the red cube both in the bowl and in the bin',
    'put the red cube in the bowl and in the bin',
    'pick up the red cube and put it in the bowl and put it in the bin',
    'put the red cube to the left of the bowl and put it near the bin',
    'put the red cube in the bowl and put both cubes in the bin',
    'hand me the red cube and put it in the bowl',
    'stack the red cube on the blue cube and put the red cube in the bowl',
    'put the red cube in the bowl, then put it in the bin and put it on the table'])
def test_without_then_two_places_for_one_thing_are_asked_about(task: str) -> None:
    reply = planned(task)
    assert reply.kind is ReplyKind.FAILED and reply.cause is Cause.TWO_PLACES
    assert 'which place counts' in reply.detail and not reply.steps and not reply.goals


@pytest.mark.parametrize('task', [
    'put the red cube in the bowl, then in the bin',
    'put the red cube in the bowl and then put it in the bin',
    'first put the red cube in the bowl, then put it in the bin',
    'Put the red cube in the bowl. Put the red cube in the bin.',
    'put the red cube in the bowl; after that put it in the bin',
    'put the red cube in the bowl, afterwards move the red one to the bin',
    'put the red cube in the bowl, next put it in the bin',
    'put the red cube in the bowl before you put it in the bin'])
def test_with_then_or_in_two_sentences_it_goes_to_one_place_after_the_other(task: str) -> None:
    reply = planned(task)
    assert [step.args.get('target') for step in reply.steps] == [None, 'bowl', None, 'bin']
    assert [str(goal) for goal in reply.goals] == ['in(red_cube, bin)']


@pytest.mark.parametrize('task', [
    'Put the red cube next to the bowl. On the left.',
    'Put the red cube next to the bowl; to the left.',
    'put the red cube in the bowl. In the bin?',
    'put the red cube in the bowl. Maybe in the bin.',
    'put the red cube in the bowl. In the bin.',
    'put the red cube in the bowl; in the bin',
    'put the red cube in the bowl! On the table!',
    'put the cubes in the bowl. In the bin.',
    'put the red cube on the table. Behind the bin.',
    'put the red cube beside the bowl. In front of it.',
    'put the red cube in the bowl before in the bin',
    'put the red cube in the bowl and the blue one in the bin, then on the table'])
def test_a_place_alone_in_a_sentence_is_not_done_after_the_first(task: str) -> None:
    reply = planned(task)
    assert reply.kind is not ReplyKind.STEPS and not reply.steps and not reply.goals


@pytest.mark.parametrize('task', [
    'put the red cube in the bowl. Then in the bin.',
    'put the red cube in the bowl; after that in the bin'])
def test_after_then_a_place_alone_is_the_next_place(task: str) -> None:
    reply = planned(task)
    assert [step.args.get('target') for step in reply.steps] == [None, 'bowl', None, 'bin']


@pytest.mark.parametrize(('task', 'goals'), [
    ('put all cubes in the bowl and put the red cube in the bin',
     ['in(all cube except red_cube, bowl)', 'in(red_cube, bin)']),
    ('move the red cube 5 cm to the left and move it 5 cm forward',
     ['at(red_cube, 0.510, 0.150)']),
    ('put the red cube in the bowl and take it out', ['not in(red_cube, bowl)']),
    ('put the red cube in the bowl and put the red cube in the bowl', ['in(red_cube, bowl)'])])
def test_an_exception_a_way_in_two_parts_and_a_repetition_are_no_conflict(
        task: str, goals: list[str]) -> None:
    assert [str(goal) for goal in planned(task).goals] == goals


@pytest.mark.parametrize(('task', 'goals'), [
    ('turn the bar to 90 degrees', 'turned(yellow_bar, 90 deg)'),
    ('gather up the cubes and put them in the bowl', 'in(all cube, bowl)'),
    ("after you've put the red cube in the bin, put the can in the bowl",
     'in(red_cube, bin), in(green_cylinder, bowl)'),
    ('if the bowl is empty, put the red cube there; otherwise put the can in the bin',
     'in(red_cube, bowl)'),
    ('lay the can on the red cube', ''), ('stand the bar next to the bin', ''),
    ('stand the bar up', ''), ('lay the can on its side', '')])
def test_ways_to_say_where_and_how(task: str, goals: str) -> None:
    assert ', '.join(map(str, planned(task).goals)) == goals


def test_what_has_no_room_halfway_between_two_things_does_not_push_them_aside() -> None:
    reply = planned('put the bowl halfway between the blue cube and the red cube')
    assert not reply.steps and 'no room between blue_cube and red_cube' in reply.detail


def test_no_cube_left_of_another_is_not_said_about_what_lies_on_it() -> None:
    assert not planned('no cube should be left of another cube').goals
    assert planned('no cube should be on another cube').goals


def test_what_is_kept_out_of_a_place_is_not_told_where_to_go() -> None:
    reply = planned('keep the cubes out of the bowl and put everything in it')
    assert reply.kind is ReplyKind.FAILED and not reply.goals
