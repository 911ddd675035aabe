# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model names goals, the search plans for them: over real HTTP, with what a test lets it say."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import replace

import pytest
from hand_scenes import SCENES
from model_server import completion

from replan_agent.app.build.build_planner import build_planner
from replan_agent.domain.config import Config, VLMConfig
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Plan, PlanCause, PlanRequest, Proof, ReplyKind, Step
from replan_agent.domain.skill import Reason, failed
from replan_agent.execute.skills.standard import standard_skills

pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")

SKILLS = standard_skills().specs()
OUTSIDE = 'the scarlet block is fond of soup vessels'  # the grammar does not read this
IN_BOWL = {'predicate': 'in', 'object': 'red_cube', 'target': 'bowl'}
IN_BIN = {**IN_BOWL, 'target': 'bin'}
MEANS = 'scarlet block = red cube; soup vessels = bowl'
MEANT = [{'said': 'scarlet block', 'means': 'red_cube'}, {'said': 'soup vessels', 'means': 'bowl'}]


def says(order='put the red cube in the bowl', means=MEANS, english=OUTSIDE, thing='cube'):
    """The parts that the form asks for, with this order."""
    def answer(request):
        fields = request['response_format']['json_schema']['schema']['properties']
        parts = {'english': english, 'means': means, 'order': order, 'thing': thing}
        return completion([], json.dumps({name: parts[name] for name in fields}), finish='stop')

    return answer


def in_turn(*answers):
    left = list(answers)
    return lambda request: (left.pop(0) if len(left) > 1 else left[0])(request)


@pytest.fixture
def plan(make_server, make_client):
    def plan(rules, task=OUTSIDE, scene='tabletop', settings=None, **more):
        server = make_server(rules=rules)
        vlm = VLMConfig(server.base_url, 'fake-model', **{
            'mode': 'json_schema', 'images': False, 'remember': False, **(settings or {})})
        config = replace(Config(), planner='vlm', vlm=vlm)
        planner = build_planner(config, lambda: make_client(server), lambda *_: [], lambda: None)
        reply = planner.plan(PlanRequest(task, SCENES[scene], SKILLS, **more), Context())
        return reply, server.requests

    return plan


def calls(reply):
    return [step.call for step in reply.steps]


PUT = ["pick({'object': 'red_cube'})", "place_on({'target': 'bowl'})"]


def test_goals_on_which_two_forms_agree_are_planned_by_the_search(plan):
    reply, asked = plan(says())
    assert calls(reply) == PUT and len(asked) == 2
    assert reply.goals == (Goal(Predicate.IN, 'red_cube', 'bowl'),) and not reply.goals_certain
    assert 'I understood: the red cube should be in the bowl' in reply.warnings


def test_a_third_form_decides_between_two(plan):
    reply, asked = plan(in_turn(says('put the red cube in the bin'), says()))
    assert calls(reply) == PUT and len(asked) == 3


def test_a_task_that_the_grammar_reads_needs_no_model(plan):
    reply, asked = plan(says('put the red cube in the bin'), task='put the red cube in the bowl')
    assert calls(reply) == PUT and not asked and reply.goals_certain


def test_the_question_has_the_words_of_the_scene_and_no_places(plan):
    _, asked = plan(in_turn(says('what?'), says('pick up the red cube'), says()))
    told = [json.loads(request['messages'][-1]['content'][0]['text']) for request in asked]
    words = {'things': ['cube', 'cylinder', 'bar', 'bowl', 'bin'],
             'colours': ['red', 'blue', 'green', 'yellow', 'white', 'grey'], 'says': OUTSIDE}
    assert told[:2] == [words, words]
    assert told[2]['things']['white bowl'] == 'bowl, holds things'


def test_answers_that_differ_become_a_question(plan):
    reply, asked = plan(in_turn(says(), says('put the red cube in the bin'),
                                says('pick up the red cube')))
    assert reply.kind is ReplyKind.ASK and not reply.steps and len(asked) == 3
    assert ('the red cube should be in the bowl; or the red cube should be in the bin'
            in reply.detail)


