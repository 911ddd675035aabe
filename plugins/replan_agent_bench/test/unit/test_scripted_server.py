# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The scripted server as its own program."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from hand_scenes import SCENES
from model_server import MISBEHAVIOURS, ModelServer
from replan_agent_advice.model_reflection import ModelReflector
from replan_agent_bench.scripted.scripted_server import FakeModelServer, Misbehaviour, serve

from replan_agent.domain.chat import ModelError, text_message
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt
from replan_agent.domain.plan import Step
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.skill import FailedStage, find_spec
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.replan.diagnose.diagnosis import diagnose
from replan_agent.replan.reflect.reflection import RuleReflector

SLOW = ('hang', 'trickle', 'stall')
SERVE = """
from replan_agent_bench.scripted.scripted_server import serve
raise SystemExit(serve(0))
"""


def test_it_serves_until_interrupted_and_says_what_it_is():
    here = Path(__file__).resolve()
    path = f'{here.parents[4]}{os.pathsep}{here.parents[2]}'
    with subprocess.Popen([sys.executable, '-c', SERVE], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, 'PYTHONPATH': path}) as process:
        said = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=10) == 0
        finally:
            process.kill()
    assert 'scripted rules, no language model' in said and 'http://127.0.0.1:' in said


def test_a_port_that_is_taken_is_said(capsys):
    with FakeModelServer() as server:
        port = int(server.base_url.split(':')[2].split('/')[0])
        assert serve(port) == 2
    assert f'port {port}' in capsys.readouterr().err


def test_it_lists_its_model_and_refuses_what_it_does_not_understand():
    with FakeModelServer() as server:
        with urlopen(f'{server.base_url}/models', timeout=5) as answer:
            assert json.load(answer)['data'][0]['id'] == 'fake-model'
        for path, body, status in (('/chat/completions', b'{"messages": []}', 400),
                                   ('/chat/completions', b'{', 400), ('/nowhere', b'{}', 404)):
            with pytest.raises(HTTPError) as caught:
                urlopen(Request(server.base_url + path, body), timeout=5)
            assert caught.value.code == status


def test_a_kind_of_misbehaviour_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match='sulk'):
        FakeModelServer(['sulk'])


def test_the_models_document_lists_every_way_to_misbehave():
    page = Path(__file__).parents[4] / 'docs' / 'models.md'
    listed = re.search(r'Kinds: ([\w,\s]+)\.', page.read_text('utf-8'))[1]
    assert [kind.strip() for kind in listed.split(',')] == [kind.value for kind in Misbehaviour]


@pytest.mark.parametrize('kind', [kind.value for kind in Misbehaviour])
def test_its_misbehaviours_are_those_that_the_tests_of_the_core_try(kind, make_client):
    def failure(kind_of_server):
        with kind_of_server([kind]) as server:
            client = make_client(server, timeout=0.3 if kind in SLOW else 5.0)
            try:
                client.complete((text_message('user', 'Hello?'),), (), Context())
            except ModelError as error:
                return error.reason
        return None

    assert failure(FakeModelServer) is failure(ModelServer)
    assert {kind.value for kind in Misbehaviour} == MISBEHAVIOURS


def test_it_explains_a_failure_as_the_rules_do(make_server, make_client):
    seen = SCENES['tabletop']
    slipped = Attempt(0, 'pick', {'object': 'red_cube'}, 'grasp_slipped', 'it fell',
                      failed_stage=FailedStage.POSTCONDITION,
                      evidence={'closed_width': 0.0398, 'gripper_width': 0.0})
    case = FailureCase(slipped, seen, Step(1, 'pick', slipped.args), seen, (),
                       find_spec(standard_skills().specs(), 'pick'))
    case = replace(case, attempt=replace(slipped, diagnosis=diagnose(case)))
    client = make_client(make_server(kind=FakeModelServer))
    deep = ModelReflector(RuleReflector(), client).reflect(case, (), True, Context())
    assert deep.by == 'fake-model' and deep.root_cause.startswith('(scripted)')
    by_rules = RuleReflector().reflect(case, (), False, Context())
    assert deep.fix.changes == by_rules.fix.changes != {}
