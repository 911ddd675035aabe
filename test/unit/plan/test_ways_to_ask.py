# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ways to ask a model, over real HTTP: what is sent, what is found out, what is remembered."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import picky_models
import pytest
from hand_scenes import SCENES
from model_server import ModelServer, completion, puts

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.chat import ChatReply, ModelError, ModelFailure, ToolCall
from replan_agent.domain.config import MODEL_WAYS, VLMConfig, WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.model.asking.ways import Asking, Way
from replan_agent.plan.model.vlm import VLMPlanner
from replan_agent.plan.validation import PlanValidator
from replan_agent.vlm import found_ways
from replan_agent.vlm.client import ChatClient
from replan_agent.vlm.found_ways import FoundWays, notes_file

READER = build_reader()


pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")

TASK = 'put the red cube in the bowl'
CHECK = PlanValidator(WorkspaceConfig(), 20)
SKILLS = standard_skills().specs()
PLAN = ["pick({'object': 'red_cube'})", "place_on({'target': 'bowl'})"]
Ask = Callable[..., tuple[PlanReply, ModelServer]]


def request(scene: str = 'tabletop', **more: object) -> PlanRequest:
    return PlanRequest(TASK, SCENES[scene], SKILLS, **more)


@pytest.fixture
def ask() -> Iterator[Ask]:
    """A plan from a server with these rules, as the settings make the planner."""
    servers: list[ModelServer] = []

    def ask(rules=puts, server=None, ctx=None, snapshot=None, asked=None, **settings):
        if server is None:
            server = ModelServer(rules=rules).start()
            servers.append(server)
        vlm = VLMConfig(server.base_url, 'fake-model', **{'max_retries': 0, **settings})
        asking = Asking(vlm.mode, vlm.prompt, vlm.ask, FoundWays(vlm))
        client = ChatClient(vlm, {})
        planner = VLMPlanner(client, CHECK, READER, snapshot, asking=asking)
        reply = planner.plan(asked or request(), ctx or Context())
        client.close()
        return reply, server

    yield ask
    for server in servers:
        server.close()


def way_of(body: dict) -> str:
    form = (body.get('response_format') or {}).get('type', '')
    return 'tools' if 'tools' in body else {'': 'text', 'json_object': 'json'}.get(form, form)


@pytest.mark.parametrize('prompt', ['full', 'compact'])
@pytest.mark.parametrize('mode', MODEL_WAYS)
def test_every_way_and_prompt_gives_the_same_plan(ask, mode, prompt):
    reply, server = ask(mode=mode, prompt=prompt)
    assert [step.call for step in reply.steps] == PLAN and not reply.warnings
    assert [way_of(body) for body in server.requests] == [mode]


@pytest.mark.parametrize('mode', MODEL_WAYS[1:])
@pytest.mark.parametrize('written', [
    {'goals': [], 'steps': [{'skill': 'pick', 'object': 'unicorn'}]},
    {'goals': [], 'steps': [{'skill': 'fly', 'to': 'the moon'}]},
    {'goals': [], 'steps': [{'skill': 'done'}, {'skill': 'pick', 'object': 'red_cube'}]},
])
def test_a_wrong_plan_in_json_for_a_known_goal_goes_back_twice(ask, mode, written):
    reply, server = ask(lambda body: completion([], json.dumps(written), finish='stop'), mode=mode)
    assert len(server.requests) == 3
    assert 'Answer with one JSON object again' in str(server.requests[1]['messages'][-1])
    problems = CHECK(plan_of(reply), SCENES['tabletop'], SKILLS)
    assert reply.kind is ReplyKind.FAILED or problems


def plan_of(reply: PlanReply):
    from replan_agent.domain.plan import Plan, PlanCause

    return Plan(1, TASK, reply.steps, reply.goals, PlanCause.INITIAL, None, '', 'vlm')


@pytest.mark.parametrize(('rules', 'ways', 'words'), [
    (puts, ['tools'], ''),
    (picky_models.calls_nothing, ['tools', 'json_schema'], 'called no tool'),
    (picky_models.refuses('tools'), ['tools', 'json_schema'], 'refuses tools'),
    (picky_models.refuses('tools', 'json_schema'), ['tools', 'json_schema', 'json'],
     'refuses json_schema'),
    (picky_models.refuses('tools', 'response_format'), list(MODEL_WAYS), 'refuses json'),
    (picky_models.chats, list(MODEL_WAYS), 'gave no plan'),
])
def test_auto_finds_the_way_that_works_and_says_so(ask, rules, ways, words):
    spent: list[str] = []
    reply, server = ask(rules, ctx=Context(spend_call=spent.append))
    assert [way_of(body) for body in server.requests] == ways
    assert [step.call for step in reply.steps] == PLAN
    assert len(reply.warnings) == len(ways) - 1 and words in ' '.join(reply.warnings)
    assert len(spent) == len(ways)  # each request counts as a call