def test_a_thing_that_no_word_explains_is_asked_about(plan):
    reply, _ = plan(says(means='scarlet block = red cube'))
    assert reply.kind is ReplyKind.ASK and not reply.steps
    assert 'I understood: the red cube should be in the bowl' in reply.detail
    assert reply.detail.endswith('nothing in it says bowl')


def test_a_kind_alone_does_not_explain_which_of_several(plan):
    reply, _ = plan(says(means='', english=''), task='the zebra-striped cube longs for the bowl')
    assert reply.kind is ReplyKind.ASK and 'says red_cube' in reply.detail


@pytest.mark.parametrize('means', ['pyjamas = red cube', 'azure block = red cube'])
def test_words_that_are_not_in_the_task_or_mean_another_thing_explain_nothing(plan, means):
    reply, _ = plan(says(means=means), task='the azure block longs for the bowl')
    assert reply.kind is ReplyKind.ASK and not reply.steps


FRUIT = 'the citrus fruit is for the bowl'


def test_one_phrase_for_things_without_a_word_in_common_is_a_guess(plan):
    reply, _ = plan(says('put the lemon and the banana in the bowl', english=FRUIT,
                         means='citrus fruits = lemon and banana'), task=FRUIT, scene='fruit')
    assert reply.kind is ReplyKind.ASK and 'nothing in it says' in reply.detail


def test_all_of_a_kind_are_meant_only_where_the_task_says_several(plan):
    order = says('put all cubes in the bowl', means='cuboid = cube', english='')
    one = plan(order, task='the cuboid stuff loves the bowl')[0]
    both = plan(order, task='both cuboid things love the bowl')[0]
    assert one.kind is ReplyKind.ASK and len(both.steps) == 4


@pytest.mark.parametrize(('task', 'is_done'), [
    ('the block with the colour of blood is fond of soup: into the bowl', True),
    ('one block is fond of soup: into the blood-coloured bowl', False),
    ('one block is fond of soup: into the bowl with the colour of blood', False)])
def test_a_colour_does_not_belong_to_a_noun_that_the_task_says_without_one(plan, task, is_done):
    reply, _ = plan(says('put the cube in the red bowl', 'blood = red', task), task=task)
    assert calls(reply) == PUT * is_done and (reply.kind is ReplyKind.ASK) is not is_done


def test_a_colour_of_what_is_not_here_explains_nothing(plan):
    lorry = 'the red lorry may park in the bowl'
    reply, _ = plan(says(means='red = red cube', english=lorry), task=lorry)
    assert reply.kind is ReplyKind.ASK and 'nothing in it says red_cube' in reply.detail


@pytest.mark.parametrize(('thing', 'is_done'), [
    ('cube', True), ('tree', False), ('', False), ('bowl', False)])
def test_what_only_the_model_says_is_meant_it_must_name_without_the_list(plan, thing, is_done):
    riddle = 'what has roots that nobody sees: into the bowl with it'
    means = 'roots = red cube; nobody sees = red'
    reply, asked = plan(says(means=means, english=riddle, thing=thing), task=riddle)
    assert calls(reply) == PUT * is_done and (reply.kind is ReplyKind.ASK) is not is_done
    assert 'things' not in asked[-1]['messages'][-1]['content'][0]['text'] and len(asked) == 3


def test_what_is_called_waste_belongs_in_the_bin(plan):
    order = says('put the red cube in the bin', means='')
    reply, _ = plan(order, task='the scarlet block is waste')
    assert calls(reply) == [PUT[0], "place_on({'target': 'bin'})"]


def test_an_order_is_asked_for_in_letters(plan):
    _, asked = plan(says())
    schema = asked[0]['response_format']['json_schema']['schema']
    plain = schema['properties']['order']['pattern']
    assert re.search(plain, 'put the red cube on the blue one, and the café-au-lait 2 on top')
    assert not re.search(plain, "put the red cube on the blue one's head")


