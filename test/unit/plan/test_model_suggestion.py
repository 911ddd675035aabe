# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Suggested plans: from the task's words, from a model, and shown again with every request."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.chat import ChatReply, ToolCall
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanRequest, ReplyKind
from replan_agent.domain.suggested_plan import MOST_GOALS, SuggestedGoal, SuggestedPlan
from replan_agent.plan.model import prompts
from replan_agent.plan.model.asking.ways import Asking
from replan_agent.plan.model.reply.model_suggestion import read_suggested_plan
from replan_agent.plan.model.vlm import VLMPlanner
from replan_agent.plan.search.search_planner import SearchPlanner
from replan_agent.plan.validation import PlanValidator

READER = build_reader()
BOTH = 'put the red cube in the bowl then put the blue cube in the bowl'
RED_IN = SuggestedGoal('the red cube should be in the bowl',
                       Goal(Predicate.IN, 'red_cube', 'bowl'))
BLUE_IN = SuggestedGoal('the blue cube should be in the bowl',
                        Goal(Predicate.IN, 'blue_cube', 'bowl'))
DONE_WHEN = {'predicate': 'in', 'object': 'red_cube', 'target': 'bowl'}
PLAN = (ToolCall('pick', {'object': 'red_cube'}), ToolCall('place_on', {'target': 'bowl'}))


@pytest.fixture
def stub(make_scene, skills):
    def stub(task, **more):
        return SearchPlanner(READER).plan(
            PlanRequest(task, make_scene(), skills, **more), Context())

    return stub


@pytest.fixture
def request_for(make_scene, skills):
    def request_for(**more):
        return PlanRequest('put the red cube in the bowl', make_scene(), skills, **more)

    return request_for


def suggest(*goals):
    return ToolCall('suggest_plan', {'goals': list(goals)})


def test_the_words_of_a_task_give_its_goals_with_their_predicates(stub):
    assert stub(BOTH).suggested_plan == SuggestedPlan((RED_IN, BLUE_IN))


@pytest.mark.parametrize(('task', 'texts'), [
    ('pick up the red cube', ['the red cube should be in the gripper']),
    ('stack the red cube on the blue cube then go home',
     ['the red cube should be on the blue cube', 'the arm should be at home']),
    ('place the red cube at (0.4, -0.2)', ['the red cube should be where the task wants it']),
    ('pick up the red cube then open the gripper',
     ['the red cube should be in the gripper', 'Open the gripper']),
])
def test_goals_say_what_but_not_how_or_where_in_metres(stub, task, texts):
    assert [g.text for g in stub(task).suggested_plan.goals] == texts


def test_a_task_without_anything_to_see_has_no_suggested_plan(stub):
    assert stub('look').suggested_plan is None


def test_the_current_suggested_plan_is_not_suggested_again(stub):
    first = stub(BOTH)
    assert (
        stub(BOTH, suggested_plan=first.suggested_plan, goals=first.goals).suggested_plan is None
    )


def test_goals_that_differ_from_the_current_ones_make_a_new_suggestion(stub):
    other = (Goal(Predicate.IN, 'green_cube', 'bowl'),)
    assert stub(
        BOTH, suggested_plan=SuggestedPlan(()), goals=other
    ).suggested_plan == SuggestedPlan((RED_IN, BLUE_IN))


def test_a_model_may_give_goals_with_and_without_predicates(request_for):
    suggested_plan, remarks = read_suggested_plan(
        {'goals': [{'text': 'clear\nthe bowl'}, {'text': 'red away', 'done_when': DONE_WHEN}]},
        request_for(), READER.word)
    assert suggested_plan == SuggestedPlan((SuggestedGoal('clear the bowl'),
                               SuggestedGoal('red away', RED_IN.goal)))
    assert not remarks


@pytest.mark.parametrize(('entry', 'remark'), [
    ({'text': 'x', 'done_when': {'predicate': 'in', 'object': 'unicorn', 'target': 'bowl'}},
     'cannot be judged'),
    ({'text': 'x', 'done_when': 'soon'}, 'cannot be judged'),
    ({'text': ' '}, 'no words'), ({'done_when': DONE_WHEN}, 'no words'), (None, 'no words'),
    ([], 'no words')])
def test_a_goal_that_cannot_be_read_is_remarked_on_and_others_count(request_for, entry, remark):
    arguments = {'goals': [entry, {'text': 'red away'}]}
    suggested_plan, remarks = read_suggested_plan(arguments, request_for(), READER.word)
    assert suggested_plan.goals[-1].text == 'red away' and all(
        g.goal is None for g in suggested_plan.goals
    )
    assert remark in remarks[0] and len(remarks) == 1


@pytest.mark.parametrize('arguments', [{}, {'goals': 'all of them'}, {'goals': None}])
def test_arguments_that_are_not_a_list_of_goals_are_left_out(request_for, arguments):
    suggested_plan, remarks = read_suggested_plan(arguments, request_for(), READER.word)
    assert suggested_plan is None and remarks


