# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recorded conversations: what is written, and that a changed request is noticed."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from unittest.mock import Mock

import picky_models
import pytest
from bad_files import JSON, refused, written
from hand_scenes import SCENES
from model_fixtures import KEY
from model_server import ModelServer, completion
from replan_agent_export.recorded_model import RecordingModel, ReplayedModel

from replan_agent.app.build.build_planner import chat_model
from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.chat import (
    ChatMessage,
    ImagePart,
    ModelError,
    ModelFailure,
    TextPart,
    ToolSpec,
    text_message,
)
from replan_agent.domain.config import ConfigError, VLMConfig, WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanRequest
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.model.asking.ways import Asking
from replan_agent.plan.model.vlm import VLMPlanner
from replan_agent.plan.validation import PlanValidator
from replan_agent.vlm.found_ways import FoundWays
from replan_agent.vlm.reply import LONGEST_TEXT

TOOL = ToolSpec('pick', 'Pick up.', {'type': 'object'})
PIXELS = b'\x89PNG pixels of a living room'


def asked(text: str = 'the red cube', pixels: bytes = PIXELS) -> tuple[ChatMessage, ...]:
    return (text_message('system', 'Rules.\nMore rules.'),
            ChatMessage('user', (TextPart(text), ImagePart(pixels))))


@pytest.fixture
def recorded(tmp_path, make_server, make_client):
    """A conversation of two exchanges, the second of which failed, on disk."""
    server = make_server('prose', 'http_401', rules=lambda request: [])
    model = RecordingModel(make_client(server), tmp_path / 'runs' / 'conversation.json')
    first = model.complete(asked(), (TOOL,), Context())
    with pytest.raises(ModelError):
        model.complete(asked(), (TOOL,), Context())
    return tmp_path / 'runs' / 'conversation.json', first


def test_a_replay_gives_the_same_replies_and_failures(recorded):
    path, first = recorded
    replay = ReplayedModel(path)
    assert replay.complete(asked(), (TOOL,), Context()) == first
    with pytest.raises(ModelError) as caught:
        replay.complete(asked(), (TOOL,), Context())
    assert caught.value.reason is ModelFailure.AUTH and 'recorded' in replay.name


def test_a_changed_prompt_is_noticed_and_the_difference_shown(recorded):
    with pytest.raises(ModelError) as caught:
        ReplayedModel(recorded[0]).complete(asked('the blue cube'), (TOOL,), Context())
    assert caught.value.reason is ModelFailure.NOT_AS_RECORDED
    removed, added = (line for line in caught.value.detail.splitlines() if line[0] in '+-')
    assert 'the red cube' in removed and 'the blue cube' in added


def test_changed_tools_are_noticed(recorded):
    other = ToolSpec('pick', 'Grab.', {'type': 'object'})
    with pytest.raises(ModelError, match='Grab'):
        ReplayedModel(recorded[0]).complete(asked(), (other,), Context())


def test_another_picture_is_not_another_prompt_but_a_missing_one_is(recorded):
    assert ReplayedModel(recorded[0]).complete(asked(pixels=b'drawn elsewhere'), (TOOL,),
                                               Context()).text
    with pytest.raises(ModelError, match='not the one'):
        without = (asked()[0], text_message('user', 'the red cube'))
        ReplayedModel(recorded[0]).complete(without, (TOOL,), Context())


def test_a_conversation_longer_than_the_recording_is_noticed(recorded):
    replay = ReplayedModel(recorded[0])
    for _ in range(2):
        try:
            replay.complete(asked(), (TOOL,), Context())
        except ModelError as error:
            assert error.reason is ModelFailure.AUTH
    with pytest.raises(ModelError, match='2 exchanges, but this is number 3'):
        replay.complete(asked(), (TOOL,), Context())


def test_a_replay_counts_against_the_budget_like_the_model_did(recorded):
    spent: list[str] = []
    ReplayedModel(recorded[0]).complete(asked(), (TOOL,), Context(spend_call=spent.append))
    assert len(spent) == 1


def test_a_recording_holds_neither_key_nor_picture(recorded):
    text = recorded[0].read_text()
    assert KEY not in text and 'living room' not in text and 'base64' not in text
    picture = json.loads(text)['exchanges'][0]['request']['messages'][1]['content'][1]
    assert picture['bytes'] == len(PIXELS) and len(picture['sha256']) == 64