def test_a_translation_explains_the_things(plan):
    reply, _ = plan(says(means='', english='the red cube goes in the bowl'),
                    task='a kocka megy a tálba')
    assert calls(reply) == PUT


def test_a_not_that_the_order_drops_is_asked_about(plan):
    reply, _ = plan(says(means='Würfel = red cube; Schale = bowl'),
                    task='nicht den scharlachroten Würfel in die Schale')
    assert reply.kind is ReplyKind.ASK and not reply.steps


def test_a_container_is_not_moved_by_the_plain_english_of_a_model(plan):
    reply, _ = plan(says('put the bowl in the bin', means='soup vessels = bowl; fond = bin'))
    assert reply.kind is ReplyKind.ASK and not reply.steps


def test_a_named_thing_that_the_goals_leave_out_is_asked_about(plan):
    reply, _ = plan(says(), task='the scarlet block loves soup, as does the bar')
    assert reply.kind is ReplyKind.ASK and not reply.steps


def test_goals_that_are_true_already_are_asked_about(plan):
    reply, _ = plan(says('put the red cube on the table', means=f'{MEANS}; fond = table'))
    assert reply.kind is ReplyKind.ASK and 'true already' in reply.detail


def test_a_model_that_finds_nothing_here_is_asked_about(plan):
    reply, _ = plan(says('nothing'))
    assert reply.kind is ReplyKind.ASK and 'finds nothing here' in reply.detail


def test_an_order_that_the_grammar_refuses_is_no_vote_and_does_not_go_back(plan):
    reply, asked = plan(says('put the unicorn in the bowl'))
    assert reply.kind is ReplyKind.ASK and not reply.steps and len(asked) == 2
    one, asked = plan(says('put the unicorn in the bowl'), settings={'opinions': 1})
    assert one.kind is ReplyKind.FAILED and 'unicorn' in one.detail and len(asked) == 1


def test_a_model_with_tools_may_ask_back(plan):
    back = ('ask', {'question': 'Which vessel?', 'candidates': ['bowl', 'bin']})
    reply, asked = plan(lambda request: [back], settings={'mode': 'tools', 'output': 'goals'})
    assert reply.kind is ReplyKind.ASK and len(asked) == 1
    assert reply.detail == 'Which vessel? It may mean: bowl; bin'


SET = ('set_goal', {'goals': [IN_BOWL], 'words': MEANT})


def test_a_model_with_tools_names_goals_with_a_call(plan):
    reply, asked = plan(lambda request: [SET], settings={'mode': 'tools', 'output': 'goals'})
    assert calls(reply) == PUT and len(asked) == 1
    assert [tool['function']['name'] for tool in asked[0]['tools']] == [
        'set_goal', 'give_up', 'ask']


def test_by_default_a_model_with_tools_plans_steps(plan):
    steps = [SET, ('pick', {'object': 'red_cube'}), ('place_on', {'target': 'bowl'})]
    reply, asked = plan(lambda request: steps, settings={'mode': 'tools'})
    assert calls(reply) == PUT and len(asked) == 1
    assert 'pick' in [tool['function']['name'] for tool in asked[0]['tools']]


def test_a_model_that_calls_no_tools_is_asked_for_goals_from_then_on(plan):
    def no_tools(request):
        if 'tools' in request:
            return completion([], 'I would pick it up.', finish='stop')
        return says()(request)

    reply, asked = plan(no_tools, settings={'mode': 'auto'})
    assert calls(reply) == PUT and len(asked) == 3
    assert reply.warnings[0].startswith('the model called no tool; plans are asked for as json')


def test_samples_of_a_model_with_tools_that_differ_ask(plan):
    other = ('set_goal', {'goals': [IN_BIN], 'words': MEANT})
    turns = itertools.cycle((SET, other))
    reply, asked = plan(lambda request: [next(turns)], settings={
        'mode': 'tools', 'output': 'goals', 'samples': 3})
    assert reply.kind is ReplyKind.ASK and len(asked) == 2


