"""A planner of one's own that names no goals: the words of the task are judged, if they can be."""

from __future__ import annotations

from replan_agent.app.build.own_planner import own_planner
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.execute.skills.standard import standard_skills

CUBE = SceneObject('red_cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.02)), 'red')
SCENE = Scene('s', 0.0, (CUBE,), 'fake')
HOLDING = Goal(Predicate.HOLDING, 'red_cube')
HOME = (Step(1, 'home'),)


def goals(answer, task: str, **known) -> tuple[Goal, ...]:
    request = PlanRequest(task, SCENE, standard_skills().specs(), **known)
    return own_planner(lambda asked, ctx: answer).plan(request, Context()).goals


def test_the_goal_in_the_words_of_the_task_is_judged():
    assert goals(HOME, 'pick up the red cube') == (HOLDING,)
    assert goals(PlanReply(ReplyKind.DONE), 'pick up the red cube') == (HOLDING,)


def test_a_goal_that_the_planner_names_stays():
    home = Goal(Predicate.HOME)
    assert goals(PlanReply(ReplyKind.STEPS, HOME, (home,)), 'pick up the red cube') == (home,)


def test_words_that_are_not_understood_name_no_goal():
    assert goals(HOME, 'wave hello') == ()


def test_the_goals_of_an_earlier_plan_stay():
    assert goals(HOME, 'wave hello', goals=(HOLDING,)) == (HOLDING,)
