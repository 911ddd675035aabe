"""What follows a vague order replaces it only if it says what goes where."""

from __future__ import annotations

import pytest
from hand_scenes import SCENES

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

READER = build_reader()
SKILLS = standard_skills().specs()
ALL = {'red_cube', 'blue_cube', 'green_cylinder', 'yellow_bar'}


def planned(task: str) -> PlanReply:
    return SearchPlanner(READER).plan(PlanRequest(task, SCENES['tabletop'], SKILLS), Context())


@pytest.mark.parametrize('task', [
    'clear the table: the bowl should be empty', 'clear the table: nothing goes in the bowl',
    'clear the table: look first', 'clear the table: open the gripper',
    'clear the table: go home', 'clear the table: pick up the red cube first',
    'clear the table - go home', 'put everything away: no cubes in the bowl'])
def test_the_table_is_still_cleared_if_what_follows_moves_nothing_to_a_place(task: str) -> None:
    reply = planned(task)
    assert {step.args['object'] for step in reply.steps if step.skill == 'pick'} == ALL


@pytest.mark.parametrize('task', [
    'clear the table: the red cube should be on the table',
    'clear the table: put the red cube on the table',
    'clear the table: keep the red cube on the table',
    'clear the table: the red cube stays on the table'])
def test_what_stays_on_the_table_is_an_exception(task: str) -> None:
    goals = [str(goal) for goal in planned(task).goals]
    assert goals[0] == 'in(all thing except red_cube, bin)'


@pytest.mark.parametrize('order', [
    'put the red cube in the bowl', 'place the red cube in the bowl', 'the red cube in the bowl',
    'the red cube goes in the bowl', 'the red cube belongs in the bowl'])
def test_an_order_that_says_what_goes_where_replaces_it(order: str) -> None:
    assert [str(goal) for goal in planned(f'clear the table: {order}').goals] == [
        'in(red_cube, bowl)']


@pytest.mark.parametrize('limit', ['first', 'if there is a hammer', 'unless it is dirty',
                                   'and keep the bar', 'until it is full'])
def test_an_order_with_a_limit_does_not_replace_it(limit: str) -> None:
    reply = planned(f'clear the table: put the red cube in the bowl {limit}')
    assert reply.kind is not ReplyKind.STEPS or len(
        {step.args['object'] for step in reply.steps if step.skill == 'pick'}) > 1
