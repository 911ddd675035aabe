# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planner of one's own: the words of the task are judged, or what the planner claims."""

from __future__ import annotations

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.app.build.own_planner import own_planner
from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.execute.skills.standard import standard_skills

CUBE = SceneObject('red_cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.02)), 'red')
BLUE = SceneObject('blue_cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, -0.2, 0.02)), 'blue')
BOWL = SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.055), Pose((0.5, 0.3, 0.0275)), 'white')
TABLE = SceneObject('table', Shape.TABLE, (0.9, 1.2, 0.04), Pose((0.45, 0.0, -0.02)), 'wood',
                    movable=False)
SCENE = Scene('s', 0.0, (CUBE, BLUE, BOWL, TABLE), 'fake', hand=PANDA.hand)
ON_TABLE = Goal(Predicate.ON, 'red_cube', 'table')
HOLDING = Goal(Predicate.HOLDING, 'red_cube')
HOME = (Step(1, 'home'),)


def planned(answer, task: str, viewpoint: str = 'arm', **known) -> PlanReply:
    request = PlanRequest(task, SCENE, standard_skills().specs(), **known)
    planner = own_planner(lambda asked, ctx: answer, build_reader(viewpoint))
    return planner.plan(request, Context())


def goals(answer, task: str, **known) -> tuple[Goal, ...]:
    return planned(answer, task, **known).goals


def test_the_goal_in_the_words_of_the_task_is_judged():
    assert goals(HOME, 'pick up the red cube') == (HOLDING,)
    assert goals(PlanReply(ReplyKind.DONE), 'pick up the red cube') == (HOLDING,)


@pytest.mark.parametrize('kind', [ReplyKind.STEPS, ReplyKind.DONE, ReplyKind.GIVE_UP])
def test_words_with_one_reading_are_judged_whatever_the_planner_names(kind):
    steps = HOME if kind is ReplyKind.STEPS else ()
    reply = planned(PlanReply(kind, steps, (ON_TABLE,)), 'put the red cube in the bowl')
    assert reply.goals == (Goal(Predicate.IN, 'red_cube', 'bowl'),) and reply.goals_certain
    assert 'the planner named on(red_cube, table)' in reply.warnings[-1]


@pytest.mark.parametrize('task', ['wave hello', 'hand me the red cube', 'look around'])
def test_a_goal_that_only_the_planner_names_is_a_claim(task):
    reply = planned(PlanReply(ReplyKind.STEPS, HOME, (ON_TABLE,)), task)
    assert reply.goals == (ON_TABLE,) and not reply.goals_certain


def test_a_goal_that_cannot_be_judged_is_left_to_the_check_of_the_plan():
    wrong = Goal(Predicate.IN, 'red_cube', 'no_such_bowl')
    reply = planned(PlanReply(ReplyKind.STEPS, HOME, (wrong,)), 'put the red cube in the bowl')
    assert reply.goals == (wrong,) and not reply.goals_certain


@pytest.mark.parametrize(('viewpoint', 'name'), [('arm', 'red_cube'), ('person', 'blue_cube')])
def test_left_in_the_words_is_that_of_the_viewpoint(viewpoint, name):
    assert goals(HOME, 'pick up the leftmost cube', viewpoint=viewpoint) == (
        Goal(Predicate.HOLDING, name),)


def test_words_that_are_not_understood_name_no_goal():
    reply = planned(HOME, 'wave hello')
    assert reply.goals == () and reply.goals_certain


def test_the_goals_of_an_earlier_plan_stay():
    assert goals(HOME, 'wave hello', goals=(HOLDING,)) == (HOLDING,)


def test_a_claim_of_an_earlier_plan_stays_a_claim():
    reply = planned(HOME, 'wave hello', goals=(ON_TABLE,), goals_certain=False)
    assert reply.goals == (ON_TABLE,) and not reply.goals_certain