def test_what_auto_found_is_remembered_in_the_process_and_by_the_next_one(ask, monkeypatch):
    _, server = ask(picky_models.calls_nothing)
    for _ in range(2):
        before = len(server.requests)
        reply, _ = ask(server=server)
        assert [way_of(body) for body in server.requests[before:]] == ['json_schema']
        assert not reply.warnings
        monkeypatch.setattr(found_ways, '_known', {})  # as in another process


def test_notes_are_forgotten_after_a_month_and_may_be_switched_off(ask, monkeypatch):
    _, server = ask(picky_models.calls_nothing)
    ask(server=server, remember=False)
    monkeypatch.setattr(found_ways, '_known', {})
    now = time.time()
    monkeypatch.setattr(found_ways.time, 'time', lambda: now + found_ways.KEEP_S + 1)
    ask(server=server)
    monkeypatch.setattr(found_ways, '_known', {})
    monkeypatch.setattr(found_ways.time, 'time', lambda: now)
    ask(server=server, remember=False)
    assert [way_of(body) for body in server.requests] == [
        'tools', 'json_schema', 'json_schema', 'tools', 'json_schema', 'tools', 'json_schema']


@pytest.mark.parametrize('content', ['', '[]', '{"x": 1}', 'nonsense', '{"KEY": {"mode": "fly"}}'])
def test_notes_that_nobody_can_read_are_no_notes(ask, content):
    notes_file().parent.mkdir(parents=True)
    with ModelServer(rules=puts) as server:
        notes_file().write_text(content.replace('KEY', f'{server.base_url} fake-model'))
        reply, _ = ask(server=server)
    assert way_of(server.requests[0]) == 'tools' and reply.steps


def test_nothing_is_written_about_a_model_that_works_as_usual(ask):
    ask()
    assert not notes_file().exists()


def test_a_model_that_can_call_tools_is_only_reminded_after_prose(ask):
    _, server = ask()
    server.misbehave = ['prose']
    reply, _ = ask(server=server)
    assert [way_of(body) for body in server.requests] == ['tools'] * 3
    assert [step.call for step in reply.steps] == PLAN and not reply.warnings


def test_a_mode_that_is_set_stays(ask):
    reply, server = ask(picky_models.refuses('tools'), mode='tools')
    assert reply.kind is ReplyKind.TRANSPORT and 'tools is not supported' in reply.detail
    assert len(server.requests) == 1


def test_a_refusal_in_prose_says_nothing_about_the_way(ask):
    reply, server = ask(lambda body: completion([], "I'm sorry, I can't.", finish='stop'))
    assert reply.kind is ReplyKind.GIVE_UP
    assert [way_of(body) for body in server.requests] == ['tools', 'tools']


def test_a_model_that_cannot_see_gets_no_more_pictures(ask):
    def snapshot(scene, ctx):
        return b'\x89PNG...'

    reply, server = ask(picky_models.blind, snapshot=snapshot)
    assert [step.call for step in reply.steps] == PLAN and len(server.requests) == 2
    assert reply.warnings and way_of(server.requests[1]) == 'tools'
    ask(server=server, snapshot=snapshot)
    assert len(server.requests) == 3 and 'image_url' not in json.dumps(server.requests[2])


SAID = [  # what servers really say
    ('400: registry.ollama.ai/library/gemma:2b does not support tools', 'json_schema'),
    ('400: "auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be '
     'set', 'json_schema'),
    ('500: tools param requires --jinja flag', 'json_schema'),
    ('404: No endpoints found that support tool use.', 'json_schema'),
    ('400: the request exceeds the available context size, try increasing it', 'json_schema'),
    ('400: max_tokens is too large', 'tools'),
    ('401: incorrect key for this tool', 'tools'),
    ('500: out of memory', 'tools'),
]


@pytest.mark.parametrize(('said', 'way'), SAID)
def test_only_a_refusal_of_the_way_changes_it(said, way):
    asking = Asking('auto', 'auto')
    status = int(said[:3])
    reason = {400: ModelFailure.BAD_REQUEST, 401: ModelFailure.AUTH, 404: ModelFailure.NOT_FOUND,
              500: ModelFailure.SERVER_ERROR}[status]
    error = ModelError(reason, f'tools.local answered {said}', server_said=said[5:])
    found = asking.after_error(error, False)
    assert asking.way is Way(way) and bool(found) == (way != 'tools')


@pytest.mark.parametrize(('said', 'sees'), [
    ('500: image input is not supported - hint: you may need to provide the mmproj', False),
    ('400: Invalid content type. image_url is only supported by certain models.', False),
    ('400: Qwen2.5-7B is not a multimodal model', False), ('400: bad temperature', True)])
def test_a_refusal_of_pictures_is_recognized(said, sees):
    asking = Asking('tools')
    error = ModelError(ModelFailure.BAD_REQUEST, f'host answered {said}', server_said=said[5:])
    asking.after_error(error, True)
    assert asking.pictures is sees


