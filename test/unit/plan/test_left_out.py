# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals that a model's plan leaves out or does not reach go back to it once."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import pytest
from hand_scenes import SCENES

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.chat import ChatReply
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanRequest, ReplyKind, Step
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.model.asking.left_out import left_out, not_reached, strays
from replan_agent.plan.model.asking.ways import Asking
from replan_agent.plan.model.vlm import SHOWN, VLMPlanner
from replan_agent.plan.validation import PlanValidator

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

    def __init__(self, *plans: list[dict[str, str]], goals: Sequence[Goal] = GOALS) -> None:
        self.plans, self.heard, self.goals = list(plans), [], goals

    def complete(self, messages, tools, ctx, form=None):
        self.heard.append(messages)
        goals = [{'predicate': g.predicate.value, 'object': g.object, 'target': g.target}
                 for g in self.goals]
        return ChatReply(json.dumps({'goals': goals, 'steps': self.plans.pop(0)}))


def planned(model: Model, request: PlanRequest = REQUEST):
    planner = VLMPlanner(model, PlanValidator(WorkspaceConfig(), 20), build_reader(),
                         asking=Asking('json_schema', 'compact'))
    return planner.plan(request, Context())


def test_a_plan_that_leaves_out_a_goal_goes_back_once():
    model = Model(moves('red_cube'), moves('red_cube', 'blue_cube'))
    assert len(planned(model).steps) == 4
    assert 'blue_cube' in str(model.heard[1][-1])


def test_a_plan_that_still_leaves_it_out_is_used_as_it_is():
    model = Model(*[moves('red_cube')] * 3)
    assert len(planned(model).steps) == 2 and len(model.heard) == 3


def test_after_two_plans_for_a_known_goal_the_model_is_shown_one_that_would_do():
    model = Model(moves('red_cube'), moves('red_cube'), moves('red_cube', 'blue_cube'))
    reply = planned(model)
    assert len(reply.steps) == 4 and SHOWN in reply.warnings
    shown = '"skill": "pick", "object": "blue_cube"'
    assert shown not in str(model.heard[1][-1]) and shown in str(model.heard[2][-1])


@pytest.mark.parametrize(('goals', 'steps'), [
    (GOALS[:1], RED),
    (GOALS, (*RED, Step(3, '__replan__', {}))),  # the rest is planned later
    ((Goal(Predicate.NEAR, 'blue_cube', 'red_cube'),), RED),  # the other one may come
    ((Goal(Predicate.CLEAR, 'bowl'), Goal(Predicate.HOME)), RED),
    ((Goal(Predicate.ON, 'blue_cube', 'table'),), RED),  # it is so already
    (GOALS, ())])
def test_what_may_still_come_about_is_not_left_out(goals, steps):
    assert not left_out(goals, steps, REQUEST)


HELD = Goal(Predicate.HOLDING, 'red_cube')
RIDDLE = PlanRequest('what has the colour of a cherry: bowl', SCENES['tabletop'], SKILLS)


def test_a_goal_that_the_steps_contradict_goes_back_once():
    model = Model(moves('red_cube'), moves('red_cube')[:1], goals=[HELD])
    assert len(planned(model, RIDDLE).steps) == 1
    assert 'holding(red_cube) is not true' in str(model.heard[1][-1])


def test_steps_that_still_contradict_the_goals_of_the_model_do_not_run():
    reply = planned(Model(moves('red_cube'), moves('red_cube'), goals=[HELD]), RIDDLE)
    assert reply.kind is ReplyKind.FAILED and 'holding(red_cube) is not true' in reply.detail
    assert not reply.steps and not reply.goals  # the next plan may name others


NEAR = PlanRequest('put the red cube next to the blue cube', SCENES['tabletop'], SKILLS)


def test_a_plan_that_misses_the_goal_in_the_words_is_told_free_places():
    on_it = [{'skill': 'pick', 'object': 'red_cube'}, {'skill': 'place_on', 'target': 'blue_cube'}]
    model = Model(on_it, on_it, on_it, goals=[Goal(Predicate.ON, 'red_cube', 'blue_cube')])
    assert planned(model, NEAR).steps  # the goal is certain: what is missing is planned later
    told = str(model.heard[1][-1])
    assert 'red_cube: place_at x=' in told


def test_a_free_place_that_is_told_reaches_the_goal():
    near = Goal(Predicate.NEAR, 'red_cube', 'blue_cube')
    [missed] = not_reached([near], (RED[0], Step(2, 'stack', {'target': 'blue_cube'})), NEAR, True)
    x, y = re.findall(r'[xy]=([-.\d]+)', missed.detail)[:2]
    there = (RED[0], Step(2, 'place_at', {'x': float(x), 'y': float(y)}))
    assert not not_reached([near], there, NEAR, True)


@pytest.mark.parametrize(('goal', 'steps'), [
    (GOALS[0], RED), (GOALS[1], RED), (HELD, RED[:1]), (HELD, (*RED, Step(3, '__replan__', {}))),
    (Goal(Predicate.ON, 'red_cube', 'bowl'), RED),  # in a container is on it, too
    (Goal(Predicate.UPRIGHT, 'red_cube'), RED), (Goal(Predicate.HOME), RED)])
def test_what_may_be_true_after_the_steps_is_not_missed(goal, steps):
    assert not not_reached([goal], steps, REQUEST, False)


def test_the_model_is_told_what_the_words_mean_if_the_grammar_can_read_them():
    model = Model(moves('red_cube', 'blue_cube'))
    planned(model, PlanRequest('put both cubes in the bowl', SCENES['tabletop'], SKILLS))
    assert '"task_means": ["in(red_cube, bowl)", "in(blue_cube, bowl)"]' in model.heard[0][
        -1].parts[0].text


def test_the_model_is_told_no_meaning_that_is_only_one_of_several():
    model = Model(moves('red_cube', 'blue_cube'))
    planned(model, PlanRequest('put a cube in the bowl', SCENES['tabletop'], SKILLS))
    assert 'task_means' not in str(model.heard[0])


ALL_BUT = PlanRequest('put everything except the yellow bar in the bin', SCENES['tabletop'],
                      SKILLS)


def test_a_plan_that_moves_what_the_words_leave_out_goes_back_and_then_fails():
    model = Model(*[moves('yellow_bar')] * 3)
    reply = planned(model, ALL_BUT)
    assert reply.kind is ReplyKind.FAILED and 'yellow_bar' in reply.detail
    assert 'yellow_bar' in str(model.heard[1][-1])


@pytest.mark.parametrize('goal, moved, is_stray', [
    (Goal(Predicate.IN, 'red_cube', 'bowl'), 'yellow_bar', True),
    (Goal(Predicate.IN, 'red_cube', 'bowl'), 'red_cube', False),
    (Goal(Predicate.AT, 'red_cube', position=(0.56, -0.06, 0.02)), 'blue_cube', False)])
def test_what_is_in_the_way_may_be_moved_and_nothing_else(goal, moved, is_stray):
    steps = (Step(1, 'pick', {'object': moved}), Step(2, 'place_on', {'target': 'table'}))
    assert bool(strays((goal,), steps, REQUEST)) is is_stray


def test_a_known_goal_is_not_asked_for_again():
    model = Model(moves('red_cube'))
    planned(model, PlanRequest('put the red cube in the bowl', SCENES['tabletop'], SKILLS))
    assert '"goals": what is true then' not in str(model.heard[0][0])
