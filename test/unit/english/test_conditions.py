"""A condition is judged with its quantifier, as goals are. Red and blue cube are in the bowl."""

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


@pytest.mark.parametrize('task', [
    'keep the red cube there if the bin is empty and put everything in the bin',
    'leave the blue cube alone unless the bin is empty, and put the cubes in the bin',
    'put the cubes in the bin, and do not move the red cube if it is in the bowl',
    'if all cubes are not in the bowl, put the green cube in the bin',
    'if the cubes are not in the bin, put the green cube in it',
    'put the green cube in the bin unless no cube is not in the bowl',
])
def test_what_may_mean_two_things_is_refused(task: str) -> None:
    assert planned(task).kind in (ReplyKind.UNRECOGNIZED, ReplyKind.FAILED)


@pytest.mark.parametrize(('task', 'goal'), [
    ('if the bowl is empty, put the green cube in it, otherwise put it in the bin',
     'in(green_cube, bin)'),
    ('if there is nothing in the bowl, put the blue cube in the bin, else put it next to the bin',
     'near(blue_cube, bin)'),
    ('if a cube is in the bin, put it in the bowl, otherwise put it on the table', ''),
])
def test_it_is_the_thing_of_the_order_and_not_what_the_condition_looked_into(task: str, goal: str
                                                                              ) -> None:
    assert goals(task) == ([goal] if goal else [])


@pytest.mark.parametrize('task', [
    'if there is a banana, put the green cube in the bin',
    'if three cubes are in the bowl, pick up the red cube',
    'put the green cube in the bin if the red cube or the blue cube is in it',
])
def test_an_order_whose_condition_is_false_is_done_and_says_why(task: str) -> None:
    reply = planned(task)
    assert reply.kind is ReplyKind.DONE and len(reply.goals) == 1
    assert [w for w in reply.warnings if w.startswith('nothing is to be done')]
