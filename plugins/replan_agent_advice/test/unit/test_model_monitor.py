# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model next to the rules: asked about plans only, limited, and never trusted blindly."""

from __future__ import annotations

import json

import pytest
from model_server import completion
from replan.watched import inside, move, plan, scene, view
from replan_agent_advice.model_monitor import LONGEST, ModelMonitor

from replan_agent.domain.chat import ChatReply, ModelError, ModelFailure, ToolCall
from replan_agent.domain.context import BudgetExhausted, Context
from replan_agent.domain.suggested_plan import MOST_GOALS, SuggestedGoal, SuggestedPlan
from replan_agent.domain.task_view import Guidance
from replan_agent.vlm.reply import parse_reply

PLAN = plan(*move('red', 'bowl'))
VIEW = view(
    scene(),
    inside('red'),
    suggested_plan=SuggestedPlan((SuggestedGoal('red away', inside('red')),)),
)
FROM_RULES = Guidance('undone_work', 'by the rules')


class Rules:
    def __init__(self, says=None):
        self.says = says

    def review(self, plan, view, ctx):
        return self.says

    watch = review


class Model:
    name = 'scripted'

    def __init__(self, *calls, error=None):
        self.calls, self.error, self.asked = calls, error, []

    def complete(self, messages, tools, ctx):
        self.asked.append(messages)
        if self.error:
            raise self.error
        return ChatReply('', self.calls)


def report(**arguments):
    return ToolCall('report_problem', arguments)


def review(model, rules=None, seen=VIEW, ctx=None):
    return ModelMonitor(Rules(rules), model).review(PLAN, seen, ctx or Context())


def test_what_the_model_reports_is_guidance_with_goals_in_words():
    guidance = review(Model(report(problem='no_progress', guidance='go\nleft', goals=['a', 'b'])))
    assert guidance == Guidance('no_progress', 'go left', (SuggestedGoal('a'), SuggestedGoal('b')))


@pytest.mark.parametrize('calls', [
    (ToolCall('no_problem'),), (), (report(problem='no_progress'),),
    (report(problem='x', guidance=' '),), (report(guidance=['a']),)])
def test_a_model_that_reports_nothing_usable_is_silent(calls):
    assert review(Model(*calls)) is None


def test_the_text_of_a_model_is_cut_at_a_limit():
    guidance = review(Model(report(problem='doom', guidance='x' * 9999, goals=['y' * 999] * 99)))
    assert guidance.problem == 'clear_error' and len(guidance.text) == LONGEST
    assert len(guidance.goals) == MOST_GOALS and len(guidance.goals[0].text) < 300


def test_if_the_rules_find_a_problem_the_model_is_not_asked():
    model = Model(ToolCall('no_problem'))
    assert review(model, FROM_RULES) is FROM_RULES and not model.asked


def test_after_a_step_only_the_rules_look():
    model = Model(report(problem='no_progress', guidance='stop'))
    assert ModelMonitor(Rules(FROM_RULES), model).watch(PLAN, VIEW, Context()) is FROM_RULES
    assert not model.asked


def test_calls_are_kept_for_the_plans():
    model = Model(report(problem='no_progress', guidance='stop'))
    assert review(model, ctx=Context(calls_left=lambda: 2)) is None and not model.asked
    assert review(model, ctx=Context(calls_left=lambda: 3)) is not None


def test_a_model_gives_guidance_only_a_few_times_per_task():
    model = Model(report(problem='no_progress', guidance='stop'))
    seen = view(scene(), guidance=(FROM_RULES, FROM_RULES))
    assert review(model, seen=seen) is None and not model.asked


def test_a_model_that_cannot_be_reached_says_so():
    with pytest.raises(ModelError):
        review(Model(error=ModelError(ModelFailure.TIMEOUT, 'no answer')))


def test_the_model_sees_plan_scene_goals_and_the_suggested_plan():
    model = Model()
    review(model)
    system, user = model.asked[0]
    told = json.loads(user.parts[0].text)['watched']
    assert told['plan'][0] == {'skill': 'pick', 'args': {'object': 'red'}}
    assert told['goals'] == ['in(red, bowl)'] and told['objects'][0]['name'] == 'red'
    assert user.parts[1].text.startswith('**SUGGESTED PLAN:**')
    assert 'for reference' in system.parts[0].text


def test_calls_that_plans_need_are_not_spent_on_retries():
    left = [4]

    def spend(what):
        left[0] -= 1

    class Retrying(Model):
        """Asks again and again, like a client without an answer."""

        def complete(self, messages, tools, ctx):
            while True:
                ctx.spend_call('asking')

    ctx = Context(spend_call=spend, calls_left=lambda: left[0])
    with pytest.raises(BudgetExhausted, match='the last 2 are kept for plans'):
        ModelMonitor(Rules(), Retrying()).review(PLAN, VIEW, ctx)
    assert left == [2]


class Answering(Model):
    """A model whose answer is the body of a reply over HTTP."""

    def __init__(self, arguments: str):
        super().__init__()
        self.arguments = arguments

    def complete(self, messages, tools, ctx):
        return parse_reply(json.dumps(completion([('report_problem', self.arguments)])))


@pytest.mark.parametrize('arguments', ['{"a":' + '[' * 100_000, '[' * 90 + ']' * 90, '{'])
def test_a_report_that_cannot_be_read_is_a_typed_error(arguments):
    with pytest.raises(ModelError) as error:
        review(Answering(arguments))
    assert error.value.reason is ModelFailure.BAD_TOOL_ARGUMENTS


def test_a_report_with_a_number_of_400_digits_is_read():
    said = review(Answering('{"guidance": "go left", "problem": ' + '9' * 400 + '}'))
    assert said == Guidance('clear_error', 'go left')