def test_a_failure_is_planned_around_for_the_same_goals(plan):
    """The goals stay: the search plans again, and does not repeat what was proved impossible."""
    goals, scene = (Goal(Predicate.IN, 'red_cube', 'bowl'),), SCENES['tabletop']
    step = Step(1, 'pick', {'object': 'red_cube'})
    result = failed(Reason.UNREACHABLE, 'IK did not converge', proved_impossible=True)
    attempt = Attempt(0, 'pick', step.args, Reason.GRASP_SLIPPED.value, 'it slipped',
                      AttemptStage.EXECUTE, 1)
    again, asked = plan(says('put the red cube in the bin'), goals=goals, goals_certain=False,
                        prior_attempts=(attempt,))
    assert calls(again) == PUT and again.goals == goals and not asked
    ended, _ = plan(says('put the red cube in the bin'), goals=goals, goals_certain=False,
                    proofs=(Proof(step, scene, result),))
    assert ended.kind is ReplyKind.EXHAUSTED and 'did not converge' in ended.detail


def test_what_failed_before_there_were_goals_is_told(plan):
    attempt = Attempt(0, '', {}, Reason.BAD_ARGUMENTS.value, 'two places for one cube',
                      AttemptStage.PLAN, 1)
    _, asked = plan(says(), prior_attempts=(attempt,))
    assert 'two places for one cube' in str(asked[0]['messages'])


def test_an_answer_of_a_person_reaches_every_form(plan):
    reply, asked = plan(says(), context={'hints': ['the shiny one']})
    assert calls(reply) == PUT and all('the shiny one' in str(r['messages']) for r in asked)


def test_a_new_hint_reopens_goals_that_a_model_named(plan):
    claimed = {'goals': (Goal(Predicate.IN, 'red_cube', 'bin'),), 'goals_certain': False,
               'context': {'hints': ['no, the soup one']}}
    reply, asked = plan(says(), **claimed)
    assert calls(reply) == PUT and len(asked) == 2
    last = Plan(1, OUTSIDE, (), (), PlanCause.HUMAN, None, 's', 'vlm', '', claimed['context'])
    assert not plan(says(), **claimed, previous=last)[1]  # it is known by then


def test_goals_that_name_no_thing_are_asked_about(plan):
    reply, _ = plan(says('go home'), task='sing me a lullaby')
    assert reply.kind is ReplyKind.ASK and not reply.steps


def test_what_a_model_thinks_aloud_is_no_order(plan):
    def thinks(request):
        said = says()(request)
        message = said['choices'][0]['message']
        message['content'] = f'<think>{message["content"].replace("bowl", "bin")}</think>' + (
            message['content'])
        return said

    assert calls(plan(thinks)[0]) == PUT


def test_of_two_orders_none_is_taken(plan):
    def torn(request):
        said = says()(request)
        message = said['choices'][0]['message']
        if '"order"' in message['content']:
            message['content'] += message['content'].replace('bowl', 'bin')
        return said

    reply, _ = plan(torn)
    assert reply.kind is ReplyKind.ASK and not reply.steps


def test_samples_of_which_none_can_be_used_ask(plan):
    reply, _ = plan(lambda request: completion([], 'Well.', finish='stop'), settings={
        'samples': 3, 'agreement': 0.0})
    assert reply.kind is ReplyKind.ASK and 'names no goals' in reply.detail


def test_known_words_for_what_is_not_here_are_not_guessed_at(plan):
    reply, asked = plan(says(), task='put the pink cube in the bowl')
    assert reply.kind is ReplyKind.FAILED and 'the pink cube' in reply.detail and not asked


def test_a_server_that_fails_is_told_as_such(plan):
    def down(request):
        raise ValueError('down')

    assert plan(down)[0].kind is ReplyKind.TRANSPORT


def test_prose_gets_a_reminder_and_is_no_vote(plan):
    reply, asked = plan(lambda request: completion([], 'I would pick it up.', finish='stop'))
    assert reply.kind is ReplyKind.ASK and not reply.steps and len(asked) == 4
