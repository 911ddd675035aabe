"""The scripted server as its own program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from replan_agent_bench.scripted.scripted_server import FakeModelServer, serve

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
