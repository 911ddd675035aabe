"""Goals that a model's plan leaves out go back to it once."""

from __future__ import annotations

import json

import pytest

from replan_agent.bench.worlds.sentence_scenes import SCENES
from replan_agent.domain.chat import ChatReply
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanRequest, Step
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.asking.left_out import left_out
from replan_agent.plan.asking.ways import Asking
from replan_agent.plan.validation import PlanValidator
from replan_agent.plan.vlm import VLMPlanner

SKILLS = standard_skills().specs()
REQUEST = PlanRequest('red and blue into the bowl, would you', SCENES['tabletop'], SKILLS)
GOALS = (Goal(Predicate.IN, 'red_cube', 'bowl'), Goal(Predicate.IN, 'blue_cube', 'bowl'))
RED = (Step(1, 'pick', {'object': 'red_cube'}), Step(2, 'place_in', {'target': 'bowl'}))


def moves(*names: str) -> list[dict[str, str]]:
    return [step for name in names for step in ({'skill': 'pick', 'object': name},
                                                {'skill': 'place_in', 'target': 'bowl'})]


class Model:
    """Names both goals, and plans for these objects, one list for each call."""

    name = 'forgetful'

    def __init__(self, *plans: list[dict[str, str]]) -> None:
        self.plans, self.heard = list(plans), []

    def complete(self, messages, tools, ctx, form=None):
        self.heard.append(messages)
        goals = [{'predicate': g.predicate.value, 'object': g.object, 'target': g.target}
                 for g in GOALS]
        return ChatReply(json.dumps({'goals': goals, 'steps': self.plans.pop(0)}))


def planned(model: Model):
    planner = VLMPlanner(model, PlanValidator(WorkspaceConfig(), 20),
                         asking=Asking('json_schema', 'compact'))
    return planner.plan(REQUEST, Context())


def test_a_plan_that_leaves_out_a_goal_goes_back_once():
    model = Model(moves('red_cube'), moves('red_cube', 'blue_cube'))
    assert len(planned(model).steps) == 4
    assert 'no step moves blue_cube' in str(model.heard[1][-1])


def test_a_plan_that_still_leaves_it_out_is_used_as_it_is():
    model = Model(moves('red_cube'), moves('red_cube'))
    assert len(planned(model).steps) == 2 and len(model.heard) == 2


@pytest.mark.parametrize(('goals', 'steps'), [
    (GOALS[:1], RED),
    (GOALS, (*RED, Step(3, '__replan__', {}))),  # the rest is planned later
    ((Goal(Predicate.NEAR, 'blue_cube', 'red_cube'),), RED),  # the other one may come
    ((Goal(Predicate.CLEAR, 'bowl'), Goal(Predicate.HOME)), RED),
    ((Goal(Predicate.ON, 'blue_cube', 'table'),), RED),  # it is so already
    (GOALS, ())])
def test_what_may_still_come_about_is_not_left_out(goals, steps):
    assert not left_out(goals, steps, REQUEST)