def worked(with_picture=False) -> Asking:
    asking = Asking('auto', 'auto')
    called = ChatReply('', (ToolCall('pick', {'object': 'red_cube'}),))
    assert not asking.after_reply(called, True, with_picture)
    return asking


def test_a_trouble_of_the_server_does_not_change_a_way_that_worked():
    error = ModelError(ModelFailure.SERVER_ERROR, '500', server_said='the tool parser crashed')
    asking = worked()
    assert not asking.after_error(error, False) and asking.way is Way.TOOLS
    refusal = ModelError(ModelFailure.BAD_REQUEST, '400', server_said='no support for tools')
    assert asking.after_error(refusal, False) and asking.way is Way.JSON_SCHEMA


@pytest.mark.parametrize('seen', [True, False])
def test_a_trouble_with_pictures_counts_only_if_none_was_ever_taken(seen):
    error = ModelError(ModelFailure.SERVER_ERROR, '500', server_said='image worker crashed')
    asking = worked(with_picture=seen)
    assert bool(asking.after_error(error, True)) is not seen and asking.pictures is seen


def test_the_compact_prompt_is_at_most_a_quarter_of_the_full_one(ask):
    failed = Attempt(0, 'pick', {'object': 'red_cube'}, 'grasp_slipped', 'width fell to 0 mm')
    for asked in (request(), request('many'), request(prior_attempts=(failed,))):
        sizes = {}
        for mode, prompt in (('tools', 'full'), ('json_schema', 'auto'), ('text', 'compact')):
            _, server = ask(mode=mode, prompt=prompt, asked=asked)
            body = server.requests[-1]
            sizes[mode] = len(json.dumps([body['messages'], body.get('tools', [])]))
        failures = len(json.dumps(failed.as_dict())) if asked.prior_attempts else 0
        for mode in ('json_schema', 'text'):
            assert 4 * (sizes[mode] - failures) <= sizes['tools'] - failures, sizes


def test_the_compact_prompt_is_the_same_up_to_the_task(ask):
    """A server that keeps what it has read then reads only the task."""
    sent = []
    for task in ('pick up the red cube', 'put the blue cube in the bin'):
        for mode in ('json_schema', 'json', 'text'):
            _, server = ask(mode=mode, asked=replace(request(), task=task))
            system, user = server.requests[0]['messages']
            before, _, last = user['content'][0]['text'].rpartition(', "task": ')
            assert json.loads(f'[{last.partition(", ")[0].removesuffix("}")}]') == [task]
            sent.append((system['content'], before))
    assert len(set(sent)) == 1


def test_the_message_about_failed_steps_is_the_same_in_every_prompt(ask):
    failed = Attempt(0, 'pick', {'object': 'red_cube'}, 'grasp_slipped', 'width fell to 0 mm')
    said = []
    for mode, prompt in (('tools', 'full'), ('tools', 'compact'), ('json_schema', 'compact')):
        _, server = ask(mode=mode, prompt=prompt, asked=request(prior_attempts=(failed,)))
        said += [message for message in server.requests[-1]['messages']
                 if 'Previously-failed steps' in str(message['content'][0])]
    assert len(said) == 3 and said[0] == said[1] == said[2]


@pytest.mark.parametrize('mode', ['tools', 'json_schema'])
def test_after_a_failure_a_small_model_reads_last_what_failed_and_what_is_to_do(ask, mode):
    failed = Attempt(1, 'pick', {'object': 'red_cube'}, 'grasp_slipped', 'width fell to 0 mm')
    goals = (Goal(Predicate.IN, 'red_cube', 'bowl'), Goal(Predicate.ON, 'blue_cube', 'table'))
    _, server = ask(mode=mode, prompt='compact', asked=request(
        prior_attempts=(failed,), goals=goals))
    words, facts = (part['text'] for part in server.requests[0]['messages'][-1]['content'])
    assert 'Plan again' in words and json.loads(facts) == {
        'failed': "step 2, pick({'object': 'red_cube'})", 'why': 'width fell to 0 mm',
        'still_to_do': [str(goals[0])],
        'more_arguments': ['force', 'speed', 'grasp', 'turn', 'over'], 'task': TASK}


def test_after_a_plan_that_was_refused_a_small_model_hears_that_nothing_ran(ask):
    refused = Attempt(0, '', {}, 'bad_arguments', 'holding(red_cube) is not true',
                      AttemptStage.PLAN)
    _, server = ask(mode='json_schema', asked=request(prior_attempts=(refused,)))
    facts = json.loads(server.requests[0]['messages'][-1]['content'][1]['text'])
    assert facts['failed'] == 'the plan was refused, nothing ran'
    assert facts['why'] == 'holding(red_cube) is not true'


def test_a_key_in_the_address_is_not_kept():
    vlm = VLMConfig(model='m', base_url='http://host/v1?api-key=secret')
    FoundWays(vlm).write('json', True)
    assert 'host' in (kept := notes_file().read_text()) and 'secret' not in kept