def test_pictures_are_kept_when_asked_for(tmp_path, make_server, make_client):
    server = make_server('prose')
    model = RecordingModel(make_client(server), tmp_path / 'c.json', keep_images=True)
    reply = model.complete(asked(), (TOOL,), Context())
    assert 'base64' in (tmp_path / 'c.json').read_text()
    assert ReplayedModel(tmp_path / 'c.json').complete(asked(), (TOOL,), Context()) == reply


@pytest.mark.parametrize('change', [
    lambda c: c.pop('exchanges'),
    lambda c: c.update(exchanges={}),
    lambda c: c.update(exchanges=[5]),
    lambda c: c['exchanges'][0].pop('fingerprint'),
    lambda c: c['exchanges'][0].update(request=None),
    lambda c: c['exchanges'][0].update(request={'messages': [{'content': ['text']}]}),
    lambda c: c['exchanges'][0].pop('reply'),
    lambda c: c['exchanges'][0]['reply'].update(text=None),
    lambda c: c['exchanges'][0]['reply'].update(tool_calls=[{'name': 'pick'}]),
    lambda c: c['exchanges'][1]['error'].update(reason='bored'),
])
def test_a_damaged_recording_is_refused_when_it_is_loaded(recorded, change):
    path = recorded[0]
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(ConfigError, match=rf'{path}: not a complete recording'):
        ReplayedModel(path)


@pytest.mark.parametrize(('path', 'says'), [('/proc/x/c.json', 'no recording can be written'),
                                            ('/tmp', 'is a folder')])
def test_a_recording_that_cannot_be_written_is_refused_before_the_first_call(path, says):
    with pytest.raises(ConfigError, match=f'{path}: {says}'):
        RecordingModel(Mock(), Path(path))


@pytest.mark.parametrize('content', ['', '[]', '{"format": "something else"}'])
def test_a_file_that_is_no_recording_is_refused(tmp_path, content):
    path = tmp_path / 'c.json'
    path.write_text(content)
    with pytest.raises(ConfigError, match='recording'):
        ReplayedModel(path)


@pytest.mark.parametrize('text', JSON.values(), ids=JSON)
def test_a_file_that_cannot_be_read_is_wrong_use(tmp_path, monkeypatch, capsys, text):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, 'bad.json', text)
    assert path in refused(capsys, 'run', 'pick up the red cube', '--planner', 'vlm',
                           '--replay-model', path)


def test_nobody_waits_for_a_pipe_and_none_is_replaced_by_a_file(tmp_path, capsys):
    pipe = tmp_path / 'pipe.json'
    os.mkfifo(pipe)
    assert 'pipe.json' in refused(capsys, 'run', 'x', '--planner', 'vlm', '--replay-model',
                                  str(pipe))
    with pytest.raises(ConfigError, match='a device or a pipe'):
        RecordingModel(Mock(), pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_what_is_recorded_has_a_limit(tmp_path, make_server, make_client):
    said = 'x' * (LONGEST_TEXT + 999)
    server = make_server(rules=lambda request: completion([], said, finish='stop'))
    model = RecordingModel(make_client(server), tmp_path / 'model.json')
    assert len(model.complete(asked(), (), Context()).text) <= LONGEST_TEXT + 3
    assert (tmp_path / 'model.json').stat().st_size < 2 * LONGEST_TEXT


def test_a_conversation_replays_with_what_auto_found(tmp_path):
    file = tmp_path / 'conversation.json'

    def planned(**settings):
        vlm = VLMConfig(model='fake-model', **settings)
        asking = Asking('auto', 'auto', True, FoundWays(vlm))
        planner = VLMPlanner(chat_model(vlm), PlanValidator(WorkspaceConfig(), 20),
                             build_reader(), asking=asking)
        return planner.plan(PlanRequest('put the red cube in the bowl', SCENES['tabletop'],
                                        standard_skills().specs()), Context())

    with ModelServer(rules=picky_models.chats) as server:
        first = planned(base_url=server.base_url, record=str(file))
    again = planned(replay=str(file))
    assert again == first and len(again.warnings) == 3
    assert len(json.loads(file.read_text())['exchanges']) == 4