def test_a_suggested_plan_has_a_limited_number_of_goals(request_for):
    suggested_plan, remarks = read_suggested_plan(
        {'goals': ['more'] * 1000}, request_for(), READER.word)
    assert len(suggested_plan.goals) == MOST_GOALS and '1000' in remarks[0]


@pytest.mark.parametrize(('text', 'what'), [
    ('pick(red_cube), then go on', 'the skill pick'), ('Pick up the red cube', 'the skill pick'),
    ('clear the bowl and pick the blue cube', 'the skill pick'),
    ('use place_on for the red cube', 'the skill place_on'),
    ('bring the red cube to x=0.45 y=0.15', 'coordinates'),
    ('the red cube at (0.4, -0.2)', 'coordinates'), ('go to (100, 200)', 'coordinates')])
def test_a_goal_that_says_how_is_refused(request_for, text, what):
    suggested_plan, remarks = read_suggested_plan(
        {'goals': [{'text': text}, {'text': text, 'done_when': DONE_WHEN}]},
        request_for(), READER.word)
    assert suggested_plan == SuggestedPlan((RED_IN,))
    assert len(remarks) == 2 and all(f'names {what}' in remark for remark in remarks)


@pytest.mark.parametrize('text', [
    'Build a stack of 3 cubes', 'Have a clear look at the pile', 'Bring the arm home',
    'Move 2 cubes, the red and the blue one, out of the way'])
def test_a_goal_that_says_what_is_kept_as_it_is(request_for, text):
    assert read_suggested_plan({'goals': [text]}, request_for(), READER.word) == (
        SuggestedPlan((SuggestedGoal(text),)), ())


def test_the_markers_of_completed_steps_are_no_words_of_a_goal(request_for):
    suggested_plan, _ = read_suggested_plan({'goals': ['clear the bowl [COMPLETED]']},
                                            request_for(), READER.word)
    assert suggested_plan == SuggestedPlan((SuggestedGoal('clear the bowl'),))


def test_without_planning_the_model_is_not_asked_for_a_suggested_plan(request_for):
    def asked(suggests):
        return Asking(suggests=suggests).opening(request_for(), None, 'arm')

    with_it, without = asked(True), asked(False)
    assert 'suggest_plan' in with_it.messages[0].parts[0].text
    assert 'suggest_plan' in {tool.name for tool in with_it.tools}
    assert 'suggest' not in without.messages[0].parts[0].text
    assert 'suggest_plan' not in {tool.name for tool in without.tools}


class OneReply:
    name = 'scripted'

    def __init__(self, *calls):
        self.calls = calls
        self.asked = []

    def complete(self, messages, tools, ctx):
        self.asked.append(messages)
        return ChatReply('', self.calls)


def asked(request, *calls):
    model = OneReply(*calls)
    check = PlanValidator(WorkspaceConfig(), max_steps=20)
    return VLMPlanner(model, check, READER).plan(request, Context()), model


def test_a_models_suggestion_comes_with_its_plan_and_is_not_a_step(request_for):
    reply, model = asked(request_for(), suggest({'text': 'red away', 'done_when': DONE_WHEN}),
                         *PLAN)
    assert reply.suggested_plan == SuggestedPlan((SuggestedGoal('red away', RED_IN.goal),))
    assert [s.skill for s in reply.steps] == ['pick', 'place_on'] and len(model.asked) == 1


def test_a_bad_suggestion_does_not_spoil_the_plan(request_for):
    reply, model = asked(request_for(), suggest(7), *PLAN)
    assert reply.kind is ReplyKind.STEPS and reply.suggested_plan is None and len(model.asked) == 1
    assert 'no words' in reply.warnings[0]


def test_every_request_shows_the_suggested_plan_and_how_far_it_got(request_for):
    suggested_plan = SuggestedPlan((replace(RED_IN, done=True), BLUE_IN))
    texts = [
        p.text for p in prompts.opening(request_for(suggested_plan=suggested_plan), None)[1].parts
    ]
    assert '**Progress Step:** 2' in texts[-1] and RED_IN.text in texts[-1]


def test_without_one_nothing_is_shown(request_for):
    assert 'SUGGESTED PLAN' not in str(prompts.opening(request_for(), None)[1:])


def test_guidance_asks_to_revise_the_incomplete_goals_only(request_for):
    request = request_for(context={'optimization_guidance': 'leave\nthe red cube alone'},
                          suggested_plan=SuggestedPlan((RED_IN,)))
    *_, message = prompts.opening(request, None)
    heading, told, revise = (part.text for part in message.parts)
    assert message.role == 'user' and heading == prompts.GUIDANCE
    assert json.loads(told) == 'leave\nthe red cube alone' and '\n' not in told
    assert 'not completed' in revise and 'suggest_plan' in revise


def test_guidance_is_shown_once_and_other_context_stays(request_for):
    request = request_for(context={'optimization_guidance': 'beware', 'failed_at_step': 2})
    situation = json.loads(prompts.opening(request, None)[1].parts[0].text)
    assert situation['context'] == {'failed_at_step': 2}
