# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A loop whose end is a goal: all that it takes are meant, or it asks."""

from __future__ import annotations

import pytest
from hand_scenes import SCENES

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

SKILLS = standard_skills().specs()


def planned(task: str) -> PlanReply:
    request = PlanRequest(task, SCENES['tabletop'], SKILLS)
    return SearchPlanner(build_reader()).plan(request, Context())


@pytest.mark.parametrize(('task', 'goal'), [
    ('move the cubes into the bin until none is left', 'in(all cube, bin)'),
    ('put cubes in the bin until no cube is left on the table', 'in(all cube, bin)'),
    ('put a cube in the bin until there are no more cubes', 'in(all cube, bin)'),
    ('keep putting cubes in the bowl until none of them are left', 'in(all cube, bowl)'),
    ('put everything in the bin until the table is empty', 'in(all thing, bin)'),
    ('take things out of the bowl until nothing is left in it', 'clear(bowl)'),
    ('put cubes in the bowl until there are two in it', 'in(exactly 2 cube, bowl)')])
def test_until_nothing_is_left_means_all_of_them(task: str, goal: str) -> None:
    assert [str(g) for g in planned(task).goals] == [goal]


@pytest.mark.parametrize('task', [
    'put the cubes in the bin until the table is empty',
    'put the red cube in the bin until no cube is left',
    'put everything in the bin until no cube is left'])
def test_an_end_that_the_order_does_not_lead_to_is_asked_about(task: str) -> None:
    reply = planned(task)
    assert reply.kind is ReplyKind.FAILED and 'which ones should go?' in reply.detail


@pytest.mark.parametrize('task', [
    'put cubes in the bin until it is full', 'put two cubes in the bin until none is left',
    'put things in the bin until there is one left', 'push the can until none is left',
    'put the can in the bin until i say stop'])
def test_an_end_that_nobody_can_judge_is_refused(task: str) -> None:
    assert planned(task).kind is ReplyKind.UNRECOGNIZED
