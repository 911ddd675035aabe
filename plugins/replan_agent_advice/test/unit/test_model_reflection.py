# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model deepens the analysis over real HTTP; whatever it does, there is an answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from model_server import ModelServer
from replan.cases import slip
from replan_agent_advice.model_reflection import ModelReflector

from replan_agent.domain.chat import ChatReply
from replan_agent.domain.config import VLMConfig
from replan_agent.domain.context import BudgetExhausted, Cancelled, CancelToken, Context
from replan_agent.replan.reflect.reflection import RuleReflector
from replan_agent.vlm.client import ChatClient

pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")

ANSWER = {'root_cause': 'the pads are oily', 'contributing_factors': ['40 N on oil'],
          'suggestion': 'grip with all there is', 'changes': {'force': 70, 'object': 'blue_cube'},
          'preventable': True}
BY_RULES = RuleReflector().reflect(slip(), (), False, Context())


@contextmanager
def reflector(*misbehave: str, calls=(('explain_failure', ANSWER),)) -> Iterator[tuple]:
    with ModelServer(misbehave, rules=lambda request: calls) as server:
        config = VLMConfig(server.base_url, 'fake-model', timeout=2.0, max_retries=0)
        client = ChatClient(config, {})
        yield ModelReflector(RuleReflector(), client), server
        client.close()


def test_the_models_analysis_replaces_the_rules_when_it_goes_deep():
    with reflector() as (mind, server):
        deep = mind.reflect(slip(), (), True, Context())
    assert deep.root_cause == 'the pads are oily' and deep.by == 'fake-model'
    assert deep.error_type == BY_RULES.error_type and deep.preventable
    assert '39' in str(server.requests[0]['messages'])  # it got the evidence


def test_a_model_may_change_how_a_step_is_done_but_not_what_it_acts_on():
    with reflector() as (mind, _):
        fix = mind.reflect(slip(), (), True, Context()).fix
    assert fix.changes == {'force': 70} and fix.source == 'model'


def test_a_change_that_was_tried_already_is_not_taken_from_the_model():
    with reflector() as (mind, _):
        fix = mind.reflect(slip(force=70), (), True, Context()).fix
    assert fix.changes != {'force': 70}


def test_no_model_is_asked_for_a_shallow_reflection():
    with reflector() as (mind, server):
        assert mind.reflect(slip(), (), False, Context()) == BY_RULES
        assert not server.requests


def test_the_last_call_is_left_to_the_planner():
    with reflector() as (mind, server):
        ctx = Context(calls_left=lambda: 1)
        assert mind.reflect(slip(), (), True, ctx) == BY_RULES and not server.requests


@pytest.mark.parametrize('kind', ['http_500', 'hang', 'reset', 'html', 'refusal', 'truncated',
                                  'empty_choices', 'prose', 'bad_arguments', 'unknown_skill'])
def test_whatever_the_model_does_wrong_the_rules_answer(kind):
    with reflector(kind) as (mind, _):
        assert mind.reflect(slip(), (), True, Context()) == BY_RULES


@pytest.mark.parametrize('answer', [
    {}, {'root_cause': 7}, {'root_cause': ''}, {'suggestion': 'x'}])
def test_an_answer_without_a_root_cause_counts_as_none(answer):
    with reflector(calls=(('explain_failure', answer),)) as (mind, _):
        assert mind.reflect(slip(), (), True, Context()) == BY_RULES


def test_the_usable_parts_of_an_answer_with_wrong_types_are_used():
    odd = {'root_cause': 'oil', 'contributing_factors': 'many', 'changes': [1], 'suggestion': 3,
           'preventable': 'yes'}
    with reflector(calls=(('explain_failure', odd),)) as (mind, _):
        deep = mind.reflect(slip(), (), True, Context())
    assert deep.root_cause == 'oil' and deep.fix == BY_RULES.fix
    assert deep.contributing_factors == BY_RULES.contributing_factors


def test_a_budget_that_runs_out_in_the_call_leaves_the_rules_answer():
    def none_left(what: str) -> None:
        raise BudgetExhausted('none left')

    with reflector() as (mind, _):
        assert mind.reflect(slip(), (), True, Context(spend_call=none_left)) == BY_RULES


def test_a_cancel_is_never_swallowed():
    token = CancelToken()
    token.cancel('enough')
    with reflector('hang') as (mind, _), pytest.raises(Cancelled):
        mind.reflect(slip(), (), True, Context(cancel=token))


class Saying:
    """A model that answers with this text."""

    name = 'fake-model'

    def __init__(self, text: str) -> None:
        self.text = text

    def complete(self, messages, tools, ctx):
        return ChatReply(self.text)


@pytest.mark.parametrize('text', [
    '{"a":' + '[' * 100_000, '{"root_cause": ' + '[' * 100_000 + ']' * 100_000 + '}',
    '{"changes": ' + '9' * 5000 + '}', '{' * 200_000, '}{', '{}', '[' * 100_000 + '}'],
    ids=['deep', 'closed', 'digits', 'open', 'turned', 'empty', 'list'])
def test_text_that_is_no_answer_leaves_the_rules_answer(text):
    mind = ModelReflector(RuleReflector(), Saying(text))
    assert mind.reflect(slip(), (), True, Context()) == BY_RULES


def test_a_change_to_a_number_of_400_digits_is_left_out():
    text = '{"root_cause": "oil", "changes": {"force": ' + '9' * 400 + '}}'
    found = ModelReflector(RuleReflector(), Saying(text)).reflect(slip(), (), True, Context())
    assert found.root_cause == 'oil' and (found.fix is None or 'force' not in found.fix.changes
                                          or found.fix == BY_RULES.fix)
